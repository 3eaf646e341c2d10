"""Where a sensor was, from when to when, and how well that is known."""

from dataclasses import dataclass

from fieldloop.model.finding import Status

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A transform `parent_from_child` with its residual and interval of validity (end None: still valid).

    The residuals are of poses or points left out; the uncertainties bound the transform itself, where they are known,
    and `covariance` is that of its error as a small step in the child's frame: three turns (rad), three shifts (m).
    """

    id: str
    kind: str
    robot: str
    sensor: str
    parent: str
    child: str
    parent_from_child: Matrix
    method: str
    residual_mm: float | None
    residual_deg: float | None
    points: int
    status: Status
    valid_from_ns: int
    valid_to_ns: int | None = None
    uncertainty_mm: float | None = None
    uncertainty_deg: float | None = None
    covariance: Matrix | None = None
    message: str = ""

    def holds_at(self, at_ns: int) -> bool:
        """Was this calibration in force then?"""
        return self.valid_from_ns <= at_ns and (self.valid_to_ns is None or at_ns < self.valid_to_ns)

"""The pose of a sensor: its uncertainty and its interval of validity."""

from dataclasses import dataclass

from fieldloop.model.finding import Status
from fieldloop.model.note import Note

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """A transform `parent_from_child` with its residual and interval of validity (end None: still valid).

    The residuals are of held-out poses or points; the uncertainties bound the transform itself, where they are known.
    `covariance` is that of its error as a small step in the child's frame: three rotations (rad), three shifts (m).
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
    message: Note | None = None

    def is_in_force_at(self, at_ns: int) -> bool:
        """Return whether this calibration is in force at a time."""
        return self.valid_from_ns <= at_ns and (self.valid_to_ns is None or at_ns < self.valid_to_ns)

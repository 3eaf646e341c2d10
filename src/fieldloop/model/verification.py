"""The result of verifying a calibration against a marker."""

from dataclasses import dataclass

from fieldloop.model.calibration import Matrix
from fieldloop.model.finding import Finding, Status


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a camera seems to have moved, in its own frame: three turns (rad), three shifts (m), and how sure.

    `p_value` is the probability of such a result for a camera that has not moved, None where the calibration's own
    error is unknown. `own_noise`: the noise is estimated from the views' scatter, not the calibration's residual.
    """

    twist: tuple[float, ...]
    covariance: Matrix
    shift_mm: float
    turn_deg: float
    p_value: float | None
    moved: bool
    own_noise: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """The marker's offset, and the protocol's verdict on it: warn, halt, or neither."""

    calibration: str
    robot: str
    sensor: str
    at_ns: int
    views: int
    translation_mm: float | None
    rotation_deg: float | None
    findings: tuple[Finding, ...]
    drift: Drift | None = None
    id: str = ""

    @property
    def is_good(self) -> bool:
        """Whether every check passed; 'cannot tell' does not count as good."""
        return all(f.status is Status.PASSED for f in self.findings)

    @property
    def halts_collection(self) -> bool:
        """Whether collection must stop until recalibrated; 'cannot tell' stops it too."""
        return any(f.status is not Status.PASSED for f in self.findings if ".halt_" in f.check)

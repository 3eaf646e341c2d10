"""What a look at a marker said about a calibration."""

from dataclasses import dataclass

from fieldloop.model.calibration import Matrix
from fieldloop.model.finding import Finding, Status


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a camera seems to have moved, in its own frame: three turns (rad), three shifts (m), and how sure.

    `p_value` is the chance of seeing as much were it still where it was, None where nobody knows how far off the
    calibration itself was; `own_noise` says that the views' own scatter was the yardstick, not the calibration's
    residual.
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
    """What the marker showed, and what the protocol says about it: warn, halt, or neither."""

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
    def good(self) -> bool:
        """Nothing to warn of; what cannot be told is not good."""
        return all(f.status is Status.PASSED for f in self.findings)

    @property
    def halts(self) -> bool:
        """Collection stops until recalibrated; what cannot be told stops it too."""
        return any(f.status is not Status.PASSED for f in self.findings if ".halt_" in f.check)

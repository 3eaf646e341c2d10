"""How a camera maps directions to pixels, and how well that is known."""

from dataclasses import dataclass

from fieldloop.model.calibration import Matrix
from fieldloop.model.finding import Status


@dataclass(frozen=True, slots=True)
class RejectedImage:
    """A picture that was not used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class BoardCoverage:
    """How much of what a camera can see the boards showed.

    `cells` are rows of the picture plane with the share of all corners in each cell; tilts are between the board and
    the picture plane, distances along the optical axis.
    """

    cells: Matrix = ()
    covered: float = 0.0
    tilts_deg: tuple[float, ...] = ()
    distances_m: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Intrinsics:
    """A camera matrix (px), the distortion of a lens model, and the evidence for both.

    `rms_px` is over the pictures fitted to, `held_out_px` over pictures that each fit had not seen. `deviations` are
    one standard deviation of fx, fy, cx, cy in px. What a maker printed on the box is `provisional`: nobody here has
    seen it hold. Only what a workspace remembers has an id, a robot and a time from which it holds.
    """

    sensor: str
    camera_matrix: Matrix
    distortion: tuple[float, ...]
    model: str
    width: int
    height: int
    rms_px: float | None
    held_out_px: float | None
    status: Status
    images_used: tuple[str, ...] = ()
    images_rejected: tuple[RejectedImage, ...] = ()
    coverage: BoardCoverage = BoardCoverage()
    deviations: tuple[float, ...] = ()
    advice: tuple[str, ...] = ()
    board: str = ""
    message: str = ""
    provisional: bool = False
    id: str = ""
    robot: str = ""
    valid_from_ns: int | None = None

"""The intrinsics of a camera: lens model, error and the evidence for both."""

from dataclasses import dataclass

from fieldloop.model.calibration import Matrix
from fieldloop.model.finding import Status
from fieldloop.model.note import Note


@dataclass(frozen=True, slots=True)
class RejectedImage:
    """A picture that was not used, and why."""

    name: str
    reason: Note


@dataclass(frozen=True, slots=True)
class BoardCoverage:
    """How much of the camera's view the boards covered.

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

    `rms_px` is over the fitted pictures, `held_out_px` over held-out ones. `deviations` are one standard deviation of
    fx, fy, cx, cy in px. Values stated by the manufacturer are `provisional` until a board confirms them. Only
    intrinsics stored in a workspace have an id, a robot and a time from which they hold.
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
    advice: tuple[Note, ...] = ()
    board: str = ""
    message: Note | None = None
    provisional: bool = False
    id: str = ""
    robot: str = ""
    valid_from_ns: int | None = None

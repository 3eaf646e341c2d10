"""Test a calibration by touch: points seen by the camera compared with where the tool tip touched them."""

from dataclasses import dataclass
from pathlib import Path

from fieldloop import calibrate as room
from fieldloop.calibrate.conventions import choose_reading, convert_to_matrices
from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats
from fieldloop.ingest.poses import MOUNT, read_touched_points
from fieldloop.loop.calibrate.attach import parse_time_ns, require_calibration
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.written_poses import WrittenPoses

BASE = "base"


@dataclass(frozen=True, slots=True)
class Touched:
    """The distance of touched points from where the calibration in force puts them."""

    calibration: str
    status: Status
    off_mm: float | None
    worst_mm: float | None
    each_mm: tuple[float, ...]


def compare_touched_points(workspace: Workspace, points: Path, *, robot: str, sensor: str, at: str = "") -> Touched:
    """Test a calibration by touch: compare points the camera saw with where the tool tip touched them.

    Arguments:
        points: CSV with camera_x camera_y camera_z and base_x base_y base_z in metres, and base_from_gripper_x … _qw
            (where the gripper was when the picture was taken) for a camera on the wrist
        robot: the robot to which the camera belongs
        sensor: the camera's stream, such as camera/wrist
        at: time of the touch, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
    """
    moment = parse_time_ns(at)
    held = require_calibration(workspace, robot, sensor, workspace.clock() if moment is None else moment)
    given = read_touched_points(points)
    touched = room.compare_commanded_points(
        held, given.seen, given.touched, workspace.protocol(), base_from_mount=_read_mount_poses(held, given.mount)
    )
    return Touched(held.id, touched.status, touched.off_mm, touched.worst_mm, touched.each_mm)


def _read_mount_poses(held: Calibration, written: WrittenPoses | None) -> Floats | None:
    if held.parent == BASE:
        return None
    if written is None:
        raise BadInput(f"{held.sensor} sits on the {held.parent}: each point needs {MOUNT}_x … {MOUNT}_qw too.")
    return convert_to_matrices(written, choose_reading(written))

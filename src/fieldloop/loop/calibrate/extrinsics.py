"""Extrinsic calibration: a camera's pose from points it sees that are known in the base frame."""

import csv
from collections.abc import Iterator
from pathlib import Path

from fieldloop.calibrate import fit_extrinsic
from fieldloop.calibrate.explained import add_explanation
from fieldloop.errors import BadInput
from fieldloop.loop.calibrate.attach import parse_time_ns, require_known_sensor
from fieldloop.loop.workspace import Workspace
from fieldloop.model.calibration import Calibration
from fieldloop.model.event import CalibrationAttached
from fieldloop.text_files import open_text

COLUMNS = ("camera_x", "camera_y", "camera_z", "base_x", "base_y", "base_z")


def calibrate_camera_pose(
    workspace: Workspace, points: Path, *, robot: str, sensor: str, since: str = ""
) -> Calibration:
    """Find a camera's pose from marker points, and store it with the time from which it is valid.

    Arguments:
        points: CSV with camera_x, camera_y, camera_z, base_x, base_y, base_z in metres, one row per marker
        robot: the robot to which the camera belongs
        sensor: the camera's stream, such as camera/overhead
        since: start of validity, as ISO-8601 such as 2026-11-15T08:00:00Z (default: now)
    """
    require_known_sensor(workspace, robot, sensor)
    rows = list(_read_point_rows(points))
    return fit_and_store_camera_pose(
        workspace,
        [r[:3] for r in rows],
        [r[3:] for r in rows],
        robot=robot,
        sensor=sensor,
        since_ns=parse_time_ns(since),
    )


def fit_and_store_camera_pose(
    workspace: Workspace,
    points_camera: object,
    points_base: object,
    *,
    robot: str,
    sensor: str,
    parent: str = "base",
    since_ns: int | None = None,
) -> Calibration:
    """Fit a camera's pose and store it; one that misses the protocol's limits is stored as failed."""
    fitted = fit_extrinsic(
        points_camera,  # type: ignore[arg-type]  # anything NumPy can read as points
        points_base,  # type: ignore[arg-type]
        workspace.protocol(),
        calibration_id=workspace.ids.new("calibration"),
        robot=robot,
        sensor=sensor,
        valid_from_ns=workspace.clock() if since_ns is None else since_ns,
        parent=parent,
    )
    judged = add_explanation(fitted, workspace.protocol())
    workspace.write(CalibrationAttached(judged))
    return judged


def list_calibrations(workspace: Workspace, *, robot: str = "") -> tuple[Calibration, ...]:
    """List calibrations with their validity, newest first.

    Arguments:
        robot: only sensors of this robot
    """
    return tuple(workspace.store.find(Calibration, {"robot": robot} if robot else {}, newest=True))


def _read_point_rows(path: Path) -> Iterator[list[float]]:
    with open_text(path) as file:
        table = csv.DictReader(file)
        if missing := [c for c in COLUMNS if c not in (table.fieldnames or ())]:
            raise BadInput(f"{path.name} has no column {', '.join(missing)}. It needs {', '.join(COLUMNS)}, in metres.")
        for number, row in enumerate(table, 2):
            try:
                yield [float(row[column]) for column in COLUMNS]
            except (TypeError, ValueError) as wrong:
                raise BadInput(f"{path.name}, line {number}: {wrong}. Points are numbers in metres.") from wrong

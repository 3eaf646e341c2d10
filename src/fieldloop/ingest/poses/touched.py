"""Touched points from a CSV file: as the camera saw them, and where the tool tip was."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.poses.csv_poses import SHIFT, read_csv_columns, read_poses_by_prefix
from fieldloop.ingest.poses.files import read_single_text
from fieldloop.ingest.poses.marker_views import MOUNT
from fieldloop.model.written_poses import WrittenPoses


@dataclass(frozen=True, slots=True, eq=False)
class TouchedPoints:
    """n × 3 points in the camera's and in the base frame (m), and where the gripper was, if the file says."""

    seen: NDArray[np.float64]
    touched: NDArray[np.float64]
    mount: WrittenPoses | None


def read_touched_points(path: Path) -> TouchedPoints:
    """Read camera_x … base_z, and base_from_gripper_x … _qw where they are there."""
    name, text = read_single_text(path)
    values, _ = read_csv_columns(name, text)
    columns = [f"{frame}_{axis}" for frame in ("camera", "base") for axis in SHIFT]
    if missing := [column for column in columns if column not in values]:
        raise BadInput(f"{name} has no column {', '.join(missing)}. It needs {', '.join(columns)}, in metres.")
    points = np.stack([values[column] for column in columns], axis=-1)
    has_mount = f"{MOUNT}_x" in values
    return TouchedPoints(
        points[:, :3], points[:, 3:], read_poses_by_prefix(name, text, {MOUNT})[MOUNT] if has_mount else None
    )

"""Wrenches at rest from a file: how the wrist was turned, and what the sensor felt."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.poses.csv_poses import ROTATIONS, WRENCH, read_csv_columns
from fieldloop.ingest.poses.files import read_single_text
from fieldloop.ingest.poses.json_poses import parse_number_array, read_json_rows, read_poses_under_key
from fieldloop.model.written_poses import Side, WrittenPoses

KEY = "base_from_wrist"
EXAMPLE = '{"poses": [{"base_from_wrist": [[…4×4…]], "wrench": [fx, fy, fz, tx, ty, tz]}]}'


@dataclass(frozen=True, slots=True, eq=False)
class Wrenches:
    """Orientations as they are written, and n × 6 forces (N) and torques (Nm) in the sensor's frame."""

    wrist: WrittenPoses
    wrench: NDArray[np.float64]


def read_wrenches(path: Path) -> Wrenches:
    """Read a CSV with qx … qw (or rx ry rz, or roll pitch yaw) and fx … tz, or JSON."""
    name, text = read_single_text(path)
    if text.lstrip()[:1] in "{[":
        head, rows = read_json_rows(name, text, "poses", EXAMPLE)
        felt = [
            parse_number_array(f"{name}, pose {n}, wrench", row.get("wrench"), (6,)) for n, row in enumerate(rows, 1)
        ]
        return Wrenches(read_poses_under_key(name, KEY, rows, head, Side.ROBOT), np.array(felt))
    values, names = read_csv_columns(name, text)
    if missing := [column for column in WRENCH if column not in values]:
        raise BadInput(f"{name} has no column {', '.join(missing)}: it needs {', '.join(WRENCH)} and a rotation.")
    axes, rotation, degrees = _choose_rotation_columns(name, set(values))
    turned = np.stack([values[axis] for axis in axes], axis=-1)
    written = f"{rotation}-deg" if degrees else rotation
    wrist = WrittenPoses(Side.ROBOT, np.zeros((len(names), 3)), turned, names, written)
    return Wrenches(wrist, np.stack([values[column] for column in WRENCH], axis=-1))


def _choose_rotation_columns(file_name: str, columns: set[str]) -> tuple[tuple[str, ...], str, bool]:
    for axes, rotation in ROTATIONS:
        for suffix in ("", "_deg", "_rad"):
            asked = tuple(f"{axis}{suffix}" for axis in axes)
            if set(asked) <= columns:
                return asked, rotation, suffix == "_deg" and bool(rotation)
    raise BadInput(f"{file_name} has no rotation of the wrist: add columns qx, qy, qz, qw, or roll, pitch, yaw.")

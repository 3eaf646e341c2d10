"""Poses from CSV: named columns such as robot_x … target_qw, or eight bare ones (stamp, x y z, qx qy qz qw)."""

import csv
import re
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.written_poses import Side, WrittenPoses

PREFIXES = {
    "robot": (Side.ROBOT, None),
    "gripper": (Side.ROBOT, None),
    "base_from_gripper": (Side.ROBOT, False),
    "gripper_from_base": (Side.ROBOT, True),
    "target": (Side.TARGET, None),
    "marker": (Side.TARGET, None),
    "camera_from_target": (Side.TARGET, False),
    "target_from_camera": (Side.TARGET, True),
}
SHIFT = ("x", "y", "z")
ROTATIONS = (
    (("qx", "qy", "qz", "qw"), "quaternion-xyzw"),
    (("roll", "pitch", "yaw"), "rpy-xyz"),
    (("rx", "ry", "rz"), ""),
)
"""Columns named rx ry rz may be a rotation vector or angles: the file does not say which."""
STAMPS = ("stamp", "time", "timestamp", "t")
WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")
BARE = ("stamp", *SHIFT, "qx", "qy", "qz", "qw")
COLUMN = re.compile(
    r"(?:(?P<prefix>[a-z_]+?)_)?(?P<axis>q[xyzw]|r[xyz]|[xyz]|roll|pitch|yaw)(?:_(?P<unit>mm|cm|m|deg|rad))?"
)
HINT = "Name the columns robot_x robot_y robot_z robot_qx robot_qy robot_qz robot_qw target_x … target_qw."


def read_csv_poses(file_name: str, text: str) -> tuple[WrittenPoses, ...]:
    """Read the sides that a CSV file has; unnamed columns are assumed to be the robot's."""
    by_prefix = read_poses_by_prefix(file_name, text, {"", *PREFIXES})
    sides = tuple(
        replace(by_prefix[p], side=PREFIXES[p][0], inverse=PREFIXES[p][1]) for p in PREFIXES if p in by_prefix
    )
    if not sides and "" in by_prefix:
        return (by_prefix[""],)
    if not sides:
        raise BadInput(f"{file_name} has no columns of a pose. {HINT}")
    return sides


def read_poses_by_prefix(file_name: str, text: str, wanted_prefixes: Collection[str]) -> dict[str, WrittenPoses]:
    """Read the wanted poses that the columns of a CSV file spell, by what stands before x, y, z."""
    values, names = read_csv_columns(file_name, text)
    stamps = next((values[column] for column in STAMPS if column in values), None)
    by_prefix: dict[str, dict[str, tuple[str, str]]] = {}
    for column in values:
        if match := COLUMN.fullmatch(column):
            parts = by_prefix.setdefault(match["prefix"] or "", {})
            parts[match["axis"]] = (column, match["unit"] or "")
    return {
        prefix: _assemble_poses(file_name, prefix, parts, values, names, stamps)
        for prefix, parts in by_prefix.items()
        if prefix in wanted_prefixes and set(SHIFT) <= set(parts)
    }


def read_csv_columns(file_name: str, text: str) -> tuple[dict[str, NDArray[np.float64]], tuple[str, ...]]:
    """Read the columns of numbers, and a name for each row; eight bare columns are stamp, shift and quaternion."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if any(map(str.strip, row))]
    head = [cell.lower().lstrip("# ") for cell in rows[0]]
    bare = _is_number(head[0]) and all(map(_is_number, head))
    if bare and len(head) != len(BARE):
        raise BadInput(
            f"{file_name} has {len(head)} unnamed columns; without names it must be {', '.join(BARE)}. {HINT}"
        )
    columns, body = (list(BARE), rows) if bare else (head, rows[1:])
    if not body:
        raise BadInput(f"{file_name} has no rows.")
    first = 1 if bare else 2
    return _parse_number_columns(file_name, columns, body, first), tuple(f"line {first + n}" for n in range(len(body)))


def _assemble_poses(
    file_name: str,
    prefix: str,
    columns_by_part: dict[str, tuple[str, str]],
    values: dict[str, NDArray[np.float64]],
    row_names: tuple[str, ...],
    stamps: NDArray[np.float64] | None,
) -> WrittenPoses:
    axes, rotation = next(((a, r) for a, r in ROTATIONS if set(a) <= set(columns_by_part)), ((), ""))
    if not axes:
        raise BadInput(f"{file_name}: {prefix or 'the pose'} has x, y and z, but no rotation. {HINT}")
    units = {columns_by_part[axis][1] for axis in SHIFT}
    angle_units = {columns_by_part[axis][1] for axis in axes}
    if len(units) > 1 or len(angle_units) > 1:
        raise BadInput(f"{file_name}: the columns of {prefix or 'one pose'} are named in several units.")
    if rotation and angle_units == {"deg"}:
        rotation += "-deg"
    return WrittenPoses(
        side=Side.ROBOT,
        shifts=np.stack([values[columns_by_part[axis][0]] for axis in SHIFT], axis=-1),
        rotations=np.stack([values[columns_by_part[axis][0]] for axis in axes], axis=-1),
        names=row_names,
        rotation="" if set(values) == set(BARE) else rotation,
        unit=units.pop(),
        stamps_s=stamps,
    )


def _parse_number_columns(
    file_name: str, columns: list[str], body_rows: list[list[str]], first_line: int
) -> dict[str, NDArray[np.float64]]:
    numeric = [n for n, c in enumerate(columns) if c in STAMPS or c in WRENCH or COLUMN.fullmatch(c)]
    rows = []
    for line, row in enumerate(body_rows, first_line):
        if len(row) != len(columns):
            raise BadInput(f"{file_name}, line {line}: {len(row)} cells, but {len(columns)} columns.")
        try:
            rows.append([float(row[n]) if row[n] else np.nan for n in numeric])
        except ValueError as wrong:
            raise BadInput(f"{file_name}, line {line}: {wrong}. Poses are numbers.") from wrong
    table = np.array(rows, dtype=float).reshape(len(body_rows), len(numeric))
    return {columns[n]: table[:, place] for place, n in enumerate(numeric)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

"""Poses from JSON: `{"poses": [{"base_from_gripper": …, "camera_from_target": …}, …]}`, as matrices or as parts."""

import json
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.written_poses import Side, WrittenPoses

KEYS = {
    "base_from_gripper": (Side.ROBOT, False),
    "gripper_from_base": (Side.ROBOT, True),
    "camera_from_target": (Side.TARGET, False),
    "target_from_camera": (Side.TARGET, True),
}
ROTATION_KEYS = {
    "quaternion_xyzw": "quaternion-xyzw",
    "quaternion_wxyz": "quaternion-wxyz",
    "rotation_vector": "rotation-vector",
    "rpy": "rpy-xyz",
    "matrix": "matrix",
    "rotation": "",
}
SHAPES = {(3,), (4,), (3, 3)}
EXAMPLE = '{"poses": [{"base_from_gripper": [[…4×4…]], "camera_from_target": {"translation": […], "rotation": […]}}]}'


def read_json_poses(file_name: str, text: str) -> tuple[WrittenPoses, ...]:
    """Read the sides that every row of a JSON file has."""
    head, rows = read_json_rows(file_name, text, "poses", EXAMPLE)
    keys = [key for key in KEYS if key in rows[0]]
    if not keys:
        raise BadInput(f"{file_name}: the first pose has none of {', '.join(KEYS)}. Write {EXAMPLE}")
    return tuple(read_poses_under_key(file_name, key, rows, head, KEYS[key][0], inverse=KEYS[key][1]) for key in keys)


def read_json_picture_size(file_name: str, text: str, key: str) -> tuple[int, int] | None:
    """Return a picture size that stands beside the poses, such as `"image_size": [640, 480]`; None where none does."""
    head, _ = read_json_rows(file_name, text, "poses", EXAMPLE)
    if key not in head:
        return None
    wide, high = parse_number_array(f"{file_name}, {key}", head[key], (2,))
    if not np.isfinite([wide, high]).all():
        raise BadInput(f"{file_name}, {key} must be width and height in pixels.")
    return int(wide), int(high)


def read_json_rows(file_name: str, text: str, key: str, example: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what stands around the list and the list of objects itself."""
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise BadInput(f"{file_name} is not valid JSON: {wrong}.") from wrong
    rows = raw.get(key) if isinstance(raw, dict) else raw
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{file_name} holds no list of {key}. Write {example}")
    return (raw if isinstance(raw, dict) else {}), rows


def read_poses_under_key(
    file_name: str,
    key: str,
    rows: list[dict[str, Any]],
    shared_fields: dict[str, Any],
    side: Side,
    *,
    inverse: bool | None = None,
) -> WrittenPoses:
    """Read the pose that every row has under one key."""
    shifts, turns, forms = [], [], set()
    for number, row in enumerate(rows, 1):
        where = f"{file_name}, pose {number}, {key}"
        if key not in row:
            raise BadInput(f"{where} is missing.")
        shift, turn, rotation = _parse_pose(where, row[key])
        shifts.append(shift)
        turns.append(turn)
        forms.add((rotation, turn.shape))
    if len(forms) > 1:
        raise BadInput(
            f"{file_name}: {key} is written in several ways ({len(forms)}); write all poses of a file in the same way."
        )
    stamps = [row.get("stamp") for row in rows]
    return WrittenPoses(
        side=side,
        shifts=np.array(shifts),
        rotations=np.array(turns),
        names=tuple(str(row.get("name", number)) for number, row in enumerate(rows, 1)),
        rotation=forms.pop()[0] or str(shared_fields.get("rotation", "")),
        unit=str(shared_fields.get("units", "")),
        inverse=inverse,
        stamps_s=None if None in stamps else parse_number_array(f"{file_name}, stamp", stamps, (len(rows),)),
    )


def _parse_pose(location: str, value: Any) -> tuple[Any, Any, str]:
    if isinstance(value, dict):
        known = [key for key in ROTATION_KEYS if key in value]
        if "translation" not in value or len(known) != 1:
            raise BadInput(f"{location} needs `translation` and one of {', '.join(ROTATION_KEYS)}.")
        turn = parse_number_array(location, value[known[0]], None)
        if turn.shape not in SHAPES:
            raise BadInput(f"{location}: a rotation has 3, 4 or 3×3 numbers, not {turn.shape}.")
        return parse_number_array(location, value["translation"], (3,)), turn, ROTATION_KEYS[known[0]]
    matrix = parse_number_array(location, value, (4, 4))
    if not np.allclose(matrix[3], [0, 0, 0, 1], atol=1e-6):
        raise BadInput(
            f"{location}: the last row of a pose must be 0 0 0 1. If 0 0 0 1 is the last column, transpose the matrix."
        )
    return matrix[:3, 3], matrix[:3, :3], "matrix"


def parse_number_array(location: str, value: Any, shape: tuple[int, ...] | None) -> Any:
    """Turn nested lists into an array of one shape, or say which cell is none."""
    try:
        # null stands for a number that was not known: the pose is rejected later, with its reason
        array = np.array(value, dtype=object)
        array = np.where(array == None, np.nan, array).astype(float)  # noqa: E711  elementwise
    except (TypeError, ValueError) as wrong:
        raise BadInput(f"{location} is not made of numbers: {wrong}.") from wrong
    if shape is not None and array.shape != shape:
        raise BadInput(f"{location} must be {'×'.join(map(str, shape))} numbers, not {array.shape}.")
    return array

"""Which numbers of a message make up which stream, by the type of the message."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.decoded import Collector, Group, exceeds_float64
from fieldloop.ingest.messages.ros_types import ARRAYS, JOINT_STATE, TRANSFORMS
from fieldloop.ingest.messages.stream_types import POSE_COLUMNS, STREAM_TYPES

JOINT_FIELDS = (("", "position"), ("velocity", "velocity"), ("effort", "effort"))
AXES = ("x", "y", "z", "w")
Words = Mapping[str, Sequence[str]]
Names = tuple[str, ...]


class Shape(NamedTuple):
    """One group: which of the numbers (None: all), and where its own stamp and frame are if it has them.

    `left_out` are parts of the message that belong to no group.
    """

    group: Group
    picks: NDArray[np.intp] | None = None
    stamp: str = ""
    frame_id: str = ""
    left_out: frozenset[str] = frozenset()


def find_number_groups(type_: str, names: Names, texts: Words) -> list[Shape]:
    """Return the groups that numbers of these names make up; ValueError where names and numbers do not fit."""
    if type_ == JOINT_STATE:
        return _group_joint_numbers(names, tuple(texts.get("name", ())))
    if type_ in TRANSFORMS:
        return _group_transform_numbers(names, texts)
    return _group_other_numbers(type_, names)


def collect_message_numbers(
    type_: str, named_numbers: Sequence[tuple[str, float]], texts: Words, message_index: int, collector: Collector
) -> None:
    """Put the numbers of one message into their groups; ValueError or OverflowError where that cannot be done."""
    shapes = find_number_groups(type_, tuple(name for name, _ in named_numbers), texts)
    numbers = [float(value) for _, value in named_numbers]
    large = [i for i, (_, value) in enumerate(named_numbers) if exceeds_float64(value)]
    for shape in shapes:
        collector.decoded.left_out |= shape.left_out
        collector.add_row(
            shape.group, message_index, numbers if shape.picks is None else [numbers[i] for i in shape.picks]
        )
        if large and (shape.picks is None or not set(large).isdisjoint(shape.picks.tolist())):
            collector.note_rounding(shape.group)


def _group_joint_numbers(names: Names, joints: Names) -> list[Shape]:
    shapes = []
    for suffix, field in JOINT_FIELDS:
        picks = [i for i, name in enumerate(names) if name.startswith(f"{field}[")]
        if picks and joints and len(picks) != len(joints):
            raise ValueError(f"{len(joints)} names, but {len(picks)} values of {field}")
        if picks:
            shapes.append(Shape((suffix, joints or tuple(names[i] for i in picks)), np.asarray(picks)))
    return shapes


def _group_transform_numbers(names: Names, texts: Words) -> list[Shape]:
    """One group a child frame; a message that speaks of one twice is not to be read as a table."""
    width, shapes = len(POSE_COLUMNS), []
    count = len(names) // width
    for index in range(count):
        path = f"transforms[{index}]"
        if not names[index * width].startswith(f"{path}.transform.translation."):
            raise ValueError("its transforms are not laid out as translation and rotation")
        child, parent = texts[f"{path}.child_frame_id"][0].strip("/"), texts[f"{path}.header.frame_id"][0].strip("/")
        picks = np.arange(index * width, (index + 1) * width)
        shapes.append(Shape((child or "unnamed", POSE_COLUMNS), picks, f"{path}.header.stamp", parent))
    if len({shape.group for shape in shapes}) != len(names) / width:
        raise ValueError("a frame is stated twice")
    return shapes


@lru_cache(maxsize=1024)
def _group_other_numbers(type_: str, names: Names) -> list[Shape]:
    if not names:
        return []
    if type_ in ARRAYS:
        picks = [i for i, name in enumerate(names) if name.startswith("data[")]
        columns = tuple(names[i].removeprefix("data") for i in picks)
        return [Shape(("", columns), np.asarray(picks, np.intp))] if picks else []
    wanted = STREAM_TYPES[type_].columns if type_ in STREAM_TYPES else {}
    if wanted and wanted.keys() <= set(names):
        picked = np.asarray([names.index(name) for name in wanted])
        left_out = frozenset(_find_containing_field(name) for name in names if name not in wanted)
        return [Shape(("", tuple(wanted.values())), picked, left_out=left_out)]
    return [Shape(("", names))]


def _find_containing_field(name: str) -> str:
    """Return the vector or array that a number belongs to, else the number itself.

    >>> (_find_containing_field("pose.covariance[3]"),
    ...  _find_containing_field("orientation.w"), _find_containing_field("quality"))
    ('pose.covariance', 'orientation', 'quality')
    """
    whole, _, axis = name.partition("[")[0].rpartition(".")
    return whole if axis in AXES else name.partition("[")[0]

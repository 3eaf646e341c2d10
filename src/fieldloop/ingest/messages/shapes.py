"""Which numbers of a message make up which stream, by the type of the message."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.decoded import Group
from fieldloop.ingest.messages.ros_types import ARRAYS, JOINT_STATE
from fieldloop.ingest.messages.stream_types import STREAM_TYPES

Picks = NDArray[np.intp] | None
"""Which of the numbers; None: all of them."""

JOINT_FIELDS = (("", "position"), ("velocity", "velocity"), ("effort", "effort"))


def shapes_of(type_: str, names: tuple[str, ...], words: Mapping[str, Sequence[str]]) -> list[tuple[Group, Picks]]:
    """Return the groups that numbers of these names make up; ValueError where names and numbers do not fit."""
    if type_ == JOINT_STATE:
        return _joints(names, tuple(words.get("name", ())))
    return _shapes(type_, names)


def _joints(names: tuple[str, ...], joints: tuple[str, ...]) -> list[tuple[Group, Picks]]:
    shapes: list[tuple[Group, Picks]] = []
    for suffix, field in JOINT_FIELDS:
        picks = [i for i, name in enumerate(names) if name.startswith(f"{field}[")]
        if picks and joints and len(picks) != len(joints):
            raise ValueError(f"{len(joints)} names, but {len(picks)} values of {field}")
        if picks:
            columns = joints or tuple(names[i] for i in picks)
            shapes.append(((suffix, columns), np.asarray(picks)))
    return shapes


@lru_cache(maxsize=1024)
def _shapes(type_: str, names: tuple[str, ...]) -> list[tuple[Group, Picks]]:
    if not names:
        return []
    if type_ in ARRAYS:
        picks = [i for i, name in enumerate(names) if name.startswith("data[")]
        return (
            [(("", tuple(names[i].removeprefix("data") for i in picks)), np.asarray(picks, np.intp))] if picks else []
        )
    wanted = STREAM_TYPES[type_].columns if type_ in STREAM_TYPES else {}
    if wanted and wanted.keys() <= set(names):
        return [(("", tuple(wanted.values())), np.asarray([names.index(name) for name in wanted]))]
    return [(("", names), None)]

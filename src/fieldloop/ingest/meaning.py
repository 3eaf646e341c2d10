"""Which numbers of a table nothing gives a meaning: their stream is noted as not understood, so it cannot pass."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.words import infer_kind_from_name, split_into_words
from fieldloop.model.provenance import ASSUMPTION_NOTES, METADATA_NOTES, StreamFact
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD, UNIT_NOTE

BOOKKEEPING = {
    "reward", "rewards", "return", "returns", "discount", "discounts", "done", "dones", "terminal", "terminals",
    "terminated", "termination", "terminations", "truncated", "truncation", "truncations", "timeout", "timeouts",
    "success", "succeeded", "intervention", "index", "indices", "step", "steps", "mask", "masks", "pad", "padding",
    "timestamp", "timestamps", "stamp", "stamps", "time", "language", "instruction", "task", "subtask", "embedding",
    "annotation", "episode", "frame", "seed", "id", "is", "phase", "label", "labels",
}  # fmt: skip
"""Words of numbers about the episode itself, which describe neither the robot nor what it senses."""

DERIVED = {"cos", "sin", "lin", "ang"}
"""Words of numbers that are computed from a known quantity, or are a part of one."""

NAMELESS = {
    "", "dim", "dims", "state", "states", "value", "values", "feature", "features", "obs", "observation", "col",
    "column", "columns", "element", "axis", "component", "data", "x", "s", "c", "f", "d", "a", "action",
}  # fmt: skip
"""What is left of column names that only count."""

STATED_NOTES = (METADATA_NOTES[StreamFact.MEANING], "description")
RESTING = (StreamKind.JOINT_POSITION, StreamKind.POSE, StreamKind.HAND_POSE)
UNKNOWN_NAME = "neither its name nor the dataset says what its numbers mean"
NEVER_SET = "all its numbers are zero or missing, so its recorder may never set them"


def add_meaning_note(
    path: str, kind: StreamKind, unit: str, columns: Sequence[str], values: NDArray[Any], notes: dict[str, str]
) -> dict[str, str]:
    """Return the notes with one more where nothing states what a stream's numbers mean, or none was ever set.

    A unit, named columns or a description state it; so do the words of the name. A truth value is a mark, not a
    measurement.
    """
    if kind in RESTING and is_never_set(values):
        return {**notes, NOT_UNDERSTOOD: NEVER_SET}
    assumed = notes.get(ASSUMPTION_NOTES[StreamFact.MEANING], "")
    if (
        any(key in notes for key in STATED_NOTES)
        or (unit and UNIT_NOTE not in notes)
        or are_column_names_informative(columns)
    ):
        return notes
    if assumed and kind is not StreamKind.ACTION:
        return {NOT_UNDERSTOOD: assumed, **notes}
    if kind is not StreamKind.OTHER or values.dtype.kind == "b" or does_name_state_content(path):
        return notes
    return {NOT_UNDERSTOOD: UNKNOWN_NAME, **notes}


def does_name_state_content(path: str) -> bool:
    """Does the name of an array without a kind say what it holds: bookkeeping, or a part of a known quantity?

    >>> [does_name_state_content(n) for n in ("next.reward", "robot0_joint_pos_cos", "thrust", "target_pos")]
    [True, True, False, False]
    """
    words = split_into_words(path.rpartition("/")[2])
    return bool(words & BOOKKEEPING) or bool(words & DERIVED and infer_kind_from_name(path) is not StreamKind.OTHER)


def are_column_names_informative(columns: Sequence[str]) -> bool:
    """Do the column names do more than count?

    >>> [are_column_names_informative(names) for names in (["goal_x", "goal_y"], ["state_0", "state_1"], [])]
    [True, False, False]
    """
    return any(re.sub(r"[^a-z]", "", name.lower()) not in NAMELESS for name in columns)


def is_never_set(values: NDArray[Any]) -> bool:
    """Is every number zero or missing? Publishers leave fields that they do not measure at zero or NaN.

    >>> is_never_set(np.zeros((3, 2))), is_never_set(np.full((3, 1), np.nan)), is_never_set(np.ones((3, 2)))
    (True, True, False)
    """
    return bool(len(values)) and values.dtype.kind in "fiub" and not np.nan_to_num(values, nan=0.0).any()

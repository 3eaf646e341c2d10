"""Attributes and short texts of a file become facts of its episode, by the names in common use."""

import re
from typing import Any

from fieldloop.ingest.readers.hdf5.draft import text_of
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS
from fieldloop.ingest.readers.hdf5.tree import LONGEST_TEXT, Folder, Leaf, plain

FIELDS = {
    "task_name": "task", "task_description": "task", "language_instruction": "task", "instruction": "task",
    "natural_language_instruction": "task", "language": "task", "env_name": "task", "env_id": "task",
    "robot_type": "robot", "robot_name": "robot", "operator_id": "operator", "operator_name": "operator",
    "sim": "simulated", "success": "succeeded", "is_success": "succeeded",
}  # fmt: skip
"""What others call it → what an Episode calls it."""

TRUTHS = {"1": "true", "0": "false", "1.0": "true", "0.0": "false"}
RATES = ("control_freq", "fps", "hz", "frequency", "freq", "rate", "sample_rate")
FASTEST_HZ = 1e6
MOST_TEXTS, FEW = 100_000, 8


def facts_of(folder: Folder) -> dict[str, str]:
    """Gather what a group says about itself: its attributes, and arrays that hold one short text."""
    said = {key: _text(value) for key, value in folder.attributes().items()}
    said |= {name: text for name, leaf in folder.leaves.items() if (text := one_text(leaf)) is not None}
    facts: dict[str, str] = {}
    for key, text in said.items():
        field = FIELDS.get(key, key)
        if text and len(text) <= LONGEST_TEXT:
            facts.setdefault(field, TRUTHS.get(text, text.lower()) if field in ("simulated", "succeeded") else text)
    return facts


def one_text(leaf: Leaf) -> str | None:
    """Return the text of an array that is one text; None where it is anything else."""
    told = few_texts(leaf) if leaf.data.size == 1 else None
    return told or None


def few_texts(leaf: Leaf) -> str | None:
    """Return the different texts of an array that says few things over and over; None where it is anything else."""
    if not leaf.is_text or len(leaf.shape) > 1 or leaf.data.size > MOST_TEXTS:
        return None
    try:
        told = dict.fromkeys(str(plain(leaf.row(i).rstrip(b"\x00"))) for i in range(leaf.data.size))
    except HDF5_ERRORS:
        return None
    text = " | ".join(told)
    return text if len(told) <= FEW and len(text) <= LONGEST_TEXT and "\ufffd" not in text else None


def rate_of(facts: dict[str, str]) -> float | None:
    """Return a stated rate, None where none is stated that could be one."""
    for key in RATES:
        try:
            hz = float(facts.get(key, ""))
        except ValueError:
            continue
        if 0 < hz < FASTEST_HZ:
            return hz
    return None


def number_of(name: str) -> int | None:
    """Return the number a name ends in.

    >>> number_of("episode_12"), number_of("0003"), number_of("obs")
    (12, 3, None)
    """
    found = re.fullmatch(r"(?:.*[^0-9])?([0-9]{1,15})", name)
    return int(found[1]) if found else None


def _text(value: Any) -> str:
    return "" if value is None else text_of(value)

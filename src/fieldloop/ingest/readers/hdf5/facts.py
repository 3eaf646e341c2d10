"""Attributes and texts of a file become facts of its episode, under the names they have there."""

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.draft import format_attribute
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, convert_to_plain_value
from fieldloop.model.episode_text import ALIASES, FIELDS

KNOWN = {*FIELDS, *(name for names in ALIASES.values() for name in names)}
"""Names under which a text is an Episode's field, ours and common others."""

MOST_TEXTS, FEW = 100_000, 8
MOST_FACT_NUMBERS = 32


def collect_group_facts(folder: Folder) -> dict[str, str]:
    """Gather the facts of a group: its attributes, and arrays that hold one text."""
    stated = {key: _decode_text(value) for key, value in folder.read_attributes().items()}
    stated |= {name: text for name, leaf in folder.leaves.items() if (text := read_single_text(leaf)) is not None}
    return {key: text for key, text in stated.items() if text}


def read_single_text(leaf: Leaf) -> str | None:
    """Return the text of an array that is one text; None where it is anything else."""
    texts = read_distinct_texts(leaf) if leaf.data.size == 1 else None
    return texts or None


def read_distinct_texts(leaf: Leaf) -> str | None:
    """Return the distinct texts of an array that repeats a few; None for any other array."""
    if not leaf.is_text or len(leaf.shape) > 1 or leaf.data.size > MOST_TEXTS:
        return None
    try:
        texts = dict.fromkeys(
            str(convert_to_plain_value(leaf.read_row(i).rstrip(b"\x00"))) for i in range(leaf.data.size)
        )
    except HDF5_ERRORS:
        return None
    text = " | ".join(texts)
    return text if len(texts) <= FEW and "\ufffd" not in text else None


def format_numbers_as_fact(values: NDArray[Any]) -> str:
    """Write the first numbers of an array as a fact.

    >>> format_numbers_as_fact(np.asarray([[0.5, 2.0]]))
    '0.5, 2'
    """
    return ", ".join(f"{value:.6g}" for value in values.reshape(-1)[:MOST_FACT_NUMBERS])


def format_small_array(leaf: Leaf) -> str:
    """Write an array without rows as a fact: its few numbers, or only its sides; '' for one that cannot be read."""
    sides = " × ".join(map(str, leaf.shape)) or "one value"
    if leaf.dtype.kind not in "biuf" or not 0 < math.prod(leaf.shape) <= MOST_FACT_NUMBERS:
        return f"{leaf.dtype}: {sides}, not read"
    try:
        return format_numbers_as_fact(np.asarray(leaf.data[()], np.float64))
    except (TypeError, ValueError, *HDF5_ERRORS):
        return ""


def parse_trailing_number(name: str) -> int | None:
    """Return the number a name ends in.

    >>> parse_trailing_number("episode_12"), parse_trailing_number("0003"), parse_trailing_number("obs")
    (12, 3, None)
    """
    match = re.fullmatch(r"(?:.*[^0-9])?([0-9]{1,15})", name)
    return int(match[1]) if match else None


def _decode_text(value: Any) -> str:
    return "" if value is None else format_attribute(value)

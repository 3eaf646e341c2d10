"""Attributes and texts of a file become facts of its episode, under the names they have there."""

import re
from typing import Any

from fieldloop.ingest.readers.hdf5.draft import text_of
from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf, to_plain_value
from fieldloop.model.episode_text import ALIASES, FIELDS

KNOWN = {*FIELDS, *(name for names in ALIASES.values() for name in names)}
"""Names under which a text is an Episode's field, ours and common others."""

MOST_TEXTS, FEW = 100_000, 8
MOST_FACT_NUMBERS = 32


def facts_of(folder: Folder) -> dict[str, str]:
    """Gather the facts of a group: its attributes, and arrays that hold one text."""
    stated = {key: _text(value) for key, value in folder.attributes().items()}
    stated |= {name: text for name, leaf in folder.leaves.items() if (text := one_text(leaf)) is not None}
    return {key: text for key, text in stated.items() if text}


def one_text(leaf: Leaf) -> str | None:
    """Return the text of an array that is one text; None where it is anything else."""
    texts = few_texts(leaf) if leaf.data.size == 1 else None
    return texts or None


def few_texts(leaf: Leaf) -> str | None:
    """Return the distinct texts of an array that repeats a few; None for any other array."""
    if not leaf.is_text or len(leaf.shape) > 1 or leaf.data.size > MOST_TEXTS:
        return None
    try:
        texts = dict.fromkeys(str(to_plain_value(leaf.row(i).rstrip(b"\x00"))) for i in range(leaf.data.size))
    except HDF5_ERRORS:
        return None
    text = " | ".join(texts)
    return text if len(texts) <= FEW and "\ufffd" not in text else None


def trailing_number(name: str) -> int | None:
    """Return the number a name ends in.

    >>> trailing_number("episode_12"), trailing_number("0003"), trailing_number("obs")
    (12, 3, None)
    """
    match = re.fullmatch(r"(?:.*[^0-9])?([0-9]{1,15})", name)
    return int(match[1]) if match else None


def _text(value: Any) -> str:
    return "" if value is None else text_of(value)

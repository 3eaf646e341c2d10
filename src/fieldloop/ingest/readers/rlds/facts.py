"""What a record says of its episode as a whole, as facts: small values as text, large ones by size and hash."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fieldloop.ingest.readers.rlds.columns import Column, typed
from fieldloop.ingest.readers.rlds.example import Kind, Values
from fieldloop.ingest.readers.rlds.own import KEPT
from fieldloop.ingest.readers.rlds.pixels import form_of
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.steps import STEPS
from fieldloop.ingest.readers.rlds.varints import Unparsable

METADATA = "episode_metadata/"
INSTRUCTIONS = {"language_instruction", "natural_language_instruction", "instruction", "task", "task_description"}
TRUTHS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
MOST_LISTED = 1024
MOST_TEXT = 1 << 16


def metadata_facts(features: Mapping[str, Values], leaves: Mapping[str, Leaf]) -> dict[str, str]:
    """Return what lies beside the steps, by path; nothing where the record has no steps of its own."""
    facts: dict[str, str] = {}
    if not any(name.startswith(STEPS) for name in features):
        return facts
    for name, values in features.items():
        path = name.removeprefix(METADATA)
        if name.startswith(STEPS) or path == KEPT:
            continue
        try:
            told = _told(values, leaves.get(name))
        except Unparsable:
            continue
        if told:
            facts[path] = told
    return facts


def word_facts(columns: Iterable[Column]) -> dict[str, str]:
    """Return texts of the steps: the instruction is the task where it stays the same, all else is told by step."""
    facts: dict[str, str] = {}
    for column in columns:
        words = column.words
        if not words or not any(words):
            continue
        same = len(set(words)) == 1
        if same and "task" not in facts and column.path.rpartition("/")[2] in INSTRUCTIONS:
            facts["task"] = words[0]
            continue
        changes = [[i, word] for i, word in enumerate(words) if i == 0 or word != words[i - 1]]
        facts[f"steps.{column.path}"] = words[0] if same else json.dumps(changes, ensure_ascii=False)
    return facts


def _told(values: Values, leaf: Leaf | None) -> str:
    if values.kind is Kind.BYTES:
        return _listed([_text(blob) for blob in values.blobs()], values)
    stored = values.numbers()
    if stored.dtype.kind == "f":  # float32 is what is stored, so its digits are all there are
        return _listed([float(str(number)) for number in stored[: MOST_LISTED + 1]], values)
    return _listed(typed(stored, leaf)[: MOST_LISTED + 1].tolist(), values)


def _listed(items: list[Any], values: Values) -> str:
    if not items:
        return ""
    if len(items) > MOST_LISTED:
        return f"{len(items) - 1} values or more, {_summary(b''.join(map(bytes, values.raw())))}"
    if len(items) > 1:
        return json.dumps(items, ensure_ascii=False)
    return str(items[0]).lower() if isinstance(items[0], bool | np.bool_) else str(items[0])


def _text(blob: bytes) -> str:
    if form := form_of(blob):
        return f"image/{form.split('; ')[-1]}, {_summary(blob)}"
    try:
        return blob.decode() if len(blob) <= MOST_TEXT else f"text, {_summary(blob)}"
    except UnicodeDecodeError:
        return f"application/octet-stream, {_summary(blob)}"


def _summary(blob: bytes) -> str:
    return f"{len(blob)} bytes, sha256 {hashlib.sha256(blob).hexdigest()}"

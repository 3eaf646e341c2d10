"""Facts of a whole episode from its record: small values as text, large ones by size and hash."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from fieldloop.ingest.readers.rlds.columns import Column, cast_to_declared
from fieldloop.ingest.readers.rlds.example import Kind, Values
from fieldloop.ingest.readers.rlds.own import KEPT
from fieldloop.ingest.readers.rlds.pixels import detect_picture_form
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.steps import STEPS
from fieldloop.ingest.readers.rlds.varints import Unparsable
from fieldloop.model.episode_text import ALIASES

METADATA = "episode_metadata/"
INSTRUCTIONS = {"task", *ALIASES["task"]}
MOST_LISTED = 1024


def collect_metadata_facts(
    features: Mapping[str, Values], leaves: Mapping[str, Leaf], columns: Iterable[Column]
) -> dict[str, str]:
    """Return what lies beside the steps, by path; in a record without steps of its own, single values."""
    has_steps = any(name.startswith(STEPS) for name in features)
    in_steps = {column.path for column in columns}
    facts: dict[str, str] = {}
    for name, values in features.items():
        if (name.startswith(STEPS) if has_steps else name in in_steps) or name == METADATA + KEPT:
            continue
        try:
            count, text = _format_values(values, leaves.get(name))
        except Unparsable:
            continue
        if text and (has_steps or count == 1):
            facts[name.removeprefix(METADATA)] = text
    return facts


def collect_step_text_facts(columns: Iterable[Column]) -> dict[str, str]:
    """Return texts of the steps: the instruction is the task where it stays the same, all else is listed by step."""
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


def _format_values(values: Values, leaf: Leaf | None) -> tuple[int, str]:
    """Return how many values there are, and what they are."""
    if values.kind is Kind.BYTES:
        places = values.locate_blobs()[:MOST_LISTED]
        items: list[Any] = [_decode_text(bytes(values.payload[a:b])) for a, b in places.tolist()]
        count = len(values.locate_blobs())
    else:
        numbers = values.read_numbers()
        count, first = len(numbers), numbers[:MOST_LISTED]
        # float32 is what is stored, so its digits are all there are
        items = [float(str(n)) for n in first] if first.dtype.kind == "f" else cast_to_declared(first, leaf).tolist()
    if count > MOST_LISTED:
        return count, f"{count} values, {_summarise_bytes(b''.join(map(bytes, values.read_raw_bytes())))}"
    if count > 1:
        return count, json.dumps(items, ensure_ascii=False)
    return count, "".join(str(item).lower() if isinstance(item, bool) else str(item) for item in items)


def _decode_text(blob: bytes) -> str:
    if form := detect_picture_form(blob):
        return f"image/{form.split('; ')[-1]}, {_summarise_bytes(blob)}"
    try:
        return blob.decode()
    except UnicodeDecodeError:
        return f"application/octet-stream, {_summarise_bytes(blob)}"


def _summarise_bytes(blob: bytes) -> str:
    return f"{len(blob)} bytes, sha256 {hashlib.sha256(blob).hexdigest()}"

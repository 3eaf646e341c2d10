"""Segments as people, pages and programs write them: JSON with seconds from the episode's start."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import Taxonomy

NUMBERS, OPTIONAL_NUMBERS = ("start_s", "end_s"), ("confidence", "error")
TEXTS = ("label", "object", "verified_by", "blob", "error_unit")
KEYS = (*NUMBERS, *TEXTS, *OPTIONAL_NUMBERS, "values")
MOST_SEGMENTS = 100_000
FARTHEST_S = 1e8
"""Longer than any episode; a number beyond it is a time of day, or was written in another unit."""
EXAMPLE = '[{"label": "grasp", "start_s": 1.2, "end_s": 2.5}]'


@dataclass(frozen=True, slots=True)
class Segment:
    """One label over one span, in seconds from the episode's start; precise to the nanosecond."""

    label: str
    start_s: float
    end_s: float
    object: str = ""
    values: tuple[float, ...] = ()
    blob: str = ""
    confidence: float | None = None
    verified_by: str = ""
    error: float | None = None
    error_unit: str = ""


def make_segment(span: Annotation, start_ns: int) -> Segment:
    """Return an annotation as a segment of an episode that begins at `start_ns`."""
    return Segment(
        span.label, (span.start_ns - start_ns) / NS_PER_S, (span.end_ns - start_ns) / NS_PER_S, span.object,
        span.values, span.blob, span.confidence, span.verified_by, span.error, span.error_unit,
    )  # fmt: skip


def parse_segments(text: str, episode: Episode, kind: str, author: str, taxonomy: Taxonomy) -> tuple[Annotation, ...]:
    """Read a JSON list of segments, ordered by time; whether they fit is judged elsewhere.

    A name that a label includes becomes that label.
    """
    try:
        rows = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as wrong:
        raise BadInput(f"The segments are not valid JSON: {wrong}. Write for example {EXAMPLE}") from wrong
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise BadInput(f"The segments should be a list of objects. Write for example {EXAMPLE}")
    if len(rows) > MOST_SEGMENTS:
        raise BadInput(f"{len(rows)} segments; at most {MOST_SEGMENTS} of one kind can be saved in an episode.")
    spans = [
        _make_annotation(_read_row(row, f"segment {number}"), episode, kind, author, taxonomy)
        for number, row in enumerate(rows, 1)
    ]
    return tuple(sorted(spans, key=lambda span: (span.start_ns, -span.end_ns, span.label, span.object)))


def _make_annotation(read: Segment, episode: Episode, kind: str, author: str, taxonomy: Taxonomy) -> Annotation:
    known = taxonomy.find_label(kind, read.label)
    start_ns, end_ns = (episode.start_ns + round(at * NS_PER_S) for at in (read.start_s, read.end_s))
    return Annotation(
        episode.id, kind, known.name if known else read.label, start_ns, end_ns, author, read.verified_by,
        read.confidence, read.object, read.values, read.blob, read.error, read.error_unit,
    )  # fmt: skip


def _read_row(row: Mapping[str, Any], place: str) -> Segment:
    for key in row:
        if key not in KEYS:
            raise BadInput(f"{place}: {UnknownName('key', str(key), KEYS, ', '.join(KEYS))}")
    texts = {key: _read_text(row, key, place) for key in TEXTS}
    if not texts["label"]:
        raise BadInput(f"{place}: label is missing. Write for example {EXAMPLE}")
    start, end = (_read_number(row.get(key), f"{place}: {key}") for key in NUMBERS)
    optional = {
        key: None if row.get(key) is None else _read_number(row[key], f"{place}: {key}") for key in OPTIONAL_NUMBERS
    }
    values = row.get("values", [])
    if not isinstance(values, list):
        raise BadInput(f"{place}: values should be a list of numbers.")
    numbers = tuple(_read_number(value, f"{place}: values") for value in values)
    return Segment(start_s=start, end_s=end, values=numbers, **texts, **optional)  # type: ignore[arg-type]  # texts and numbers by name


def _read_text(row: Mapping[str, Any], key: str, place: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str) or "\0" in value:
        raise BadInput(f"{place}: {key} = {value!r} should be text.")
    return " ".join(value.split())


def _read_number(value: Any, place: str) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good:
        raise BadInput(f"{place} = {value!r} is not a number.")
    if abs(value) > FARTHEST_S:
        raise BadInput(f"{place} = {value!r} is too large. Times are in seconds from the episode's start.")
    return float(value)

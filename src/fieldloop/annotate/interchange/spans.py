"""Labelled spans as a file states them: in nanoseconds or in frames, each with its place for messages."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from itertools import pairwise

from fieldloop.annotate.agreeing.kind_columns import NESTED, OVERLAPPING
from fieldloop.errors import BadInput
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.note import Note
from fieldloop.model.stream import NS_PER_S

MOST_WRONG = 20
LONGEST_S = 10_000_000
"""About four months: a larger number cannot be a time within an episode, and would not fit in int64 ns with others."""


class Unit(StrEnum):
    """What a file counts time in."""

    NS = "ns"
    FRAMES = "frames"


@dataclass(frozen=True, slots=True)
class Span:
    """One label from `start` to `end` (not included), in the file's unit from the episode's beginning.

    `author` is empty where the file names none; `place` says where in the file it stands.
    """

    episode: str
    label: str
    start: int
    end: int
    author: str = ""
    kind: str = PHASE
    place: str = ""
    edge_case: bool = False
    object: str = ""
    confidence: float | None = None
    verified_by: str = ""
    values: tuple[float, ...] = ()
    blob: str = ""
    error: float | None = None
    error_unit: str = ""


@dataclass(frozen=True, slots=True)
class StatedResult:
    """How an episode ended, as a row of a table states it: `result` is true, false or unknown."""

    episode: str
    author: str
    result: str
    failure: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class FileLabels:
    """All spans of one file, what they are counted in, the file's format, and what was left out or assumed.

    `open_ended` are authors' lists that do not say when the last label ends. Only tables state `results`. `wrong` names
    what could not be used, each with its place.
    """

    name: str
    format: str
    unit: Unit
    spans: tuple[Span, ...]
    remarks: tuple[Note, ...] = ()
    open_ended: bool = False
    fps: float | None = None
    results: tuple[StatedResult, ...] = ()
    wrong: tuple[str, ...] = ()


def parse_seconds(text: str) -> int:
    """Read seconds as whole nanoseconds, exactly.

    >>> parse_seconds("0.1"), parse_seconds(" 12.000000001 ")
    (100000000, 12000000001)
    """
    try:
        number = Decimal(text.strip())
    except InvalidOperation as wrong:
        raise BadInput(f"{text.strip()!r} is not a number of seconds.") from wrong
    if not number.is_finite():
        raise BadInput(f"{text.strip()!r} is not a finite number of seconds.")
    if abs(number) > LONGEST_S:
        raise BadInput(f"{text.strip()} s is longer than any episode. Are the times in milliseconds or frames?")
    return round(number * NS_PER_S)


def parse_frame(value: object) -> int:
    """Read a frame number; fractions and texts are refused."""
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number) or number != round(number) or abs(number) > LONGEST_S * 1000:
        raise BadInput(f"{value!r} is not a frame number.")
    return round(number)


def find_impossible_spans(
    labels: FileLabels, early_s: float = 0.0, overlapping: Collection[str] = (*OVERLAPPING, *NESTED)
) -> FileLabels:
    """Add to what is wrong the reversed, negative and overlapping spans of one author.

    Spans of kinds that may overlap are compared object by object. Times in seconds may be negative by `early_s`.
    """
    first = -early_s * NS_PER_S if labels.unit is Unit.NS else 0
    wrong = [f"{span.place}: {span.label!r} ends before it begins." for span in labels.spans if span.end < span.start]
    wrong += [f"{span.place}: {span.label!r} begins before its episode." for span in labels.spans if span.start < first]
    lines: dict[tuple[str, ...], list[Span]] = {}
    for span in labels.spans:
        track = (span.object or span.label) if span.kind in overlapping else ""
        lines.setdefault((span.episode, span.author, span.kind, track), []).append(span)
    for several in lines.values():
        ordered = sorted(several, key=lambda span: (span.start, span.end))
        wrong += [
            f"{after.place}: {after.label!r} begins before {before.label!r} of {before.place} has ended."
            for before, after in pairwise(ordered)
            if after.start < before.end
        ]
    return replace(labels, wrong=(*labels.wrong, *wrong))


def name_place(problem: str) -> str:
    """Return where in a file a problem stands.

    >>> name_place("line 4: the label is empty.")
    'line 4'
    """
    return problem.partition(": ")[0]


def refuse_wrong_labels(labels: FileLabels, wrong: Sequence[str]) -> None:
    """Refuse a file for everything that is wrong in it; a row counts once, however much of it is wrong."""
    known = {one.place for one in labels.spans}
    more = {one.place for one in labels.results} | {name_place(one) for one in labels.wrong}
    refuse_wrong(labels.name, wrong, len(labels.spans) + len(more - known))


def refuse_wrong(name: str, wrong: Sequence[str], total: int) -> None:
    """Refuse a file with everything that is wrong in it, the first few in words."""
    if not wrong:
        return
    more = f"\n… and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
    listed, rows = "\n".join(wrong[:MOST_WRONG]), len({name_place(one) for one in wrong})
    raise BadInput(f"{name}: {rows} of {total} labels cannot be used. Nothing was read.\n{listed}{more}")


def make_annotations(spans: Iterable[Span], unit_ns: float, begins_ns: int = 0) -> list[Annotation]:
    """Turn spans into annotations; `unit_ns` is how long one unit lasts."""
    return [
        Annotation(
            span.episode, span.kind, span.label,
            begins_ns + round(span.start * unit_ns), begins_ns + round(span.end * unit_ns), span.author,
            verified_by=span.verified_by, confidence=span.confidence, object=span.object, values=span.values,
            blob=span.blob, error=span.error, error_unit=span.error_unit,
        )
        for span in spans
    ]  # fmt: skip

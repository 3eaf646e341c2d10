"""Praat's TextGrid, long and short form: interval tiers; an interval without text is left out."""

import re
from collections.abc import Iterator

from fieldloop.annotate.interchange.elan import Tiers
from fieldloop.annotate.interchange.spans import FileLabels, Span, Unit, parse_seconds
from fieldloop.errors import BadInput
from fieldloop.model.annotation import KINDS
from fieldloop.model.note import note

TOKEN = re.compile(r'"(?:[^"]|"")*"|(?<![\w.\]])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.\]])')
"""Texts and numbers; in the long form, names and indices stand around them."""
INTERVALS, POINTS = "IntervalTier", "TextTier"
HEAD = 'Object class = "TextGrid"'


def is_text_grid(text: str) -> bool:
    """Does a text begin as a TextGrid?"""
    return "TextGrid" in text[:200] and "ooTextFile" in text[:200]


def parse_text_grid(text: str, name: str, tiers: Tiers = Tiers.KIND) -> FileLabels:
    """Read the interval tiers.

    Arguments:
        text: the file
        name: its name, for messages
        tiers: whether a tier is an author or a kind of label
    """
    tokens = _walk_tokens(text, name)
    spans, left_out = [], 0
    try:
        for value, _ in tokens:
            if value == INTERVALS:
                spans += list(_read_intervals(tokens, name, tiers))
            elif value == POINTS:
                left_out += 1
    except StopIteration as wrong:
        raise BadInput(f"{name} ends in the middle of a tier.") from wrong
    if not spans:
        raise BadInput(f"{name} holds no labelled intervals.")
    remarks = (note("agree.point_tiers", file=name, tiers=left_out),) if left_out else ()
    return FileLabels(name, "TextGrid", Unit.NS, tuple(spans), remarks)


def _walk_tokens(text: str, name: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.count('"') % 2:
            raise BadInput(f"{name}, line {number}: a quotation mark is left open.")
        for found in TOKEN.finditer(line):
            yield found[0].strip('"').replace('""', '"') if found[0].startswith('"') else found[0], number


def _read_intervals(tokens: Iterator[tuple[str, int]], name: str, tiers: Tiers) -> Iterator[Span]:
    tier = _take(tokens, name)[0]
    _take(tokens, name), _take(tokens, name)  # from when to when the tier lasts
    count, line = _take(tokens, name)
    if not count.isdecimal():
        raise BadInput(f"{name}, line {line}: {count!r} is not a number of intervals.")
    kind, author = (tier, "") if tiers is Tiers.KIND or tier in KINDS else (KINDS[0], tier)
    for _ in range(int(count)):
        (start, at), (end, _), (label, _) = (_take(tokens, name) for _ in range(3))
        if label.strip():
            try:
                yield Span("", label.strip(), parse_seconds(start), parse_seconds(end), author, kind, f"line {at}")
            except BadInput as wrong:
                raise BadInput(f"{name}, line {at}: {wrong}") from wrong


def _take(tokens: Iterator[tuple[str, int]], name: str) -> tuple[str, int]:
    found = next(tokens, None)
    if found is None:
        raise BadInput(f"{name} ends in the middle of a tier.")
    return found

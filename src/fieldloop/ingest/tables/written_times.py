"""Parse times in users' tables: ISO-8601, seconds or nanoseconds since 1970."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.episode_text import parse_finite_number
from fieldloop.model.stream import NS_PER_S

EPOCH_NS = 10**17
"""A number above this is a time in nanoseconds, below it in seconds: both readings are centuries apart."""
LATEST_YEAR = 2200
LATEST_NS = int(datetime(LATEST_YEAR, 1, 1, tzinfo=UTC).timestamp()) * NS_PER_S
"""An upper bound for plausible times; in 2262 nanoseconds exceed 64 bits."""
YEAR_S = 31_556_952
NS_PER_US = 1_000
OTHER_UNITS = {"milliseconds": 10**6, "microseconds": NS_PER_US}
PLAIN = re.compile(r"(19[7-9]\d|2[01]\d\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d", re.ASCII)
PLAIN_UTC = re.compile(PLAIN.pattern + "Z", re.ASCII)
PLAIN_LENGTH = 19
HOW = "Write 2026-05-04T09:30:00Z, or seconds or nanoseconds since 1970."


def parse_moment_ns(text: str, location: str, zone: str = "UTC") -> int:
    """Return a moment in ns; an empty text is 0, and a time without a zone is in `zone`.

    >>> local = parse_moment_ns("2026-05-04T09:30:00", "line 1", "Europe/Berlin")
    >>> local == parse_moment_ns("2026-05-04T07:30:00Z", "line 1")
    True
    """
    if not text:
        return 0
    if parse_finite_number(text) is not None:
        return _parse_epoch_number(text, location)
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as wrong:
        raise BadInput(f"{location}: at = {text!r} is not a valid time. {HOW}") from wrong
    local = parsed if parsed.tzinfo else parsed.replace(tzinfo=ZoneInfo(zone))
    # in whole numbers: as seconds a float would round to some hundred ns
    since_us = (local - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    return check_moment_ns(since_us * NS_PER_US, f"{location}: at = {text!r}")


def parse_moments_ns(texts: Sequence[str], zone: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Parse many moments; the second array marks those that are not valid times."""
    made, wrong = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=bool)
    if all(map(PLAIN_UTC.fullmatch, texts)) or (zone == "UTC" and all(map(PLAIN.fullmatch, texts))):
        try:
            made[:] = np.array([text[:PLAIN_LENGTH] for text in texts], dtype="datetime64[s]").astype(np.int64)
        except ValueError:
            pass  # one of them is not a day of the calendar: each is parsed alone
        else:
            return made * NS_PER_S, (made < 0) | (made * NS_PER_S >= LATEST_NS)
    for at, text in enumerate(texts):
        try:
            made[at] = parse_moment_ns(text, "", zone)
        except BadInput:
            wrong[at] = True
    return made, wrong


def check_moment_ns(at_ns: Any, label: str) -> int:
    """Return a moment as a whole number of ns; refuse one that no robot can have been at work at."""
    if not isinstance(at_ns, int | float) or isinstance(at_ns, bool):
        raise BadInput(f"{label} is not a valid time. {HOW}")
    if not 0 <= at_ns < LATEST_NS:
        raise BadInput(f"{label} lies before 1970 or after {LATEST_YEAR}. {HOW}")
    return round(at_ns)


def _parse_epoch_number(text: str, location: str) -> int:
    # a whole number keeps its last digits; a spreadsheet may have written 1.76723E+18 for it
    number = int(text) if text.isdecimal() else float(text)
    at_ns = number if number > EPOCH_NS else number * NS_PER_S
    for unit, in_ns in OTHER_UNITS.items():
        if at_ns >= LATEST_NS > number * in_ns:
            year = 1970 + int(number / YEAR_S)
            raise BadInput(f"{location}: at = {text} in seconds is the year {year:,}; it looks like {unit}. {HOW}")
    return check_moment_ns(at_ns, f"{location}: at = {text}")

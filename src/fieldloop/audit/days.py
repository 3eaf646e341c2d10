"""Read dates as exports write them; the order of day and month follows from the data or an option."""

import re
from collections.abc import Iterable, Mapping
from datetime import date

from fieldloop.errors import BadInput

DAY_FIRST, MONTH_FIRST = "day-first", "month-first"
WRITTEN = re.compile(r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})")
COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
YEAR_DIGITS = 4  # of an ISO date
MONTHS = 12  # of a year


def read_days(lines: Mapping[str, int], file: str, dates: str = "") -> dict[str, date]:
    """Read every distinct date text (given with its first line); texts that are not dates are left out.

    >>> read_days({"12/13/2018": 2, "12/1/2018": 3}, "lines.csv")["12/1/2018"].isoformat()
    '2018-12-01'
    """
    if dates not in ("", DAY_FIRST, MONTH_FIRST):
        raise BadInput(f"dates = {dates!r} should be {DAY_FIRST} or {MONTH_FIRST}.")
    parts = {text: found for text in lines if (found := _split_date(text))}
    return _read_date_in_order(parts, dates or _infer_date_order(parts, lines, file))


def read_days_in_swapped_order(unread: Iterable[str], dates: str) -> dict[str, date]:
    """Read dates that `dates` cannot read with day and month swapped; nothing where `dates` states no order."""
    if not dates:
        return {}
    parts = {text: found for text in unread if (found := _split_date(text))}
    return _read_date_in_order(parts, MONTH_FIRST if dates == DAY_FIRST else DAY_FIRST)


def _read_date_in_order(parts: Mapping[str, tuple[str, str, str]], order: str) -> dict[str, date]:
    days = {}
    for text, (first, second, third) in parts.items():
        if len(first) == YEAR_DIGITS:
            year, month, day = first, second, third
        else:
            day, month = (first, second) if order == DAY_FIRST or "." in text else (second, first)
            year = third
        try:
            days[text] = date(int(year), int(month), int(day))
        except ValueError:
            continue
    return days


def _split_date(text: str) -> tuple[str, str, str] | None:
    match = WRITTEN.fullmatch(text) or COMPACT.fullmatch(text)
    if not match or YEAR_DIGITS not in (len(match[1]), len(match[3])):
        return None
    return (match[1], match[2], match[3])


def _infer_date_order(parts: Mapping[str, tuple[str, str, str]], lines: Mapping[str, int], file: str) -> str:
    """Infer the order from dates that can be read in only one way; dots or the year first are unambiguous."""
    unclear = {text: p for text, p in parts.items() if len(p[0]) != YEAR_DIGITS and "." not in text}
    if not unclear:
        return DAY_FIRST
    days = [text for text, p in unclear.items() if int(p[0]) > MONTHS]
    months = [text for text, p in unclear.items() if int(p[1]) > MONTHS]
    if days and months:
        raise BadInput(
            f"{file}: {days[0]!r} (line {lines[days[0]]}) has the day first, {months[0]!r} (line {lines[months[0]]}) "
            "the month; write all dates in one format, such as 2026-01-31."
        )
    if not days and not months:
        example = next(iter(unclear))
        raise BadInput(
            f"{file}: {example!r} may have the day or the month first; use --dates {DAY_FIRST} or {MONTH_FIRST}."
        )
    return DAY_FIRST if days else MONTH_FIRST

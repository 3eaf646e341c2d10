"""Local days of a site: from midnight to midnight in its time zone."""

from datetime import date, datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S

DAY_S = 86_400
QUARTER_S = 900
"""Clocks change at quarter hours, so that each quarter hour has one offset from UTC."""
EPOCH_DAY = date(1970, 1, 1).toordinal()


def get_local_day(at_ns: int, zone: str = "UTC") -> int:
    """Return the local day of a time in `zone` (IANA), numbered as by `date.toordinal`.

    >>> evening = 1_767_310_200 * NS_PER_S
    >>> [date.fromordinal(get_local_day(evening, zone)).isoformat() for zone in ("UTC", "Europe/Berlin")]
    ['2026-01-01', '2026-01-02']
    """
    at_s = at_ns // NS_PER_S
    return EPOCH_DAY + (at_s + _get_utc_offset_s(at_s // QUARTER_S, zone)) // DAY_S


def get_local_days(at_ns: NDArray[np.int64], zone: str = "UTC") -> NDArray[np.int64]:
    """Return the local days of many times.

    >>> get_local_days(np.array([1_767_310_200 * NS_PER_S]), "Europe/Berlin").tolist()
    [739618]
    """
    at_s = at_ns // NS_PER_S
    quarters, where = np.unique(at_s // QUARTER_S, return_inverse=True)
    offsets = np.array([_get_utc_offset_s(quarter, zone) for quarter in quarters.tolist()], dtype=np.int64)
    return np.asarray(EPOCH_DAY + (at_s + offsets[where.ravel()]) // DAY_S)


@lru_cache(maxsize=65_536)
def get_day_span_ns(day: int, zone: str = "UTC") -> tuple[int, int]:
    """Return where a local day begins and ends; twice a year it lasts 23 or 25 hours where clocks change.

    >>> begin, end = get_day_span_ns(date(2026, 3, 29).toordinal(), "Europe/Berlin")
    >>> (end - begin) // (3600 * NS_PER_S)
    23
    """
    return _compute_midnight_ns(day, zone), _compute_midnight_ns(day + 1, zone)


def _compute_midnight_ns(day: int, zone: str) -> int:
    # where clocks change at midnight: the first of two midnights, or the moment it is skipped
    return int(datetime.combine(date.fromordinal(day), time(fold=0), ZoneInfo(zone)).timestamp()) * NS_PER_S


@lru_cache(maxsize=65_536)
def _get_utc_offset_s(quarter_hour: int, zone: str) -> int:
    offset = datetime.fromtimestamp(quarter_hour * QUARTER_S, ZoneInfo(zone)).utcoffset()
    return int(offset.total_seconds()) if offset else 0

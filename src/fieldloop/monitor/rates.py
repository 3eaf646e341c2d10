"""Success by policy, site and day, and over a window of days."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from fieldloop.model.alarm import Rate
from fieldloop.model.attempts import settled
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_S
from fieldloop.stats import binomial

NS_PER_DAY = 86_400 * NS_PER_S


def rate(policy: str, site: str, successes: int, episodes: int, span_ns: tuple[int, int]) -> Rate:
    """Make a rate with its 95 % interval; of no episodes it is NaN, and anything is possible."""
    low, high = binomial.interval(successes, episodes)
    share = successes / episodes if episodes else float("nan")
    return Rate(policy, site, successes, episodes, share, low, high, *span_ns)


def daily(outcomes: Iterable[Outcome], time_zones: Mapping[str, str] | None = None) -> tuple[Rate, ...]:
    """Count production attempts by policy, site and day; a day is local to its site (IANA zone, UTC by default).

    What several judged counts once, by majority; where they split evenly, not at all.
    """
    zones = {site: ZoneInfo(name) for site, name in (time_zones or {}).items()}
    counts: dict[tuple[str, str, tuple[int, int]], list[int]] = {}
    for outcome in settled(o for o in outcomes if o.stage is Stage.PRODUCTION)[0]:
        day = _day(outcome.at_ns // NS_PER_S // 60, zones.get(outcome.site))
        tally = counts.setdefault((outcome.policy, outcome.site, day), [0, 0])
        tally[0] += outcome.succeeded
        tally[1] += 1
    return tuple(rate(policy, site, good, tried, day) for (policy, site, day), (good, tried) in sorted(counts.items()))


def rolling(days: Iterable[Rate], at_ns: int, window_days: float) -> tuple[Rate, ...]:
    """Add up the days that began within the window, by policy and site."""
    begin = at_ns - int(window_days * NS_PER_DAY)
    counts: dict[tuple[str, str], list[int]] = {}
    for day in days:
        tally = counts.setdefault((day.policy, day.site), [0, 0])
        if begin < day.start_ns <= at_ns:
            tally[0] += day.successes
            tally[1] += day.episodes
    return tuple(rate(*pair, good, tried, (begin, at_ns)) for pair, (good, tried) in sorted(counts.items()))


@cache
def _day(minute: int, zone: ZoneInfo | None) -> tuple[int, int]:
    """Begin and end of the local day around a minute, in ns; twice a year it lasts 23 or 25 hours."""
    local = datetime.fromtimestamp(minute * 60, zone or UTC)
    begin = local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    end = (begin + timedelta(days=1)).replace(fold=0)
    return int(begin.timestamp()) * NS_PER_S, int(end.timestamp()) * NS_PER_S

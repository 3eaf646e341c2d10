"""Success by policy, site and day, and over a window of days."""

from collections.abc import Iterable, Mapping

from fieldloop.model.alarm import Rate
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.days import get_day_span_ns, get_local_day
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_DAY
from fieldloop.stats import binomial


def make_rate(policy: str, site: str, successes: int, episodes: int, span_ns: tuple[int, int]) -> Rate:
    """Make a rate with its 95 % interval; without episodes it is NaN, with the interval 0 to 1."""
    low, high = binomial.compute_wilson_interval(successes, episodes)
    share = successes / episodes if episodes else float("nan")
    return Rate(policy, site, successes, episodes, share, low, high, *span_ns)


def count_daily_rates(outcomes: Iterable[Outcome], time_zones: Mapping[str, str] | None = None) -> tuple[Rate, ...]:
    """Count production attempts by policy, site and day; a day is local to its site (IANA zone, UTC by default).

    An attempt with several judgements counts once, by majority; a tie is not counted.
    """
    zones = time_zones or {}
    counts: dict[tuple[str, str, tuple[int, int]], list[int]] = {}
    for outcome in settle_attempts(o for o in outcomes if o.stage is Stage.PRODUCTION)[0]:
        zone = zones.get(outcome.site, "UTC")
        day = get_day_span_ns(get_local_day(outcome.at_ns, zone), zone)
        tally = counts.setdefault((outcome.policy, outcome.site, day), [0, 0])
        tally[0] += bool(outcome.succeeded)
        tally[1] += 1
    return tuple(
        make_rate(policy, site, good, tried, day) for (policy, site, day), (good, tried) in sorted(counts.items())
    )


def sum_rolling_rates(days: Iterable[Rate], at_ns: int, window_days: float) -> tuple[Rate, ...]:
    """Add up the days that began within the window, by policy and site."""
    begin = at_ns - int(window_days * NS_PER_DAY)
    counts: dict[tuple[str, str], list[int]] = {}
    for day in days:
        tally = counts.setdefault((day.policy, day.site), [0, 0])
        if begin < day.start_ns <= at_ns:
            tally[0] += day.successes
            tally[1] += day.episodes
    return tuple(make_rate(*pair, good, tried, (begin, at_ns)) for pair, (good, tried) in sorted(counts.items()))

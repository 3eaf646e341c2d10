"""How numbers behave: counters rise within a robot, latencies rise in production, distances move with deviations."""

import numpy as np

from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.protocol import Section

LOW, MIDDLE = 0.05, 0.5
"""Quantiles that describe a number's floor and its usual value."""


def behaves_as_counter(name: str, before: Table, after: Table, settings: Section) -> bool:
    """Does a number rise with time within the typical robot, in each of baseline and production?

    A part that was replaced between them, or once within them, starts a new count.
    """
    trends = [
        trend
        for table in (before, after)
        if name in table.numbers
        for trend in _trends_within_robots(table, table.numbers[name], settings.number("min_slice_episodes"))
    ]
    return bool(trends) and float(np.median(trends)) >= settings.number("counter_trend")


def behaves_as_latency(name: str, before: Table, after: Table, settings: Section) -> bool:
    """Is it positive with a floor, of a size that milliseconds have, and much higher in a part of production?"""
    past, now = (table.numbers.get(name, np.empty(0)) for table in (before, after))
    past, now = past[np.isfinite(past)], now[np.isfinite(now)]
    least = settings.number("min_slice_episodes")
    if min(len(past), len(now)) < least or min(past.min(), now.min()) <= 0.0:
        return False
    low, middle, high = np.quantile(past, [LOW, MIDDLE, settings.number("usual_quantile")])
    shortest, longest = settings["latency_range_ms"]
    if not shortest <= middle <= longest or low < settings.number("latency_floor") * middle:
        return False
    slow = now > settings.number("slow_answers") * high
    return bool(slow.sum() >= least and np.quantile(now, LOW) >= settings.number("latency_floor") * low)


def behaves_as_pace(name: str, after: Table, settings: Section) -> bool:
    """Does the deviation of the first step grow with it, as with a distance or a speed? Both begin near 0."""
    values = after.numbers.get(name, np.empty(0))
    missed = first_deviations(after)
    both = np.isfinite(values) & np.isfinite(missed) if len(values) else np.zeros(0, dtype=bool)
    if both.sum() < settings.number("min_chain_attempts") or np.ptp(values[both]) == 0.0 or values[both].min() < 0.0:
        return False
    near_zero = np.quantile(values[both], LOW) < settings.number("latency_floor") * np.median(values[both])
    return bool(near_zero) and _rank_correlation(values[both], missed[both]) > 2.0 * settings.number("ordinary_drag")


def first_deviations(table: Table) -> Floats:
    """Return the deviation of each attempt's first step, NaN where it was not logged."""
    if not table.logs_steps:
        return np.full(len(table), np.nan)
    steps = [outcome.steps for outcome in table.outcomes]
    return np.array([s[0].deviation_m if s and s[0].deviation_m is not None else np.nan for s in steps])


def _trends_within_robots(table: Table, values: Floats, least: float) -> list[float]:
    """Correlate a number with time within each robot that has enough attempts: by ranks, or from attempt to attempt."""
    codes = np.zeros(len(table), dtype=np.int64)  # a robot's name may repeat at another site
    for level in (table.levels[factor] for factor in ("site", "robot") if factor in table.levels):
        codes = codes * (len(level.names) + 1) + level.codes
    trends = []
    for robot in np.unique(codes).tolist():
        here = np.flatnonzero((codes == robot) & np.isfinite(values))
        if len(here) >= least and np.ptp(values[here]) > 0.0 and np.ptp(table.at_ns[here]) > 0:
            here = here[np.argsort(table.at_ns[here], kind="stable")]
            rises = float(np.mean(np.diff(values[here]) > 0.0))
            trends.append(max(_rank_correlation(values[here], table.at_ns[here].astype(np.float64)), rises))
    return trends


def _rank_correlation(first: Floats, second: Floats) -> float:
    from scipy.stats import rankdata

    if np.ptp(second) == 0.0:
        return 0.0
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])

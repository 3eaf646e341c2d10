"""How much days differ by themselves: people, light and goods vary, so attempts of one day are not independent."""

import numpy as np

from fieldloop.diagnose.inference.expectation import log_odds, logistic, posterior_mode
from fieldloop.diagnose.inference.factor_columns import arrange, constant_block, indicator_blocks
from fieldloop.diagnose.inference.table import Counted, Floats, Table
from fieldloop.protocol import Section

LEAST_WEIGHT = 1e-6  # a rate of 0 or 1 has no variance to divide by
HALVINGS = 30  # bisection to a billionth


def day_spread(table: Table, expected: Floats, settings: Section) -> float:
    """Estimate the standard deviation of a day's log-odds from neighbouring days of a site.

    Neighbouring days, because a site that changed on some day has two levels, which is not spread; neither are a few
    bad days.
    """
    if not len(table):
        return 0.0
    sites = table.factors.get("site", [])
    blocks = [constant_block([1.0], [len(table)], 0), *indicator_blocks((table,), sites, 1)]
    columns, usual = arrange(len(table), 1 + len(sites), blocks), log_odds(expected)
    penalty = np.full(columns.size, settings.number("site_level_penalty"))
    rates = logistic(usual + columns @ posterior_mode(columns, np.ones(len(table)), table.success, penalty, usual))
    size = int(table.clusters.max()) + 1
    weights = np.maximum(rates * (1.0 - rates), LEAST_WEIGHT)
    information = np.bincount(table.clusters, weights, size).astype(np.float64)
    score = np.bincount(table.clusters, table.success - rates, size).astype(np.float64)
    step, error = _day_differences(table, information, score)
    low, high = 0.0, settings.number("most_day_spread") ** 2
    kept, expected_mean = settings.number("quiet_days"), settings.number("quiet_days_mean")
    if not len(step) or _trimmed_mean(step, error, low, kept) <= expected_mean:
        return 0.0
    for _ in range(HALVINGS):
        half = (low + high) / 2.0
        low, high = (half, high) if _trimmed_mean(step, error, half, kept) > expected_mean else (low, half)
    return float(np.sqrt(high))


def effective_episodes(success: Floats, clusters: Counted, spread: float) -> float:
    """Return the effective sample size: as many independent episodes would be as informative (Kish)."""
    rate, sizes = float(success.mean()), np.bincount(clusters).astype(np.float64)
    return len(success) / (1.0 + rate * (1.0 - rate) * spread**2 * float(sizes @ sizes) / len(success))


def _day_differences(table: Table, information: Floats, score: Floats) -> tuple[Floats, Floats]:
    """Return differences between neighbouring days of a site, and their sampling variance."""
    first = np.unique(table.clusters, return_index=True)[1]
    site = table.site.codes[first]
    kept = np.flatnonzero(np.bincount(table.clusters) > 1)
    earlier, later = kept[:-1], kept[1:]
    same = site[earlier] == site[later]
    earlier, later = earlier[same], later[same]
    difference = score[later] / information[later] - score[earlier] / information[earlier]
    return difference, 1.0 / information[earlier] + 1.0 / information[later]


def _trimmed_mean(step: Floats, error: Floats, variance: float, kept: float) -> float:
    """Return the mean of the smaller squared differences, standardised as if days had this variance."""
    squared = np.sort(step**2 / (error + 2.0 * variance))
    return float(squared[: max(1, round(kept * len(squared)))].mean())

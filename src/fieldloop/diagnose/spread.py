"""How much do days differ by themselves? People, light and goods do; a day's episodes are not that many witnesses."""

import numpy as np

from fieldloop.diagnose.expectation import log_odds, logistic, peak
from fieldloop.diagnose.table import Counted, Floats, Table

KEPT = 0.8
"""The rest may be days on which something happened, which are no spread."""
MEAN_OF_KEPT = 0.44
"""The mean of the lower 80 % of a squared standard normal: what the days' residuals should come to."""
PRIOR = 0.05
"""A very weak pull of each site's level to none, which keeps a site without a single success finite."""
LEAST_WEIGHT = 1e-6
HALVINGS = 30


def day_spread(table: Table, expected: Floats, most: float) -> float:
    """Standard deviation of a day's log-odds, from neighbouring days of a site, up to the most that is believed.

    Neighbours, because a site that changed on some day has two levels, which are no spread; a few bad days do not make
    it either.
    """
    if not len(table):
        return 0.0
    sites = table.indicators(table.factors.get("site", []))
    columns, usual = np.column_stack([np.ones(len(table)), sites]), log_odds(expected)
    pull = np.full(columns.shape[1], PRIOR)
    rates = logistic(usual + columns @ peak(columns, np.ones(len(table)), table.success, pull, usual))
    size = int(table.clusters.max()) + 1
    weights = np.maximum(rates * (1.0 - rates), LEAST_WEIGHT)
    told = np.bincount(table.clusters, weights, size).astype(np.float64)
    pulled = np.bincount(table.clusters, table.success - rates, size).astype(np.float64)
    step, error = _steps(table, told, pulled)
    low, high = 0.0, most**2
    if not len(step) or _middle(step, error, low) <= MEAN_OF_KEPT:
        return 0.0
    for _ in range(HALVINGS):
        half = (low + high) / 2.0
        low, high = (half, high) if _middle(step, error, half) > MEAN_OF_KEPT else (low, half)
    return float(np.sqrt(high))


def witnesses(success: Floats, clusters: Counted, spread: float) -> float:
    """As many independent episodes tell as much as these, whose days differ by so much (log-odds; Kish)."""
    rate, sizes = float(success.mean()), np.bincount(clusters).astype(np.float64)
    return len(success) / (1.0 + rate * (1.0 - rate) * spread**2 * float(sizes @ sizes) / len(success))


def _steps(table: Table, told: Floats, pulled: Floats) -> tuple[Floats, Floats]:
    """Differences between neighbouring days of a site with more than one episode, and their variance by chance."""
    first = np.unique(table.clusters, return_index=True)[1].tolist()
    site = np.unique([table.outcomes[at].site for at in first], return_inverse=True)[1].ravel()
    kept = np.flatnonzero(np.bincount(table.clusters) > 1)
    one, two = kept[:-1], kept[1:]
    same = site[one] == site[two]
    one, two = one[same], two[same]
    return pulled[two] / told[two] - pulled[one] / told[one], 1.0 / told[one] + 1.0 / told[two]


def _middle(step: Floats, error: Floats, variance: float) -> float:
    """Mean of the lower part of squared steps in their own units, if days had this variance."""
    squared = np.sort(step**2 / (error + 2.0 * variance))
    return float(squared[: max(1, round(KEPT * len(squared)))].mean())

"""How much do days differ by themselves? People, light and goods do; a day's episodes are not that many witnesses."""

import numpy as np

from fieldloop.diagnose.joint import fit_jointly
from fieldloop.diagnose.table import Floats, Table

KEPT = 0.8
MEAN_OF_KEPT = 0.44
"""The mean of the lower 80 % of a squared standard normal: what the days' residuals should come to."""
MOST = 1.0
HALVINGS = 30


def day_spread(table: Table, expected: Floats) -> float:
    """Standard deviation of a day's log-odds around its site's; a few bad days do not make it."""
    if not len(table):
        return 0.0
    sites = table.indicators(table.factors.get("site", []))
    columns = np.column_stack([np.ones(len(table)), sites])
    fitted = fit_jointly(columns, table.success, expected)
    size = int(table.clusters.max()) + 1
    told = np.bincount(table.clusters, fitted.weights, size).astype(np.float64)
    pulled = np.bincount(table.clusters, table.success - fitted.rates, size).astype(np.float64)
    kept = np.bincount(table.clusters, minlength=size) > 1
    told, pulled = told[kept], pulled[kept]
    low, high = 0.0, MOST**2
    if not len(told) or _middle(told, pulled, low) <= MEAN_OF_KEPT:
        return 0.0
    for _ in range(HALVINGS):
        half = (low + high) / 2.0
        low, high = (half, high) if _middle(told, pulled, half) > MEAN_OF_KEPT else (low, half)
    return float(np.sqrt(high))


def _middle(told: Floats, pulled: Floats, variance: float) -> float:
    """Mean of the lower part of squared day residuals in their own units, if days had this variance."""
    squared = np.sort(pulled**2 / (told + variance * told**2))
    return float(squared[: max(1, round(KEPT * len(squared)))].mean())

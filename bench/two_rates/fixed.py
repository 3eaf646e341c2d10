"""Barnard's test of two rates after a fixed number of trials of each: exact threshold, exact power."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

GRID = 199


def compute_barnard_power(trials: int, candidate: float, other: float, alpha: float) -> float:
    """Return how often the one-sided test finds the candidate better."""
    return float(_weigh(trials, candidate) @ _find_region(trials, alpha) @ _weigh(trials, other))


@cache
def _find_region(trials: int, alpha: float) -> NDArray[np.float64]:
    """Return where the score is so high that the size, worst over the unknown rate, is at most alpha."""
    count = np.arange(trials + 1)
    pooled = (count[:, None] + count) / (2 * trials)
    with np.errstate(invalid="ignore", divide="ignore"):
        score = (count[:, None] - count) / trials / np.sqrt(2 * pooled * (1 - pooled) / trials)
    score = np.nan_to_num(score)
    levels = np.unique(np.round(score[score > 1], 9))
    rates = [_weigh(trials, rate) for rate in np.linspace(0, 1, GRID + 2)[1:-1]]
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high) // 2
        region = (score >= levels[middle] - 1e-9).astype(float)
        low, high = (low, middle) if max(w @ region @ w for w in rates) <= alpha else (middle + 1, high)
    return np.asarray(score >= levels[low] - 1e-9, dtype=float)


def _weigh(trials: int, rate: float) -> NDArray[np.float64]:
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(trials + 1), trials, rate))

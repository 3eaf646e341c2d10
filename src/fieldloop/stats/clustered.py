"""Intervals for shares from clustered samples: picks of one day resemble each other.

A hundred picks of one day are not a hundred independent samples. The variance of the share comes from differences
between days (ratio estimator). The interval is the exact binomial one for the effective number of independent picks,
reduced for the few days from which it was estimated (Korn & Graubard 1998).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Share:
    """A share and its effective number of independent picks, estimated from `days` days."""

    rate: float
    count: int
    trials: int
    effective: float
    days: int

    def compute_interval(self, level: float) -> tuple[float, float]:
        """Return the two-sided exact interval.

        >>> [round(x, 4) for x in Share(0.1, 10, 100, 100.0, 10**9).compute_interval(0.95)]
        [0.049, 0.1762]
        """
        from scipy.special import betaincinv

        half = (1.0 - level) / 2.0
        worth = self._compute_effective_picks(1.0 - half)
        hits = self.rate * worth
        low = 0.0 if hits <= 0.0 else float(betaincinv(hits, worth - hits + 1.0, half))
        high = 1.0 if hits >= worth else float(betaincinv(hits + 1.0, worth - hits, 1.0 - half))
        return (low, high)

    def compute_chance_beyond(self, low: float, high: float, level: float) -> float:
        """Return the p-value of the share if the truth lay from low to high; 1 where the share lies there itself.

        `level` is the one at which the result will be judged.
        """
        from scipy.special import betainc

        worth = self._compute_effective_picks(level)
        hits = self.rate * worth
        if self.rate > high:
            return float(betainc(hits, worth - hits + 1.0, high)) if high > 0.0 else 0.0
        if self.rate < low:
            return float(1.0 - betainc(hits + 1.0, worth - hits, low)) if low < 1.0 else 0.0
        return 1.0

    def _compute_effective_picks(self, tail: float) -> float:
        """Return the effective number of picks at this tail probability; few days make tails heavier."""
        from scipy.special import ndtri, stdtrit

        wide = float(stdtrit(self.days - 1, tail)) if self.days > 1 else math.inf
        return max(self.effective * (float(ndtri(tail)) / wide) ** 2, 1e-9)


def estimate_level_shares(counts: Floats, assumed_effect: float) -> list[Share]:
    """Return the share of each level from a table of days × levels; empty days are left out.

    Where a level does not vary, the design effect comes from the other levels; where none varies it is unknown, and
    `assumed_effect` is used.

    >>> steady = np.tile([5.0, 5.0], (20, 1))
    >>> one, _ = estimate_level_shares(steady, 10.0)
    >>> one.rate, one.effective, one.days
    (0.5, 200.0, 20)
    >>> clumped = np.array([[10.0, 0.0], [0.0, 10.0]] * 10)
    >>> round(estimate_level_shares(clumped, 10.0)[0].effective, 1)
    19.0
    """
    counts = counts[counts.sum(axis=1) > 0]
    of_day, days = counts.sum(axis=1), len(counts)
    total = float(of_day.sum())
    if not days:
        return [Share(0.0, 0, 0, 0.0, 0) for _ in range(counts.shape[1])]
    rates = counts.sum(axis=0) / total
    plain = rates * (1.0 - rates) / total
    varied = plain > 0.0
    if days > 1 and varied.any():
        spread = ((counts - rates * of_day[:, None]) ** 2).sum(axis=0) * days / (days - 1) / total**2
        pooled = max(float(spread[varied].sum() / plain[varied].sum()), 1.0)
        effects = np.where(varied, np.maximum(spread / np.where(varied, plain, 1.0), pooled), pooled)
    else:
        effects = np.full(len(rates), min(assumed_effect, total / days))
    return [
        Share(float(rate), int(count), int(total), total / float(effect), days)
        for rate, count, effect in zip(rates, counts.sum(axis=0), effects, strict=True)
    ]

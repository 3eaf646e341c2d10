"""The interval of the difference, valid at whatever look the test ends."""

from dataclasses import dataclass

import numpy as np

from fieldloop.stats.sequential.boundary import Boundary, Floats, Ints
from fieldloop.stats.sequential.walk import Pair, walk_with_chances

STEPS = 4001
"""Differences from −1 to 1 that are tried."""


@dataclass(frozen=True, slots=True)
class Margin:
    """How much wider than the boundary the interval is: a factor, and a number of pairs.

    Without it the interval would miss too often where one arm nearly always or nearly never succeeds.
    """

    factor: float
    pairs: float


def compute_interval(boundary: Boundary, margin: Margin, pairs: int, s: int, d: int) -> tuple[float, float]:
    """Return the lower and upper bound of the candidate's rate minus the other's, after so many pairs.

    Each bound errs with at most the size of the boundary, at whichever look the test ends: the interval holds every
    difference that a boundary around it would not have refuted. It excludes zero where the test says so.
    """
    if not pairs:
        return (-1.0, 1.0)
    tried = np.linspace(-1.0, 1.0, STEPS)
    held = tried[np.abs(d - pairs * tried) <= compute_half_widths(boundary, margin, pairs, np.array(s), tried)]
    observed = d / pairs
    low, high = (float(held.min()), float(held.max())) if len(held) else (observed, observed)
    lead = int(boundary.list_leads()[pairs - 1][s])
    return (max(low, 0.0) if d >= lead else low, min(high, 0.0) if -d >= lead else high)


def compute_miss_chances(boundary: Boundary, margin: Margin, pair: Pair) -> tuple[float, float]:
    """Return how often the lower bound is above the true difference at some look, and how often the upper is below.

    Exact; it includes the looks at which the test itself excludes zero.
    """
    true = pair.only_candidate - pair.only_other
    reach = min(boundary.max_pairs, int(abs(true) * boundary.max_pairs + 5 * boundary.max_pairs**0.5) + 1)
    d, above, below = np.arange(-reach, reach + 1), 0.0, 0.0
    for (pairs, chances), leads in zip(walk_with_chances(boundary, pair, reach), boundary.list_leads(), strict=True):
        s = np.arange(len(leads))[:, None]
        width = compute_half_widths(boundary, margin, pairs, s, np.array(true))
        refuted_low, refuted_high = d - pairs * true > width, pairs * true - d > width
        refuted_low |= (d >= leads[:, None]) & (true <= 0)
        refuted_high |= (-d >= leads[:, None]) & (true >= 0)
        above += float(chances[refuted_low].sum())
        below += float(chances[refuted_high & ~refuted_low].sum())
        chances[refuted_low | refuted_high] = 0.0
    return above, below


def compute_half_widths(boundary: Boundary, margin: Margin, pairs: int, s: Ints, difference: Floats) -> Floats:
    """Return how far d may lie from t·difference; rates are kept where such a difference is possible."""
    unpaired, size = boundary.steps > 1, np.abs(difference)
    rate = boundary.estimate_rate(pairs, s)
    if unpaired:
        rate = np.clip(rate, size / 2, 1 - size / 2)
        variance = 2 * rate * (1 - rate) - difference**2 / 2
    else:
        rate = np.maximum(rate, size)
        variance = rate - difference**2
    height = boundary.interpolate_heights(rate) * boundary.compute_reach(pairs) * margin.factor
    return np.asarray(height * np.sqrt(pairs * np.maximum(variance, 0.0)) + margin.pairs)

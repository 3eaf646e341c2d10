"""Exact operating characteristics: how often each verdict comes, and after how many pairs."""

import math
from dataclasses import dataclass

import numpy as np

from fieldloop.stats.sequential.boundary import Boundary
from fieldloop.stats.sequential.futility import Futility
from fieldloop.stats.sequential.walk import Pair, walk_with_chances


@dataclass(frozen=True, slots=True)
class Operating:
    """Chances of the verdicts, and the mean number of pairs; a run without verdict counts with all pairs."""

    better: float
    worse: float
    futile: float
    mean_pairs: float


def pair_with_correlation(candidate_rate: float, other_rate: float, correlation: float = 0.0) -> Pair:
    """Return the chances of a pair whose two results are correlated.

    >>> [round(x, 3) for x in pair_with_correlation(0.85, 0.8, 0.4)]
    [0.087, 0.113, 0.063, 0.737]
    """
    spread = math.sqrt(candidate_rate * (1 - candidate_rate) * other_rate * (1 - other_rate))
    both = candidate_rate * other_rate + correlation * spread
    return Pair(1 - candidate_rate - other_rate + both, candidate_rate - both, other_rate - both, both)


def compute_operating_characteristics(boundary: Boundary, pair: Pair, futility: Futility | None = None) -> Operating:
    """Compute how the test behaves if it is looked at after every pair; nothing is simulated."""
    reach = boundary.compute_widest_lead()
    d = np.arange(-reach, reach + 1)
    better = worse = futile = 0.0
    mean_pairs = 1.0
    for (pairs, chances), leads in zip(walk_with_chances(boundary, pair, reach), boundary.list_leads(), strict=True):
        won = d >= leads[:, None]
        lost = won[:, ::-1]
        better += float(chances[won].sum())
        worse += float(chances[lost].sum())
        chances[won | lost] = 0.0
        if pairs == boundary.max_pairs:
            break
        if futility is not None:
            given_up = futility.find_futile(boundary, pairs, np.arange(len(leads))[:, None], d)
            futile += float(chances[given_up].sum())
            chances[given_up] = 0.0
        mean_pairs += float(chances.sum())
    return Operating(better, worse, futile, mean_pairs)

"""The size of a boundary: how often it declares one arm better although both have the same rate."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fieldloop.stats.sequential.boundary import Boundary, Floats, Scenes
from fieldloop.stats.sequential.walk import walk_given_counts

NEGLIGIBLE = 1e-18
TINY = 1e-15
CELLS = 1_000_000
"""Numbers of one table that is held at a time."""


class Crossings(NamedTuple):
    """Where the candidate's boundary is crossed first: trials and successes there, and the chance given these."""

    trials: Floats
    s: Floats
    log_weight: Floats


def find_crossings(boundary: Boundary) -> Crossings:
    """List every (t, s) with the chance that the candidate's boundary is crossed there first, given s."""
    from scipy.special import gammaln

    reach = boundary.compute_widest_lead()
    d = np.arange(-reach, reach + 1)
    trials, counts, weights = [], [], []
    for (pairs, chances), leads in zip(walk_given_counts(boundary, reach), boundary.list_leads(), strict=True):
        won = d >= leads[:, None]
        weight = np.where(won, chances, 0.0).sum(axis=1)
        chances[won | won[:, ::-1]] = 0.0
        kept = np.flatnonzero(weight > NEGLIGIBLE)
        n = float(boundary.steps * pairs)
        trials.append(np.full(len(kept), n))
        counts.append(kept.astype(float))
        weights.append(np.log(weight[kept]) + gammaln(n + 1) - gammaln(kept + 1) - gammaln(n - kept + 1))
    return Crossings(np.concatenate(trials), np.concatenate(counts), np.concatenate(weights))


def compute_sizes(boundary: Boundary, rates: Floats) -> Floats:
    """Return the exact chance of declaring the candidate better, at each rate that both arms share.

    With paired scenes, `rates` are chances that the results of a pair differ.
    """
    trials, s, log_weight = find_crossings(boundary)
    found = []
    for low, _ in _cut_cells(rates, rates, len(s)):
        inside = np.clip(low, TINY, 1 - TINY)[:, None]
        found.append(np.exp(log_weight + s * np.log(inside) + (trials - s) * np.log1p(-inside)).sum(axis=1))
    return np.concatenate(found)


def bound_size(boundary: Boundary, cells: int = 4000) -> float:
    """Return a number that the size exceeds at no rate from 0 to 1; it is above the largest size by a trifle.

    Rates are cut into cells; in each cell every term of the size gets its own largest value.
    """
    crossings = find_crossings(boundary)
    end = np.pi / 4 if boundary.scenes is Scenes.UNPAIRED else np.pi / 2  # size(p) = size(1 − p) where unpaired
    edges = np.sin(np.linspace(0.0, end, cells + 1)) ** 2
    return max(_bound_cells(crossings, *cells) for cells in _cut_cells(edges[:-1], edges[1:], len(crossings.s)))


def _bound_cells(crossings: Crossings, low: Floats, high: Floats) -> float:
    """Return the largest sum of all crossings' chances, each at the rate of a cell where it is likeliest."""
    from scipy.special import xlog1py, xlogy

    trials, s, log_weight = crossings
    rate = np.clip((s / trials)[None, :], low[:, None], high[:, None])
    return float(np.exp(log_weight + xlogy(s, rate) + xlog1py(trials - s, -rate)).sum(axis=1).max())


def _cut_cells(low: Floats, high: Floats, terms: int) -> Iterator[tuple[Floats, Floats]]:
    rows = max(1, CELLS // max(1, terms))
    for first in range(0, len(low), rows):
        yield low[first : first + rows], high[first : first + rows]

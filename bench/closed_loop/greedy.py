"""A greedy oracle: it knows the true success after any demonstrations, and buys one block after the other."""

import numpy as np

from bench.closed_loop.maps import Floats, Ints, Map
from bench.closed_loop.truths import Truth

BLOCKS = (1, 4, 16)
"""Tries bought at once: a few at once see past a curve that is flat at its beginning."""
SCREENED = 24
"""Strata that are looked at exactly, those where one try wins most for its cost."""


def spend_greedily(truth: Truth, place: Map, kept: Floats, budget: float) -> Ints:
    """Spend a budget where the truth says that success in production rises most for its cost, again and again.

    It knows how often operators succeed, too, and counts the good demonstrations that tries bring on average.
    """
    tries, left = np.zeros(len(kept), dtype=np.intp), budget
    while True:
        open_rows = np.flatnonzero((place.cost <= left + 1e-9) & (place.shares > 0.0))
        if not len(open_rows):
            return tries
        now = kept + tries * place.operators
        base = float(truth.success(now) @ place.shares)
        single = _worth(truth, place, now, open_rows, 1) - base
        likely = open_rows[np.argsort(-single / place.cost[open_rows], kind="stable")[:SCREENED]]
        best = (-np.inf, int(likely[0]), 1)
        for block in BLOCKS:
            rows = likely[place.cost[likely] * block <= left + 1e-9]
            if len(rows):
                rate = (_worth(truth, place, now, rows, block) - base) / (place.cost[rows] * block)
                at = int(np.argmax(rate))
                best = max(best, (float(rate[at]), int(rows[at]), block))
        _, row, block = best
        tries[row] += block
        left -= place.cost[row] * block


def _worth(truth: Truth, place: Map, now: Floats, rows: Ints, block: int) -> Floats:
    """Return success in production with a block more of each of the rows, one at a time."""
    counts = np.repeat(now[None], len(rows), axis=0)
    counts[np.arange(len(rows)), rows] += block * place.operators[rows]
    return np.asarray(truth.success(counts) @ place.shares)

"""Systematic rounding: fractions of demonstrations become whole ones without favouring large strata."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.strata import Floats

SLACK = 1e-9  # rounding errors of sums of money


def round_to_whole(
    tries: Floats, cost: Floats, budget: float, order: NDArray[np.intp], rng: np.random.Generator
) -> Floats:
    """Round tries to whole numbers within a budget, each up with a probability equal to its fraction.

    Neighbours in `order` share their fractions: what is rounded down in one is given to the next. So forty
    demonstrations over three hundred strata still cover every site and bin in proportion.

    >>> tries = np.asarray([0.5, 0.5, 1.5, 0.5])
    >>> int(round_to_whole(tries, np.ones(4), 3.0, np.arange(4), np.random.default_rng(0)).sum())
    3
    """
    steps = np.cumsum(tries[order])
    given = np.zeros(len(tries))
    given[order] = np.diff(np.floor(np.concatenate([[0.0], steps]) + rng.random() + SLACK))
    return _fit_to_budget(given, tries, cost, budget)


def _fit_to_budget(given: Floats, tries: Floats, cost: Floats, budget: float) -> Floats:
    """Where costs differ, take back what exceeds the budget and spend what is left of it."""
    left = budget - float(given @ cost)
    while left < -SLACK:
        most = int(np.argmax(np.where(given > 0.0, given - tries, -np.inf)))
        given[most] -= 1.0
        left += cost[most]
    while True:
        open_ones = (cost <= left + SLACK) & (tries > 0.0)
        if not open_ones.any():
            return given
        most = int(np.argmax(np.where(open_ones, tries - given, -np.inf)))
        given[most] += 1.0
        left -= cost[most]

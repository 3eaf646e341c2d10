"""Strategies for allocating a budget to strata. `marginal` is the default; the others are baselines."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import Floats

LEAST = 1e-12  # zero has no logarithm


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What may be spent and where, on top of good demonstrations that are already granted."""

    money: float
    among: NDArray[np.bool_]
    given: Floats
    caps: Floats
    """The most that may be spent on each stratum."""


Strategy = Callable[[Gain, Request], Floats]
"""Returns fractional numbers of good demonstrations by stratum; with failed tries they cost the given money."""


def allocate_by_expected_gain(gain: Gain, request: Request) -> Floats:
    """Spend where money is expected to raise production success most, spread over strata that are about equal.

    The first guess is reducible failure × frequency. Shares are then raised where a further demonstration gains more
    for its price, until they follow the marginal gain to the power of `sharpness`. An infinite power would be optimal
    only if the model were exact. Where nothing is left to gain, the least shown strata are shown, by traffic.
    """
    if gain.nothing_to_win:
        return _allocate_to_least_shown(gain, request)
    sharpness, rounds = gain.settings.number("sharpness"), int(gain.settings.number("sharpening_rounds"))
    allowed = np.flatnonzero(request.among & (request.caps > 0.0))
    if not len(allowed):
        return np.zeros(len(request.given))
    start = np.log(np.maximum((gain.table.exposure * gain.reducible)[allowed], LEAST))
    price, caps = gain.price[allowed], request.caps[allowed]
    spent = _split_within_caps(start, request.money, caps)
    more = request.given.copy()
    for _ in range(rounds):
        more[allowed] = request.given[allowed] + spent / price
        worth = np.log(np.maximum(gain.compute_gain_of_one_more(more)[allowed] / price, LEAST))
        wanted = start + sharpness * (worth - worth.max())
        now = np.log(np.maximum(spent, LEAST))
        spent = _split_within_caps(now + (wanted - now) / (1.0 + sharpness), request.money, caps)
    good = np.zeros(len(request.given))
    good[allowed] = spent / price
    return good


def _allocate_to_least_shown(gain: Gain, request: Request) -> Floats:
    allowed = np.flatnonzero(request.among & (request.caps > 0.0))
    weight = (gain.table.exposure * gain.compute_novelty(request.given))[allowed]
    good = np.zeros(len(request.given))
    good[allowed] = _split_within_caps(np.log(np.maximum(weight, LEAST)), request.money, request.caps[allowed])
    return good / gain.price


def allocate_uniformly(gain: Gain, request: Request) -> Floats:
    """Allocate the same number of tries to each deployed stratum."""
    return _allocate_in_proportion(np.ones(len(gain.table)), gain, request)


def allocate_by_frequency(gain: Gain, request: Request) -> Floats:
    """Allocate by frequency in production: hard to beat with a large budget, wasteful for solved strata."""
    return _allocate_in_proportion(gain.table.exposure, gain, request)


def allocate_by_failure_rate(gain: Gain, request: Request) -> Floats:
    """Allocate by the failure rate alone, as SPEC PLAN-2 states literally; deployed strata only.

    Its weakness: it ignores frequency, and spends most where failure cannot be removed. In docs/planning.md it is
    0.7 points of AUC behind `marginal`, with a budget of 40 × 4 and few hopeless strata.
    """
    return _allocate_in_proportion(gain.failure, gain, request)


def allocate_by_failure_share(gain: Gain, request: Request) -> Floats:
    """Allocate by failure × frequency: each failure in production asks for one demonstration of its stratum."""
    return _allocate_in_proportion(gain.failure * gain.table.exposure, gain, request)


STRATEGIES: dict[str, Strategy] = {
    "marginal": allocate_by_expected_gain,
    "uniform": allocate_uniformly,
    "frequency": allocate_by_frequency,
    "failure_index": allocate_by_failure_rate,
    "failure_frequency": allocate_by_failure_share,
}


def _allocate_in_proportion(weights: Floats, gain: Gain, request: Request) -> Floats:
    weights = np.where(request.among, weights, 0.0)
    if not weights.sum() > 0.0:
        weights = request.among.astype(float)
    price = float(weights @ gain.table.cost)
    tries = weights * (request.money / price) if price > 0.0 else np.zeros(len(weights))
    return np.asarray(tries * gain.operators.share)


def _split_within_caps(logs: Floats, money: float, caps: Floats) -> Floats:
    """Split money in proportion to exp(logs), none above its cap; the excess goes to the others."""
    shares = np.exp(logs - logs.max()) if len(logs) else logs
    spent = np.zeros(len(logs))
    full = np.zeros(len(logs), dtype=bool)
    for _ in range(len(logs)):
        free = shares[~full].sum()
        left = money - caps[full].sum()
        if not (free > 0.0 and left > 0.0):
            break
        spent = np.where(full, caps, shares * (left / free))
        above = ~full & (spent > caps)
        if not above.any():
            return spent
        full |= above
    return np.minimum(np.where(full, caps, spent), caps)

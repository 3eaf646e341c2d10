"""Ways of spreading a budget over strata. `marginal` is the one to use; the others are what it is measured against."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import Floats

LEAST = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What may be spent, where, on top of how many good demonstrations that are already given away."""

    money: float
    among: NDArray[np.bool_]
    given: Floats
    caps: Floats
    """The most that may be spent on each stratum."""


Strategy = Callable[[Gain, Request], Floats]
"""Returns good demonstrations by stratum, in fractions, which cost the money with the tries that they take."""


def marginal(gain: Gain, request: Request) -> Floats:
    """Spend where money is expected to raise production success most, spread over what cannot be told apart.

    The first guess is reducible failure × frequency. Where a further demonstration would still win more for its price
    than elsewhere, its share is raised, until shares follow what the next demonstration wins to the power of
    `sharpness`. The highest power would be the optimum of a model that is never quite right. Where there is nothing to
    win, what was least shown is shown, by traffic.
    """
    if gain.nothing_to_win:
        return _least_shown(gain, request)
    sharpness, rounds = gain.settings.number("sharpness"), int(gain.settings.number("sharpening_rounds"))
    allowed = np.flatnonzero(request.among & (request.caps > 0.0))
    if not len(allowed):
        return np.zeros(len(request.given))
    start = np.log(np.maximum((gain.table.exposure * gain.reducible)[allowed], LEAST))
    price, caps = gain.price[allowed], request.caps[allowed]
    spent = _filled(start, request.money, caps)
    more = request.given.copy()
    for _ in range(rounds):
        more[allowed] = request.given[allowed] + spent / price
        worth = np.log(np.maximum(gain.next(more)[allowed] / price, LEAST))
        wanted = start + sharpness * (worth - worth.max())
        now = np.log(np.maximum(spent, LEAST))
        spent = _filled(now + (wanted - now) / (1.0 + sharpness), request.money, caps)
    good = np.zeros(len(request.given))
    good[allowed] = spent / price
    return good


def _least_shown(gain: Gain, request: Request) -> Floats:
    allowed = np.flatnonzero(request.among & (request.caps > 0.0))
    weight = (gain.table.exposure * gain.news(request.given))[allowed]
    good = np.zeros(len(request.given))
    good[allowed] = _filled(np.log(np.maximum(weight, LEAST)), request.money, request.caps[allowed])
    return good / gain.price


def uniform(gain: Gain, request: Request) -> Floats:
    """As many tries of each deployed stratum."""
    return _in_proportion(np.ones(len(gain.table)), gain, request)


def frequency(gain: Gain, request: Request) -> Floats:
    """As often as production does it: hard to beat with a large budget, wasteful where the head is already solved."""
    return _in_proportion(gain.table.exposure, gain, request)


def failure_index(gain: Gain, request: Request) -> Floats:
    """Indexed to the failure rate alone, as SPEC PLAN-2 says literally; deployed strata only.

    Its weakness: it spends on what is rare as on what is common, and most on what nothing will mend. docs/planning.md
    has it 0.7 points of AUC behind `marginal`, with a budget of 40 × 4 on a floor with few hopeless strata.
    """
    return _in_proportion(gain.failure, gain, request)


def failure_frequency(gain: Gain, request: Request) -> Floats:
    """Failure × frequency: each failure in production asks for one demonstration of its stratum."""
    return _in_proportion(gain.failure * gain.table.exposure, gain, request)


STRATEGIES: dict[str, Strategy] = {
    "marginal": marginal,
    "uniform": uniform,
    "frequency": frequency,
    "failure_index": failure_index,
    "failure_frequency": failure_frequency,
}


def _in_proportion(weights: Floats, gain: Gain, request: Request) -> Floats:
    weights = np.where(request.among, weights, 0.0)
    if not weights.sum() > 0.0:
        weights = request.among.astype(float)
    price = float(weights @ gain.table.cost)
    tries = weights * (request.money / price) if price > 0.0 else np.zeros(len(weights))
    return np.asarray(tries * gain.operators.share)


def _filled(logs: Floats, money: float, caps: Floats) -> Floats:
    """Money in proportion to exp(logs), none above its cap, the excess to the others."""
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

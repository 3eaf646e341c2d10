"""Spread a budget of demonstrations over strata: what is asked for first, then where each next one wins most."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.plan import Coverage, Demand, Quota
from fieldloop.plan.gain import Floats, Gain
from fieldloop.protocol import Section

Strategy = Callable[[Gain, Floats, int, Section], Floats]


@dataclass(frozen=True, slots=True)
class Allocation:
    """Quotas, and how much of each demand (by id) they answer."""

    quotas: tuple[Quota, ...]
    answered: tuple[tuple[str, int], ...]


def allocate(
    coverages: Sequence[Coverage],
    demands: Iterable[Demand],
    budget: int,
    settings: Section,
    rng: np.random.Generator,
    strategy: str = "marginal",
) -> tuple[Quota, ...]:
    """Spend a budget: demands first, oldest first, the rest by a strategy; each quota with gain, interval and why."""
    return spend(coverages, demands, budget, settings, rng, strategy).quotas


def spend(
    coverages: Sequence[Coverage],
    demands: Iterable[Demand],
    budget: int,
    settings: Section,
    rng: np.random.Generator,
    strategy: str = "marginal",
) -> Allocation:
    """Spend a budget, and say which demands that answers."""
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, STRATEGIES)
    if budget < 0:
        raise BadInput(f"A budget of {budget} demonstrations cannot be spent; give a number from 0.")
    gain = Gain(coverages, settings)
    given = np.zeros(len(coverages))
    reasons: list[list[str]] = [[] for _ in coverages]
    # a single cause, however loud, must not starve every other stratum
    reserved = math.floor(settings.number("max_demand_share") * budget)
    answered, outside = _honour(coverages, demands, reserved, gain, given, reasons)
    left = budget - sum(amount for _, amount in answered)
    if len(coverages) and left:
        given = given + STRATEGIES[strategy](gain, given, left, settings)
    quotas = (*_quotas(coverages, gain, given, reasons, settings, rng), *outside)
    return Allocation(quotas, tuple(answered))


def _honour(
    coverages: Sequence[Coverage],
    demands: Iterable[Demand],
    budget: int,
    gain: Gain,
    given: Floats,
    reasons: list[list[str]],
) -> tuple[list[tuple[str, int]], list[Quota]]:
    """Give demands what they ask for while the budget lasts; return what each got and what lies outside the map."""
    left, answered, outside = budget, [], []
    for demand in sorted(demands, key=lambda d: (d.at_ns, d.id)):
        amount = min(left, demand.demonstrations)
        if amount <= 0:
            continue
        left -= amount
        answered.append((demand.id, amount))
        asked = f"{demand.demonstrations} asked for, demands may take no more of the budget"
        short = f" ({asked})" if amount < demand.demonstrations else ""
        inside = [at for at, c in enumerate(coverages) if demand.stratum.covers(c.stratum)]
        if not inside:
            why = (
                f"{demand.source} asks: {demand.why}{short}. Not among the deployed strata, so no gain can be computed."
            )
            outside.append(Quota(demand.stratum, amount, 0.0, 0.0, 0.0, why))
            continue
        added = _best(gain, given, amount, np.full(len(coverages), np.inf), inside)
        given += added
        for at in np.flatnonzero(added):
            reasons[at].append(f"{int(added[at])} for {demand.source}: {demand.why}{short}")
    return answered, outside


def _best(gain: Gain, given: Floats, amount: int, caps: Floats, among: Sequence[int] | None = None) -> Floats:
    """Hand out one by one where the next wins most; gains only ever shrink, so greedy is optimal."""
    added = np.zeros(len(given))
    allowed = np.zeros(len(given), dtype=bool)
    allowed[slice(None) if among is None else list(among)] = True
    worth = np.where(allowed & (given < caps), gain.next(given), -np.inf)
    for _ in range(amount):
        best = int(np.argmax(worth))
        if worth[best] == -np.inf:
            break
        added[best] += 1.0
        now = given + added
        worth[best] = gain.next(now)[best] if now[best] < caps[best] else -np.inf
    return added


def _marginal(gain: Gain, given: Floats, left: int, settings: Section) -> Floats:
    """First a few of everything deployed that was never shown, then where each next demonstration wins most."""
    budget = given.sum() + left
    # a cap that leaves part of the budget unspent would be a bug of the cap, not caution
    cap = max(math.ceil(settings.number("concentration_cap") * budget), math.ceil(budget / len(given)))
    added = np.zeros(len(given))
    floor = int(settings.number("exploration_floor"))
    unseen = np.flatnonzero((gain.demonstrations + given == 0) & (gain.exposure > 0.0))
    for at in unseen[np.argsort(-(gain.exposure * gain.failure)[unseen], kind="stable")]:
        added[at] = min(floor, left - added.sum(), cap)
    caps = np.maximum(given + added, float(cap))
    return np.asarray(added + _best(gain, given + added, int(left - added.sum()), caps))


def _uniform(gain: Gain, _given: Floats, left: int, _settings: Section) -> Floats:
    return _proportional(np.ones_like(gain.exposure), left)


def _frequency(gain: Gain, _given: Floats, left: int, _settings: Section) -> Floats:
    return _proportional(gain.exposure, left)


def _failure_index(gain: Gain, _given: Floats, left: int, _settings: Section) -> Floats:
    return _proportional(gain.failure * (gain.exposure > 0.0), left)


STRATEGIES: dict[str, Strategy] = {
    "marginal": _marginal,
    "uniform": _uniform,
    "frequency": _frequency,
    "failure_index": _failure_index,
}
"""Marginal is the one to use; the others are what it is measured against."""


def _proportional(weights: Floats, amount: int) -> Floats:
    """Whole numbers in proportion, the largest remainders rounded up."""
    if weights.sum() <= 0.0:
        weights = np.ones_like(weights)
    exact = amount * weights / weights.sum()
    whole: NDArray[np.float64] = np.floor(exact)
    extra = np.argsort(-(exact - whole), kind="stable")[: amount - int(whole.sum())]
    whole[extra] += 1.0
    return whole


def _quotas(
    coverages: Sequence[Coverage],
    gain: Gain,
    given: Floats,
    reasons: list[list[str]],
    settings: Section,
    rng: np.random.Generator,
) -> list[Quota]:
    if not len(coverages):
        return []
    gains = gain.of(given)
    low, high = gain.interval(given, settings.number("confidence"), int(settings.number("draws")), rng)
    return [
        Quota(
            coverages[at].stratum, int(given[at]), float(gains[at]), float(low[at]), float(high[at]),
            "; ".join([_why(coverages[at], float(gain.failure[at])), *reasons[at]]) + ".",
        )
        for at in np.lexsort((np.arange(len(given)), -gains))
        if given[at] > 0
    ]  # fmt: skip


def _why(covered: Coverage, failure: float) -> str:
    tried = (
        f"{covered.failures} of {covered.attempts} attempts failed" if covered.attempts else "never tried in production"
    )
    shown = f"{covered.demonstrations} demonstrations in hand" if covered.demonstrations else "never demonstrated"
    return f"{covered.exposure:.1%} of production, {tried} (taken as {failure:.0%}), {shown}"

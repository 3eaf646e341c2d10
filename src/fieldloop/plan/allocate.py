"""Spread a budget over strata: what is asked for first, then where it is expected to win most."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.plan import Coverage, Demand, PlanScore, Quota
from fieldloop.plan.always_failed import always_failed
from fieldloop.plan.bought import Bought, by_people
from fieldloop.plan.demands import Asked
from fieldloop.plan.explore import unexplored
from fieldloop.plan.gain import Gain
from fieldloop.plan.quotas import quotas
from fieldloop.plan.rounding import whole
from fieldloop.plan.strata import Floats, tabulate
from fieldloop.plan.strategies import STRATEGIES, Request
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Allocation:
    """Quotas, how much of each demand (by id) they answer, and what they win and cost together."""

    quotas: tuple[Quota, ...]
    answered: tuple[tuple[str, int], ...]
    gain: float = 0.0
    gain_low: float = 0.0
    gain_high: float = 0.0
    cost: float = 0.0
    warnings: tuple[str, ...] = ()


def spend(
    coverages: Sequence[Coverage],
    demands: Iterable[Demand],
    budget: float,
    settings: Section,
    rng: np.random.Generator,
    strategy: str = "marginal",
    scores: Sequence[PlanScore] = (),
) -> Allocation:
    """Spend a budget: demands first, oldest first, the rest by a strategy; each quota with gain, interval and why.

    The budget is in units of an ordinary demonstration. `scores` of earlier plans, newest first, teach how failure
    falls with demonstrations.
    """
    gain = Gain(tabulate(coverages), settings, scores)
    good, asked = hand_out(gain, demands, budget, strategy, rng)
    return price(coverages, gain, by_people(good), asked, rng)


def hand_out(
    gain: Gain, demands: Iterable[Demand], budget: float, strategy: str, rng: np.random.Generator
) -> tuple[Floats, Asked]:
    """Decide how many good demonstrations each stratum gets, and say which demands that answers."""
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, STRATEGIES)
    if not (math.isfinite(budget) and budget >= 0.0):
        raise BadInput(f"A budget of {budget} demonstrations cannot be spent; give a number from 0.")
    asked = Asked(gain, math.floor(gain.settings.number("max_demand_share") * budget), rng)
    for demand in sorted(demands, key=lambda d: (d.at_ns, d.id)):
        asked.honour(demand)
    return asked.good + rest(gain, asked.good, budget - asked.cost, budget, strategy, rng, asked.reasons), asked


def price(
    coverages: Sequence[Coverage], gain: Gain, bought: Bought, asked: Asked, rng: np.random.Generator
) -> Allocation:
    """Say what is won and what it costs, stratum by stratum and together."""
    inside = quotas(coverages, gain, bought, asked.reasons, rng)
    low, high = inside.low, inside.high
    if inside.quotas and _all_failed(gain):
        # nobody knows how far off success is: from nothing to everything may be won
        low, high = 0.0, max(high, float(gain.failure @ gain.table.exposure))
    return Allocation(
        quotas=(*inside.quotas, *asked.outside),
        answered=tuple(asked.answered),
        gain=inside.gain,
        gain_low=low,
        gain_high=high,
        cost=bought.cost(gain) + sum(q.cost for q in asked.outside),
        warnings=tuple(_remarks(gain, bought)),
    )


def rest(
    gain: Gain,
    given: Floats,
    money: float,
    budget: float,
    strategy: str,
    rng: np.random.Generator,
    reasons: dict[int, list[str]],
) -> Floats:
    """Spend what is left: by the strategy, and a little on levels that nobody would be shown otherwise.

    What is there to explore is said among the `reasons`.
    """
    table = gain.table
    deployed = table.exposure > 0.0
    if money <= 0.0 or not deployed.any():
        return np.zeros(len(table))
    # a cap that leaves part of the budget unspent would be a bug of the cap, not caution
    cap = max(gain.settings.number("concentration_cap") * budget, budget / np.count_nonzero(deployed))

    def asking(now: Floats, left: float) -> Request:
        return Request(left, deployed, now, np.maximum(cap - now * gain.price, 0.0))

    wanted = STRATEGIES[strategy](gain, asking(given, money))
    added = np.zeros(len(table))
    if strategy == "marginal":
        explored = unexplored(gain, given + wanted, money)
        added = explored.good
        for row, reason in explored.reasons():
            reasons.setdefault(row, []).append(reason)
        if added.any():
            money -= float(added @ gain.price)
            wanted = STRATEGIES[strategy](gain, asking(given + added, money))
    return added + whole(wanted, gain.price, money, gain.order(), rng)


def _all_failed(gain: Gain) -> bool:
    attempts = float(gain.table.attempts.sum())
    return attempts > 0.0 and float(gain.table.failures.sum()) == attempts


def _remarks(gain: Gain, bought: Bought) -> Iterator[str]:
    attempts, failures = float(gain.table.attempts.sum()), float(gain.table.failures.sum())
    late = float((gain.table.demonstrations - gain.table.learnt).sum())
    if not (bought.real.any() or bought.simulated.any()):
        yield "Nothing is planned: the budget buys no demonstration, or nothing on the map is deployed."
    if not attempts:
        yield "No attempt in production counts for a stratum of the map: failure rates and gains are assumed."
    elif not failures:
        level = gain.settings.number("confidence")
        most = -math.expm1(math.log1p(-level) / attempts)
        none = f"None of {attempts:.0f} attempts in production failed"
        known = f"failure of up to {most:.2%} is compatible with that ({level:.0%})"
        if gain.nothing_to_win:
            goes = "The budget goes by traffic to what was never or least shown; a smaller one would do."
            yield f"{none}: little is to be won, {known}. {goes}"
        else:
            yield f"{none}; {known}, so the gain rests on what is assumed of it."
    elif _all_failed(gain):
        yield (
            f"All {attempts:.0f} attempts in production failed: strata cannot be told apart by their failures, nor how "
            "far each is from success. What a plan wins cannot be told; the interval says so."
        )
    if not _all_failed(gain):
        yield from always_failed(gain, bought)
    if late:
        yield (
            f"{late:.0f} demonstrations in hand were not learnt by the version in production: they are expected to "
            f"win {100.0 * gain.waiting:.1f} points by themselves, and this plan's gain comes on top."
        )

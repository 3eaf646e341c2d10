"""Allocate a budget to strata: demands first, then where the expected gain is largest."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Coverage, Demand, PlanScore, Quota
from fieldloop.plan.always_failed import note_levels_that_always_failed
from fieldloop.plan.bought import Bought, count_as_made_by_people
from fieldloop.plan.demands import Asked
from fieldloop.plan.explore import explore_unshown_levels
from fieldloop.plan.gain import Gain
from fieldloop.plan.quotas import make_quotas
from fieldloop.plan.rounding import round_to_whole
from fieldloop.plan.strata import Floats, make_table
from fieldloop.plan.strategies import STRATEGIES, Request
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Allocation:
    """Quotas, how much of each demand (by id) they answer, and their total gain and cost."""

    quotas: tuple[Quota, ...]
    answered: tuple[tuple[str, int], ...]
    gain: float = 0.0
    gain_low: float = 0.0
    gain_high: float = 0.0
    cost: float = 0.0
    warnings: tuple[Note, ...] = ()


def allocate_budget(
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
    gain = Gain(make_table(coverages), settings, scores)
    good, asked = allocate_demonstrations(gain, demands, budget, strategy, rng)
    return estimate_gain_and_cost(coverages, gain, count_as_made_by_people(good), asked, rng)


def allocate_demonstrations(
    gain: Gain, demands: Iterable[Demand], budget: float, strategy: str, rng: np.random.Generator
) -> tuple[Floats, Asked]:
    """Decide how many good demonstrations each stratum gets, and which demands that answers."""
    if strategy not in STRATEGIES:
        raise UnknownName("strategy", strategy, STRATEGIES)
    if not (math.isfinite(budget) and budget >= 0.0):
        raise BadInput(f"A budget of {budget} demonstrations is not valid; give a number from 0.")
    asked = Asked(gain, math.floor(gain.settings.number("max_demand_share") * budget), rng)
    for demand in sorted(demands, key=lambda d: (d.at_ns, d.id)):
        asked.grant_demand(demand)
    return asked.good + allocate_rest(
        gain, asked.good, budget - asked.cost, budget, strategy, rng, asked.reasons
    ), asked


def estimate_gain_and_cost(
    coverages: Sequence[Coverage], gain: Gain, bought: Bought, asked: Asked, rng: np.random.Generator
) -> Allocation:
    """Estimate gain and cost, stratum by stratum and in total."""
    inside = make_quotas(coverages, gain, bought, asked.reasons, rng)
    low, high = inside.low, inside.high
    if inside.quotas and _has_production_only_failed(gain):
        # how far off success is cannot be estimated: anything from nothing to everything may be won
        low, high = 0.0, max(high, float(gain.failure @ gain.table.exposure))
    return Allocation(
        quotas=(*inside.quotas, *asked.outside),
        answered=tuple(asked.answered),
        gain=inside.gain,
        gain_low=low,
        gain_high=high,
        cost=bought.compute_cost(gain) + sum(q.cost for q in asked.outside),
        warnings=tuple(_note_allocation_warnings(gain, bought)),
    )


def allocate_rest(
    gain: Gain,
    given: Floats,
    money: float,
    budget: float,
    strategy: str,
    rng: np.random.Generator,
    reasons: dict[int, list[Note]],
) -> Floats:
    """Spend what is left: by the strategy, and a little on levels that would otherwise not be shown.

    What explores is added to the `reasons`.
    """
    table = gain.table
    deployed = table.exposure > 0.0
    if money <= 0.0 or not deployed.any():
        return np.zeros(len(table))
    # the cap must not leave part of the budget unspent
    cap = max(gain.settings.number("concentration_cap") * budget, budget / np.count_nonzero(deployed))

    def make_request(now: Floats, left: float) -> Request:
        return Request(left, deployed, now, np.maximum(cap - now * gain.price, 0.0))

    wanted = STRATEGIES[strategy](gain, make_request(given, money))
    added = np.zeros(len(table))
    if strategy == "marginal":
        explored = explore_unshown_levels(gain, given + wanted, money)
        added = explored.good
        for row, reason in explored.list_reasons():
            reasons.setdefault(row, []).append(reason)
        if added.any():
            money -= float(added @ gain.price)
            wanted = STRATEGIES[strategy](gain, make_request(given + added, money))
    return added + round_to_whole(wanted, gain.price, money, gain.sort_similar_strata_together(), rng)


def _has_production_only_failed(gain: Gain) -> bool:
    attempts = float(gain.table.attempts.sum())
    return attempts > 0.0 and float(gain.table.failures.sum()) == attempts


def _note_allocation_warnings(gain: Gain, bought: Bought) -> Iterator[Note]:
    attempts, failures = int(gain.table.attempts.sum()), float(gain.table.failures.sum())
    late = int((gain.table.demonstrations - gain.table.learnt).sum())
    if not (bought.real.any() or bought.simulated.any()):
        yield note("plan.nothing_planned")
    if not attempts:
        yield note("plan.no_attempts")
    elif not failures:
        level = gain.settings.number("confidence")
        highest = -math.expm1(math.log1p(-level) / attempts)
        then = note("plan.budget_by_traffic" if gain.nothing_to_win else "plan.gain_rests_on_assumption")
        yield note("plan.none_failed", then, attempts=attempts, highest=highest, confidence=level)
    elif _has_production_only_failed(gain):
        yield note("plan.all_failed", attempts=attempts)
    if not _has_production_only_failed(gain):
        yield from note_levels_that_always_failed(gain, bought)
    if late:
        yield note("plan.not_learnt_yet", demonstrations=late, gain=gain.waiting)

"""Spend a budget within the plan's own minimums: degraded bins, and the sets of further sites."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand
from fieldloop.plan.allocate import Allocation, allocate_demonstrations, allocate_rest, estimate_gain_and_cost
from fieldloop.plan.bought import Bought, count_as_made_by_people
from fieldloop.plan.demands import Asked
from fieldloop.plan.gain import Gain
from fieldloop.plan.known import Known
from fieldloop.plan.rules.minimums import Floor, list_degraded_minimums
from fieldloop.plan.rules.sites import make_fine_tuning_demands
from fieldloop.plan.rules.tiers import replace_part_by_simulated
from fieldloop.plan.strata import Floats

TURNS = 3
"""Rounds of asking for what degraded bins lack: first the lack, then more, in the end the whole minimum."""


def allocate_with_minimums(
    known: Known,
    gain: Gain,
    asked: Sequence[Demand],
    rng: np.random.Generator,
    strategy: str,
    *,
    simulates: bool,
) -> Allocation:
    """Spend freely; where that leaves degraded bins or a further site short, spend again with a demand for them.

    Demands of people come first. The plan's own demands follow, and what they then lack is a warning.
    """
    settings, budget = gain.settings, gain.settings.number("budget")
    good, honoured = allocate_demonstrations(gain, asked, budget, strategy, rng)
    sets = tuple(make_fine_tuning_demands(gain.table, good, budget, settings))
    floors = list_degraded_minimums(gain.table, float(good.sum()), settings)
    asks = {floor: floor.count_lacking(gain.table, good) for floor in floors}
    last = max((d.at_ns for d in asked), default=0) + 1
    for turn in range(TURNS):
        minimum_demands = [replace(d, at_ns=last) for d in (*(f.make_demand(n) for f, n in asks.items() if n), *sets)]
        if not minimum_demands:
            break
        good, honoured = allocate_demonstrations(gain, [*asked, *minimum_demands], budget, strategy, rng)
        lacking = {floor: floor.count_lacking(gain.table, good) for floor in floors}
        if not any(lacking.values()):
            break
        # the free allocation reacts to a demand by giving less, so asking for the lack alone is not enough
        full = turn == TURNS - 2
        asks = {f: f.least if full and lack else min(f.least, asks[f] + 2 * lack) for f, lack in lacking.items()}
    bought = (
        _allocate_with_simulator(gain, good, honoured, strategy, rng) if simulates else count_as_made_by_people(good)
    )
    spent = estimate_gain_and_cost(known.coverages, gain, bought, honoured, rng)
    return replace(spent, warnings=(*spent.warnings, *_note_missed_minimums(gain, floors, sets, bought)))


def _allocate_with_simulator(
    gain: Gain, good: Floats, honoured: Asked, strategy: str, rng: np.random.Generator
) -> Bought:
    """Let the simulator make its share, and spend the money that frees until none is left."""
    budget, worth = gain.settings.number("budget"), gain.settings.number("simulation_worth")
    outside = sum(q.cost for q in honoured.outside)
    bought, more = count_as_made_by_people(np.zeros(len(good))), good
    while more.any():
        bought = bought.add(replace_part_by_simulated(gain.table, more, gain.settings))
        left = budget - outside - bought.compute_cost(gain)
        more = allocate_rest(gain, bought.compute_real_equivalent(worth), left, budget, strategy, rng, honoured.reasons)
    return bought


def _note_missed_minimums(
    gain: Gain, floors: Iterable[Floor], sets: Iterable[Demand], bought: Bought
) -> Iterator[Note]:
    """Warn of minimums that the plan cannot meet because demands of people used up their part of the budget."""
    asked = [*((f.stratum, f.least) for f in floors), *((d.stratum, d.demonstrations) for d in sets)]
    for stratum, least in asked:
        got = float((bought.real + bought.simulated)[gain.table.find_rows(stratum)].sum())
        if got < least:
            yield note("plan.minimum_missed", stratum=str(stratum), gets=int(got), least=least)

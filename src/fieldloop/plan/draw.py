"""Draw a plan: quotas, work orders, what it is expected to win, what stays unshown, and what stands in its way."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.plan import Demand, Plan
from fieldloop.plan.allocate import Allocation, hand_out, price, rest
from fieldloop.plan.bought import Bought, by_people
from fieldloop.plan.demands import Asked
from fieldloop.plan.gain import Gain
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.rules.minimums import MINIMUM, degraded_demands
from fieldloop.plan.rules.recovery import ask_for_recoveries
from fieldloop.plan.rules.sites import fine_tuning_demands, site_sets
from fieldloop.plan.rules.tiers import tier_states, tier_targets, with_simulated
from fieldloop.plan.strata import Floats, tabulate
from fieldloop.plan.uncounted import uncounted
from fieldloop.plan.work.articles import Articles
from fieldloop.plan.work.orders import orders
from fieldloop.plan.work.rotation import band_warnings, qualified
from fieldloop.plan.work.templates import Crew
from fieldloop.protocol import Section


def draw(
    known: Known,
    demands: Iterable[Demand],
    crew: Crew,
    settings: Section,
    ids: Ids,
    at_ns: int,
    rng: np.random.Generator,
    strategy: str = "marginal",
) -> Plan:
    """Spend the settings' budget where it is expected to win most, within the rules, and hand out the work."""
    name, asked = ids.new("plan"), tuple(demands)
    gain = Gain(tabulate(known.coverages), settings, known.scores)
    spent = _within_minimums(known, gain, asked, crew, rng, strategy)
    quotas = ask_for_recoveries(spent.quotas, known.outcomes, settings, known.episodes)
    gaps = find_gaps(known, gain.table, settings)
    shown = Counter(e.handled for e in known.episodes)
    skus = known.deployment.skus if known.deployment else ()
    articles = Articles(skus, shown, tier_targets(settings)) if skus else None
    work, obstacles = orders(quotas, crew, settings, name, ids, articles)
    answered = tuple((id_, amount) for id_, amount in spent.answered if not id_.startswith(MINIMUM))
    warnings = (
        *spent.warnings,
        *uncounted(gain.table, known.episodes, known.outcomes, known.deployment),
        *obstacles,
        *(band_warnings(qualified(crew.operators, crew.task), known.deployment, settings) if quotas else ()),
        *_waiting(asked, answered, settings),
        *gaps.unsaid,
    )
    return Plan(
        id=name,
        budget=int(settings.number("budget")),
        strategy=strategy,
        quotas=tuple(quotas),
        orders=work,
        expected_gain=spent.gain,
        drawn_ns=at_ns,
        operations=settings.fingerprint,
        warnings=warnings,
        answered=answered,
        gaps=gaps.named,
        gain_low=spent.gain_low,
        gain_high=spent.gain_high,
        cost=sum(q.cost for q in quotas),
        policy=known.policy,
        tiers=tier_states(skus, shown, settings),
        sites=site_sets(gain.table, quotas, settings),
        cover=gaps.cover,
        in_hand_gain=gain.waiting,
    )


def _within_minimums(
    known: Known, gain: Gain, asked: Sequence[Demand], crew: Crew, rng: np.random.Generator, strategy: str
) -> Allocation:
    """Hand out freely; where that leaves degraded bins or a new site short, hand out again with it asked for.

    What people ask for comes first: the plan's own demands stand behind it in line, and what they lack is said.
    """
    budget = gain.settings.number("budget")
    good, honoured = hand_out(gain, asked, budget, strategy, rng)
    own = [
        *degraded_demands(gain.table, good, gain.settings),
        *fine_tuning_demands(gain.table, budget, gain.settings),
    ]
    if own:
        last = max((d.at_ns for d in asked), default=0) + 1
        behind = [replace(demand, at_ns=last) for demand in own]
        good, honoured = hand_out(gain, [*asked, *behind], budget, strategy, rng)
    bought = by_people(good)
    if crew.simulates:
        bought = _simulating(gain, good, honoured, strategy, rng)
    spent = price(known.coverages, gain, bought, honoured, rng)
    return replace(spent, warnings=(*spent.warnings, *_short(gain, own, bought)))


def _simulating(gain: Gain, good: Floats, honoured: Asked, strategy: str, rng: np.random.Generator) -> Bought:
    """Let the simulator make its share, and spend what that frees, until it buys nothing more."""
    budget, worth = gain.settings.number("budget"), gain.settings.number("simulation_worth")
    outside = sum(q.cost for q in honoured.outside)
    bought, more = by_people(np.zeros(len(good))), good
    while more.any():
        bought = bought.plus(with_simulated(gain.table, more, gain.settings))
        left = budget - outside - bought.cost(gain)
        more = rest(gain, bought.taught(worth), left, budget, strategy, rng)
    return bought


def _short(gain: Gain, own: Iterable[Demand], bought: Bought) -> Iterator[str]:
    """What the plan asked of itself and could not keep, because demands of people used up their part."""
    for demand in own:
        got = float((bought.real + bought.simulated)[gain.table.rows(demand.stratum)].sum())
        if got < demand.demonstrations:
            least = f"{demand.stratum} gets {got:.0f} of the {demand.demonstrations} that it should have at least"
            yield f"{least}: other demands took their part of the budget first. Raise the budget, or wait with them."


def _waiting(asked: Sequence[Demand], answered: Sequence[tuple[str, int]], settings: Section) -> Iterator[str]:
    waiting = sum(d.demonstrations for d in asked) - sum(amount for _, amount in answered)
    if waiting > 0:
        share = settings.number("max_demand_share")
        wait = f"{waiting} demonstrations that are asked for wait for the next plan"
        yield f"{wait}: demands may take {share:.0%} of this one."

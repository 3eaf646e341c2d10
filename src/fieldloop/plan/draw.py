"""Draw a plan: quotas, work orders, what it is expected to win, what stays unshown, and what stands in its way."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.plan import Demand, Plan, Quota, QuotaKind
from fieldloop.plan.allocate import Allocation, hand_out, price
from fieldloop.plan.gain import Gain
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.rules.minimums import MINIMUM, degraded_demands
from fieldloop.plan.rules.recovery import ask_for_recoveries
from fieldloop.plan.rules.sites import fine_tuning_demands, site_sets
from fieldloop.plan.rules.tiers import simulate_tail, tier_states, tier_targets
from fieldloop.plan.strata import tabulate
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
    spent = _within_minimums(known, gain, asked, rng, strategy)
    quotas = _by_kind(spent.quotas, known, crew, settings)
    gaps = find_gaps(known, gain.table, settings)
    shown = Counter(e.handled for e in known.episodes)
    skus = known.deployment.skus if known.deployment else ()
    articles = Articles(skus, shown, tier_targets(settings)) if skus else None
    work, obstacles = orders(quotas, crew, settings, name, ids, articles)
    answered = tuple((id_, amount) for id_, amount in spent.answered if not id_.startswith(MINIMUM))
    warnings = (
        *spent.warnings,
        *uncounted(gain.table, known.episodes, known.outcomes),
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
        gain_low=max(0.0, spent.gain_low - _simulated_low(quotas, spent.quotas)),
        gain_high=spent.gain_high,
        cost=sum(q.cost for q in quotas),
        policy=known.policy,
        tiers=tier_states(skus, shown, settings),
        sites=site_sets(gain.table, quotas, settings),
        cover=gaps.cover,
    )


def _within_minimums(
    known: Known, gain: Gain, asked: Sequence[Demand], rng: np.random.Generator, strategy: str
) -> Allocation:
    """Hand out freely; where that leaves degraded bins or a new site short, hand out again with it asked for.

    What people ask for comes first: the plan's own demands stand behind it in line.
    """
    budget = gain.settings.number("budget")
    tries, honoured = hand_out(gain, asked, budget, strategy, rng)
    own = [
        *degraded_demands(gain.table, tries, gain.settings),
        *fine_tuning_demands(gain.table, budget, gain.settings),
    ]
    if own:
        last = max((d.at_ns for d in asked), default=0) + 1
        behind = [replace(demand, at_ns=last) for demand in own]
        tries, honoured = hand_out(gain, [*asked, *behind], budget, strategy, rng)
    return price(known.coverages, gain, tries, honoured, rng)


def _by_kind(quotas: Sequence[Quota], known: Known, crew: Crew, settings: Section) -> list[Quota]:
    """Turn some of the demonstrations into simulated ones and into recoveries."""
    split = simulate_tail(quotas, settings) if crew.simulates else quotas
    return ask_for_recoveries(list(split), known.outcomes, settings)


def _simulated_low(quotas: Iterable[Quota], before: Iterable[Quota]) -> float:
    """What the lower end of the gain loses where simulated demonstrations may carry nothing over."""
    low = {q.stratum: q.gain_low / max(1, q.demonstrations) for q in before}
    return sum(low.get(q.stratum, 0.0) * q.demonstrations for q in quotas if q.kind is QuotaKind.SIMULATION)


def _waiting(asked: Sequence[Demand], answered: Sequence[tuple[str, int]], settings: Section) -> Iterator[str]:
    waiting = sum(d.demonstrations for d in asked) - sum(amount for _, amount in answered)
    if waiting > 0:
        share = settings.number("max_demand_share")
        wait = f"{waiting} demonstrations that are asked for wait for the next plan"
        yield f"{wait}: demands may take {share:.0%} of this one."

"""Draw a plan: quotas, work orders, expected gain, coverage gaps, and warnings."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand, Plan, WorkOrder
from fieldloop.plan.elsewhere import elsewhere_notes
from fieldloop.plan.gain import Gain
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.rules.minimums import MINIMUM
from fieldloop.plan.rules.recovery import ask_for_recoveries
from fieldloop.plan.rules.sites import site_sets
from fieldloop.plan.rules.tiers import tier_states, tier_targets
from fieldloop.plan.strata import tabulate
from fieldloop.plan.uncounted import uncounted_log_notes
from fieldloop.plan.within import spend_within_minimums
from fieldloop.plan.work.articles import Articles
from fieldloop.plan.work.orders import orders
from fieldloop.plan.work.rotation import band_warnings, qualified_operators
from fieldloop.plan.work.schedule import schedule
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
    """Spend the settings' budget where the expected gain is largest, within the rules, and assign the work."""
    name, asked = ids.new("plan"), tuple(demands)
    table = tabulate(known.coverages, known.elsewhere, settings.number("elsewhere_worth"))
    gain = Gain(table, settings, known.scores)
    spent = spend_within_minimums(known, gain, asked, rng, strategy, simulates=crew.simulates)
    deployed = tabulate(known.coverages) if known.elsewhere else table
    quotas = ask_for_recoveries(spent.quotas, known.outcomes, settings, known.episodes)
    gaps = find_gaps(known, gain.table, settings)
    shown = Counter(e.handled for e in known.episodes)
    skus = known.deployment.skus if known.deployment else ()
    articles = Articles(skus, shown, tier_targets(settings), settings.number("article_power")) if skus else None
    work, obstacles = orders(quotas, crew, settings, name, ids, articles)
    work = schedule(
        work, settings, at_ns, zones=known.deployment.time_zones if known.deployment else None,
        first=known.first_order, tries=_tries_of_orders(gain),
    )  # fmt: skip
    answered = tuple((id_, amount) for id_, amount in spent.answered if not id_.startswith(MINIMUM))
    warnings = (
        *spent.warnings,
        *uncounted_log_notes(deployed, known.episodes, known.outcomes, known.deployment),
        *elsewhere_notes(known.coverages, known.elsewhere, settings),
        *obstacles,
        *(band_warnings(qualified_operators(crew.operators, crew.task), known.deployment, settings) if quotas else ()),
        *_unmet_demand_warnings(asked, answered, settings),
        *gaps.unlogged,
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
        assumed=not gain.table.attempts.any(),
    )


def _tries_of_orders(gain: Gain) -> Callable[[WorkOrder], float]:
    """Return how often operators try until a demonstration of an order is good."""

    def tries(order: WorkOrder) -> float:
        rows = gain.table.rows(order.stratum)
        return float(1.0 / gain.operators.share[rows].mean()) if len(rows) else 1.0

    return tries


def _unmet_demand_warnings(
    asked: Sequence[Demand], answered: Sequence[tuple[str, int]], settings: Section
) -> Iterator[Note]:
    waiting = sum(d.demonstrations for d in asked) - sum(amount for _, amount in answered)
    if waiting > 0:
        yield note("plan.demands_wait", waiting=waiting, share=settings.number("max_demand_share"))

"""Draw a plan: quotas, work orders, expected gain, coverage gaps, and warnings."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.note import Note, note
from fieldloop.model.plan import Demand, Plan, WorkOrder
from fieldloop.plan.elsewhere import note_demonstrations_elsewhere
from fieldloop.plan.gain import Gain
from fieldloop.plan.gaps.find import find_gaps
from fieldloop.plan.known import Known
from fieldloop.plan.rules.minimums import MINIMUM
from fieldloop.plan.rules.recovery import ask_for_recoveries
from fieldloop.plan.rules.sites import compute_site_sets
from fieldloop.plan.rules.tiers import compute_tier_states, read_tier_targets
from fieldloop.plan.strata import make_table
from fieldloop.plan.uncounted import note_uncounted_logs
from fieldloop.plan.within import allocate_with_minimums
from fieldloop.plan.work.articles import Articles
from fieldloop.plan.work.orders import make_work_orders
from fieldloop.plan.work.rotation import list_qualified_operators, note_missing_people_bands
from fieldloop.plan.work.schedule import schedule_orders
from fieldloop.plan.work.templates import Crew
from fieldloop.protocol import Section


def draw_plan(
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
    table = make_table(known.coverages, known.elsewhere, settings.number("elsewhere_worth"))
    gain = Gain(table, settings, known.scores)
    spent = allocate_with_minimums(known, gain, asked, rng, strategy, simulates=crew.simulates)
    deployed = make_table(known.coverages) if known.elsewhere else table
    quotas = ask_for_recoveries(spent.quotas, known.outcomes, settings, known.episodes)
    gaps = find_gaps(known, gain.table, settings)
    shown = Counter(e.handled for e in known.episodes)
    skus = known.deployment.skus if known.deployment else ()
    articles = Articles(skus, shown, read_tier_targets(settings), settings.number("article_power")) if skus else None
    work, obstacles = make_work_orders(quotas, crew, settings, name, ids, articles)
    work = schedule_orders(
        work, settings, at_ns, zones=known.deployment.time_zones if known.deployment else None,
        first=known.first_order, tries=_make_tries_counter(gain),
    )  # fmt: skip
    answered = tuple((id_, amount) for id_, amount in spent.answered if not id_.startswith(MINIMUM))
    warnings = (
        *spent.warnings,
        *note_uncounted_logs(deployed, known.episodes, known.outcomes, known.deployment),
        *note_demonstrations_elsewhere(known.coverages, known.elsewhere, settings),
        *obstacles,
        *(
            note_missing_people_bands(list_qualified_operators(crew.operators, crew.task), known.deployment, settings)
            if quotas
            else ()
        ),
        *_note_unmet_demands(asked, answered, settings),
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
        tiers=compute_tier_states(skus, shown, settings),
        sites=compute_site_sets(gain.table, quotas, settings),
        cover=gaps.cover,
        in_hand_gain=gain.waiting,
        assumed=not gain.table.attempts.any(),
    )


def _make_tries_counter(gain: Gain) -> Callable[[WorkOrder], float]:
    """Return how often operators try until a demonstration of an order is good."""

    def count_tries(order: WorkOrder) -> float:
        rows = gain.table.find_rows(order.stratum)
        return float(1.0 / gain.operators.share[rows].mean()) if len(rows) else 1.0

    return count_tries


def _note_unmet_demands(
    asked: Sequence[Demand], answered: Sequence[tuple[str, int]], settings: Section
) -> Iterator[Note]:
    waiting = sum(d.demonstrations for d in asked) - sum(amount for _, amount in answered)
    if waiting > 0:
        yield note("plan.demands_wait", waiting=waiting, share=settings.number("max_demand_share"))

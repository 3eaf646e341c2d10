"""Draw a plan: quotas, work orders, what it is expected to win, and what stands in its way."""

from collections.abc import Iterable, Sequence

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.plan import Coverage, Demand, Plan
from fieldloop.plan.allocate import spend
from fieldloop.plan.orders import Crew, orders
from fieldloop.protocol import Section


def draw(
    coverages: Sequence[Coverage],
    demands: Iterable[Demand],
    crew: Crew,
    settings: Section,
    ids: Ids,
    at_ns: int,
    rng: np.random.Generator,
    strategy: str = "marginal",
) -> Plan:
    """Spend the settings' budget and hand out the work."""
    name, budget = ids.new("plan"), int(settings.number("budget"))
    asked = tuple(demands)
    spent = spend(coverages, asked, budget, settings, rng, strategy)
    work, warnings = orders(spent.quotas, crew, settings, name, ids)
    waiting = sum(d.demonstrations for d in asked) - sum(amount for _, amount in spent.answered)
    if waiting > 0:
        share = settings.number("max_demand_share")
        wait = f"{waiting} demonstrations that are asked for wait for the next plan"
        warnings = (*warnings, f"{wait}: demands may take {share:.0%} of this one.")
    return Plan(
        id=name,
        budget=budget,
        strategy=strategy,
        quotas=spent.quotas,
        orders=work,
        expected_gain=sum(q.gain for q in spent.quotas),
        drawn_ns=at_ns,
        operations=settings.fingerprint,
        warnings=warnings,
        answered=spent.answered,
    )

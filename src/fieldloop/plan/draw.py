"""Draw a plan: quotas, work orders, what it is expected to win, and what stands in its way."""

from collections.abc import Iterable, Sequence

import numpy as np

from fieldloop.model.identity import Ids
from fieldloop.model.plan import Coverage, Demand, Plan
from fieldloop.plan.allocate import allocate
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
    quotas = allocate(coverages, asked, budget, settings, rng, strategy)
    work, warnings = orders(quotas, crew, settings, name, ids)
    if (wanted := sum(d.demonstrations for d in asked)) > budget:
        warnings = (
            *warnings,
            f"{wanted} demonstrations are asked for and the budget is {budget}; the newest demands wait.",
        )
    return Plan(
        id=name,
        budget=budget,
        strategy=strategy,
        quotas=quotas,
        orders=work,
        expected_gain=sum(q.gain for q in quotas),
        drawn_ns=at_ns,
        operations=settings.fingerprint,
        warnings=warnings,
    )

"""Turn quotas into work orders: operator, robot, articles, and initial conditions to vary."""

from collections.abc import Sequence

from fieldloop.model.identity import Ids
from fieldloop.model.note import Note
from fieldloop.model.plan import OrderTemplate, Quota, WorkOrder
from fieldloop.plan.work.articles import Articles
from fieldloop.plan.work.starts import get_start_ranges
from fieldloop.plan.work.templates import Crew, fill_templates
from fieldloop.protocol import Section


def make_work_orders(
    quotas: Sequence[Quota], crew: Crew, settings: Section, plan: str, ids: Ids, articles: Articles | None = None
) -> tuple[tuple[WorkOrder, ...], tuple[Note, ...]]:
    """Make a template of each quota and fill it; return the orders, and warnings about rotation."""
    return fill_templates(make_order_templates(quotas, crew.protocol, settings, articles), crew, settings, plan, ids)


def make_order_templates(
    quotas: Sequence[Quota], protocol: str, settings: Section, articles: Articles | None = None
) -> tuple[OrderTemplate, ...]:
    """Write each quota as an order template."""
    start = get_start_ranges(settings)
    return tuple(
        OrderTemplate(
            name=f"{quota.kind} {quota.stratum}",
            stratum=quota.stratum,
            demonstrations=quota.demonstrations,
            protocol=protocol,
            site=quota.stratum.level("site") or "",
            kind=quota.kind,
            skus=articles.choose_articles(quota.stratum, quota.demonstrations) if articles else (),
            start=start,
        )
        for quota in quotas
    )

"""Work orders by site, and how far the plan is."""

from collections import defaultdict
from collections.abc import Sequence

from fieldloop.model.plan import Forecast, Progress, WorkOrder
from fieldloop.report.bars import progress_bar
from fieldloop.report.markup import Markup, folded, mono, panel, paragraph, table
from fieldloop.report.plan.content import shared_factors
from fieldloop.report.words import plural, where

MOST_SHOWN = 40
MOST_LISTED = 400
MOST_SKUS = 3


def work_orders(orders: Sequence[WorkOrder], progress: Sequence[Progress]) -> Markup:
    """Draw a table a site; a site of very many orders is folded."""
    sites: dict[str, list[WorkOrder]] = defaultdict(list)
    for order in orders:
        sites[order.site].append(order)
    accepted = {p.order: p.accepted for p in progress if p.order}
    columns = ("order", "robot", "operator", "what", "demos", "accepted", "kind", "articles", "vary at the start")
    body = []
    for site, own in sorted(sites.items()):
        count = plural(sum(o.demonstrations for o in own), "demonstration")
        listed = table(
            columns, [_order(o, accepted) for o in own[:MOST_LISTED]], columns[4:6], columns[3:4], columns[6:]
        )
        hidden = paragraph(f"{len(own) - MOST_LISTED:,} more are in the CSV.", "dim") if len(own) > MOST_LISTED else ""
        said = f"{site or 'any site'}: {plural(len(own), 'order')}, {count}"
        body.append(folded(said, [listed, hidden], opened=len(own) <= MOST_SHOWN))
    protocols = sorted({o.protocol for o in orders if o.protocol})
    return panel("Work orders", body, f"by protocol {', '.join(protocols)}" if protocols else "", "orders")


def how_far(progress: Sequence[Progress], forecast: Forecast | None) -> Markup:
    """Draw accepted, rejected and left by quota, what is most behind first, under the forecast."""
    quotas = sorted((p for p in progress if not p.order), key=lambda p: -p.left)
    without = shared_factors([p.stratum for p in quotas])
    rows = [
        (
            where(p.stratum, without),
            p.kind.value,
            progress_bar(p.accepted, p.rejected, p.planned),
            p.planned,
            p.done,
            p.accepted,
            p.rejected,
            p.left,
        )
        for p in quotas[:MOST_SHOWN]
    ]
    columns = ("where", "kind", "", "planned", "done", "accepted", "rejected", "left")
    body = [paragraph(said_of(quotas, forecast))]
    if rows:
        body.append(table(columns, rows, columns[3:]))
    if len(quotas) > MOST_SHOWN:
        body.append(paragraph(f"{plural(len(quotas) - MOST_SHOWN, 'row')} more in the JSON.", "dim"))
    return panel("How far it is", body, anchor="progress")


def said_of(progress: Sequence[Progress], forecast: Forecast | None) -> str:
    """Say how much is accepted, and when the rest will be."""
    told = [sum(getattr(p, name) for p in progress if not p.order) for name in ("accepted", "planned", "rejected")]
    said = [f"{told[0]:,} of {told[1]:,} accepted, {told[2]:,} rejected."] if progress else []
    return " ".join([*said, forecast.message] if forecast else said)


def _order(order: WorkOrder, accepted: dict[str, int]) -> tuple[object, ...]:
    more = f" and {len(order.skus) - MOST_SKUS} more" if len(order.skus) > MOST_SKUS else ""
    return (
        mono(order.id),
        mono(order.robot or "any"),
        mono(order.operator or "any"),
        where(order.stratum, ["site"]),
        order.demonstrations,
        accepted.get(order.id, ""),
        order.kind.value,
        ", ".join(order.skus[:MOST_SKUS]) + more or "any of it",
        ", ".join(f"{name} {span}" for name, span in order.start) or "as the protocol says",
    )

"""Work orders by site, and the progress of the plan."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fieldloop.model.plan import Forecast, Progress, QuotaKind, WorkOrder
from fieldloop.report.bars import draw_progress_bar
from fieldloop.report.markup import draw_folded, draw_monospace, draw_panel, draw_paragraph, draw_table
from fieldloop.report.plan.content import PlanReport, find_shared_factors
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_count, format_fixed, format_plural, stratum_in_words

MOST_SHOWN = 40
MOST_LISTED = 400
MOST_SKUS = 3
LONGEST_ID, SHORT_ID = 16, 8


def draw_work_orders(orders: Sequence[WorkOrder], progress: Sequence[Progress]) -> Markup:
    """Draw one table per site; a site with many orders is folded."""
    sites: dict[str, list[WorkOrder]] = defaultdict(list)
    for order in orders:
        sites[order.site].append(order)
    accepted = {p.order: p.accepted for p in progress if p.order}
    body = []
    for site, site_orders in sorted(sites.items()):
        count = format_plural(sum(o.demonstrations for o in site_orders), "demonstration")
        title = f"{site or 'any site'}: {format_plural(len(site_orders), 'order')}, {count}"
        body.append(draw_folded(title, _draw_site_orders(site_orders, accepted), opened=len(site_orders) <= MOST_SHOWN))
    protocols = sorted({o.protocol for o in orders if o.protocol})
    return draw_panel("Work orders", body, f"by protocol {', '.join(protocols)}" if protocols else "", "orders")


def _draw_site_orders(orders: Sequence[WorkOrder], accepted_by_order: Mapping[str, int]) -> list[Markup]:
    """Draw the orders of one site; shared initial conditions are written once."""
    starts = {order.start for order in orders}
    columns = [
        "order",
        "robot",
        "operator",
        "what",
        "demos",
        *(["accepted"] if accepted_by_order else []),
        "kind",
        "articles",
    ]
    columns += ["hours", "due"]
    columns += ["initial conditions"] if len(starts) > 1 else []
    rows = []
    for order in orders[:MOST_LISTED]:
        done = [accepted_by_order.get(order.id, 0)] if accepted_by_order else []
        begin = [_format_initial_conditions(order.start)] if len(starts) > 1 else []
        rows.append(
            (
                *_make_order_cells(order),
                order.demonstrations,
                *done,
                order.kind.value,
                _format_articles(order),
                *_format_hours_and_due(order),
                *begin,
            )
        )
    made = [
        draw_table(columns, rows, ("demos", "accepted", "hours"), ("what",), ("kind", "articles", "initial conditions"))
    ]
    if len(starts) == 1 and orders[0].start:
        made.insert(
            0, draw_paragraph(f"Vary the initial conditions: {_format_initial_conditions(orders[0].start)}.", "dim")
        )
    if len(orders) > MOST_LISTED:
        made.append(draw_paragraph(f"{format_count(len(orders) - MOST_LISTED)} more are in the CSV.", "dim"))
    return made


def draw_progress_panel(progress: Sequence[Progress], forecast: Forecast | None) -> Markup:
    """Draw accepted, rejected and left by quota, the most behind first, under the forecast."""
    quotas = sorted((p for p in progress if not p.order), key=lambda p: -p.left)
    without = find_shared_factors([p.stratum for p in quotas])
    rows = [
        (
            stratum_in_words(p.stratum, without),
            p.kind.value,
            draw_progress_bar(p.accepted, p.rejected, p.planned),
            p.planned,
            p.done,
            p.accepted,
            p.rejected,
            p.left,
        )
        for p in quotas[:MOST_SHOWN]
    ]
    columns = ("where", "kind", "", "planned", "done", "accepted", "rejected", "left")
    body = [draw_paragraph(write_progress_line(quotas, forecast))]
    begun = any(p.done for p in quotas)
    if begun:
        body.append(draw_table(columns, rows, columns[3:]))
    if begun and len(quotas) > MOST_SHOWN:
        body.append(draw_paragraph(f"{format_plural(len(quotas) - MOST_SHOWN, 'row')} more in the JSON.", "dim"))
    return draw_panel("Progress", body, anchor="progress")


def write_progress_line(progress: Sequence[Progress], forecast: Forecast | None) -> str:
    """Write how much of the order is accepted, the surplus, and the forecast for the rest."""
    quotas = [p for p in progress if not p.order]
    parts = [format_progress_counts(quotas)] if quotas else []
    return " ".join([*parts, write_sentence(forecast.message)] if forecast else parts)


def write_unplanned_count(report: PlanReport) -> str:
    """Write how many accepted demonstrations count for no quota, and what they are good for."""
    count = format_plural(report.beside, "accepted demonstration")
    return f"{count} beside the plan. The next plan counts them for the conditions that they share with production."


def format_progress_counts(progress: Sequence[Progress]) -> str:
    """Write how much of quotas or orders is accepted, the surplus, and what was rejected."""
    planned, left = sum(p.planned for p in progress), sum(p.left for p in progress)
    beyond = sum(p.accepted for p in progress) - (planned - left)
    more = f", {format_count(beyond)} more than ordered" if beyond else ""
    simulated = sum(p.planned for p in progress if p.kind is QuotaKind.SIMULATION)
    made = f" ({format_count(simulated)} of them are to be simulated)" if simulated else ""
    rejected = format_count(sum(p.rejected for p in progress))
    return f"{format_count(planned - left)} of {format_count(planned)}{made} accepted{more}, {rejected} rejected."


def _make_order_cells(order: WorkOrder) -> tuple[Markup, Markup, Markup, str]:
    short = order.id if len(order.id) <= LONGEST_ID else f"…{order.id[-SHORT_ID:]}"
    identity = order.name if order.number else short
    return (
        draw_monospace(identity),
        draw_monospace(order.robot or "any"),
        draw_monospace(order.operator or "any"),
        stratum_in_words(order.stratum, ["site"]),
    )


def _format_hours_and_due(order: WorkOrder) -> tuple[str, str]:
    return format_fixed(order.hours, 1) if order.hours else "", order.due


def _format_articles(order: WorkOrder) -> str:
    more = f" and {len(order.skus) - MOST_SKUS} more" if len(order.skus) > MOST_SKUS else ""
    return ", ".join(order.skus[:MOST_SKUS]) + more or "any article of the stratum"


def _format_initial_conditions(initial_conditions: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {span}" for name, span in initial_conditions) or "as in the protocol"

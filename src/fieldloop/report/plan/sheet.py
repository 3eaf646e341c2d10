"""Work orders as sheets of paper, one for each operator: what to do, in which order, by when."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.plan import WorkOrder
from fieldloop.report.markup import paragraph, table
from fieldloop.report.page import page
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import fixed, plural, stratum_in_words

COLUMNS = ("order", "due", "site", "robot", "what", "articles", "demos", "hours", "collected", "note")


@dataclass(frozen=True, slots=True)
class OrderSheet:
    """The orders of one operator ('' where no one is assigned), with what they add up to."""

    operator: str
    orders: tuple[WorkOrder, ...]
    demonstrations: int
    hours: float
    cost: float | None
    due: str
    currency: str = ""
    protocol: str = ""


def order_sheets(orders: Sequence[WorkOrder], currency: str = "") -> tuple[OrderSheet, ...]:
    """Sort orders by operator; each sheet lists them as they are due."""
    by_operator: dict[str, list[WorkOrder]] = defaultdict(list)
    for order in orders:
        by_operator[order.operator].append(order)
    return tuple(
        OrderSheet(
            operator,
            tuple(sorted(own, key=lambda order: (order.due, order.number))),
            sum(order.demonstrations for order in own),
            sum(order.hours for order in own),
            sum(order.cost or 0.0 for order in own) if any(order.cost is not None for order in own) else None,
            max(order.due for order in own),
            currency,
            ", ".join(sorted({order.protocol for order in own if order.protocol})),
        )
        for operator, own in sorted(by_operator.items())
    )


def sheets_html(sheets: Sequence[OrderSheet]) -> str:
    """Return all sheets as one page; each begins on its own sheet of paper."""
    blocks = [tag("section", *draw_sheet(sheet), class_="panel", style="break-after:page") for sheet in sheets]
    return page("Work orders", blocks, kind="fieldloop plan")


def draw_sheet(sheet: OrderSheet) -> list[Markup]:
    """Draw one sheet: whose it is, what it adds up to, and a row for each order."""
    head = tag("h2", f"Work orders for {sheet.operator}" if sheet.operator else "Work orders, not assigned")
    starts = {order.start for order in sheet.orders}
    begin = [paragraph(_starts_text(start)) for start in sorted(starts) if start]
    rows = [_row(order) for order in sheet.orders]
    return [
        head,
        paragraph(summary_text(sheet)),
        *begin,
        table(COLUMNS, rows, ("demos", "hours"), ("what", "articles")),
    ]


def summary_text(sheet: OrderSheet) -> str:
    """Write what the orders of a sheet add up to."""
    parts = [plural(len(sheet.orders), "order"), plural(sheet.demonstrations, "demonstration")]
    parts += [f"about {fixed(sheet.hours, 1)} hours"] if sheet.hours else []
    parts += [f"cost {fixed(sheet.cost, 0)} {sheet.currency}".strip()] if sheet.cost is not None else []
    parts += [f"due by {sheet.due}"] if sheet.due else []
    parts += [f"protocol {sheet.protocol}"] if sheet.protocol else []
    return ", ".join(parts) + "."


def articles_text(order: WorkOrder) -> str:
    """Name the articles of an order."""
    return ", ".join(order.skus) or "any article of the stratum"


def _row(order: WorkOrder) -> tuple[object, ...]:
    return (
        order.name, order.due, order.site or "any", order.robot or "any", stratum_in_words(order.stratum, ["site"]),
        articles_text(order), order.demonstrations, fixed(order.hours, 1) if order.hours else "", "", "",
    )  # fmt: skip


def _starts_text(start: Sequence[tuple[str, str]]) -> str:
    return f"Vary the initial conditions: {', '.join(f'{name} {span}' for name, span in start)}."

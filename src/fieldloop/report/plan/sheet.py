"""Work orders as sheets of paper, one for each operator: what to do, in which order, by when."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from fieldloop.model.plan import QuotaKind, WorkOrder
from fieldloop.report.markup import draw_paragraph, draw_table
from fieldloop.report.page import render_page
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_fixed, format_plural, stratum_in_words

TO_FILL_IN = ("collected", "note")
COLUMNS = ("order", "due", "site", "robot", "what", "articles", "demos", "hours", *TO_FILL_IN)


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


def make_order_sheets(orders: Sequence[WorkOrder], currency: str = "") -> tuple[OrderSheet, ...]:
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


def render_order_sheets(sheets: Sequence[OrderSheet]) -> str:
    """Return all sheets as one page; each begins on its own sheet of paper."""
    blocks = [tag("section", *draw_sheet(sheet), class_="panel", style="break-after:page") for sheet in sheets]
    return render_page("Work orders", blocks, kind="fieldloop plan")


def draw_sheet(sheet: OrderSheet) -> list[Markup]:
    """Draw one sheet: whose it is, what it adds up to, and a row for each order."""
    rows = [make_order_row(order) for order in sheet.orders]
    return [
        tag("h2", write_sheet_title(sheet)),
        draw_paragraph(write_sheet_summary(sheet)),
        *(draw_paragraph(text) for text in write_initial_conditions(sheet)),
        draw_table(COLUMNS, rows, ("demos", "hours"), ("what", "articles")),
    ]


def write_sheet_title(sheet: OrderSheet) -> str:
    """Name the operator of a sheet."""
    return f"Work orders for {sheet.operator}" if sheet.operator else "Work orders, not assigned"


def write_sheet_summary(sheet: OrderSheet) -> str:
    """Write what the orders of a sheet add up to."""
    parts = [format_plural(len(sheet.orders), "order"), format_plural(sheet.demonstrations, "demonstration")]
    parts += [f"about {format_fixed(sheet.hours, 1)} hours"] if sheet.hours else []
    parts += [f"cost {format_fixed(sheet.cost, 0)} {sheet.currency}".strip()] if sheet.cost is not None else []
    parts += [f"due by {sheet.due}"] if sheet.due else []
    parts += [f"protocol {sheet.protocol}"] if sheet.protocol else []
    return ", ".join(parts) + "."


def format_order_articles(order: WorkOrder) -> str:
    """Name the articles of an order."""
    return ", ".join(order.skus) or "any article of the stratum"


def _write_stratum_and_kind(order: WorkOrder) -> str:
    """Name what to collect; a kind other than a demonstration is stated, since a robot cannot collect all of them."""
    words = stratum_in_words(order.stratum, ["site"])
    return words if order.kind is QuotaKind.DEMONSTRATION else f"{words} ({order.kind.value})"


def make_order_row(order: WorkOrder) -> tuple[object, ...]:
    """Return the cells of one order, in the order of `COLUMNS`; the last two are filled in by hand."""
    return (
        order.name, order.due, order.site or "any", order.robot or "any", _write_stratum_and_kind(order),
        format_order_articles(order), order.demonstrations, format_fixed(order.hours, 1) if order.hours else "", "", "",
    )  # fmt: skip


def write_initial_conditions(sheet: OrderSheet) -> list[str]:
    """State which initial conditions to vary, once where several orders ask for the same."""
    return [_format_initial_conditions(start) for start in sorted({order.start for order in sheet.orders}) if start]


def _format_initial_conditions(initial_conditions: Sequence[tuple[str, str]]) -> str:
    return f"Vary the initial conditions: {', '.join(f'{name} {span}' for name, span in initial_conditions)}."

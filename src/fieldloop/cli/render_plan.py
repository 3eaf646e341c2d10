"""Print the plan, its progress and forecast, and scores of earlier plans."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import (
    format_status,
    format_value,
    make_heading,
    make_styled_text,
    make_table,
    make_two_line_cell,
)
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, CoverageGap, Forecast, Plan, PlanScore, Progress, QuotaKind, WorkOrder
from fieldloop.report.plan.content import (
    PlanReport,
    count_demonstrations_by_level,
    select_deployed_strata,
    sort_by_gain,
    write_headline,
    write_uncovered_share,
)
from fieldloop.report.plan.orders import format_progress_counts, write_progress_line, write_unplanned_count
from fieldloop.report.plan.sheet import (
    COLUMNS,
    TO_FILL_IN,
    OrderSheet,
    make_order_row,
    write_initial_conditions,
    write_sheet_summary,
    write_sheet_title,
)
from fieldloop.say import write_details, write_sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import (
    format_count,
    format_interval,
    format_number,
    format_plural,
    format_points,
    format_small_share,
    format_time,
    percent,
    shorten_ids,
)

MOST_QUOTAS = 12  # on a screen; --json and --html have all
MOST_GAPS = 5
MOST_STRATA = 10


def print_plan(result: Plan, screen: Screen) -> None:
    """Print what to collect, with the expected gain, its interval and reasons; then gaps and orders."""
    screen.print(make_heading(write_headline(PlanReport(result, (), ()))))
    _print_plan(result, screen)


def print_plan_in_force(now: Any, screen: Screen) -> None:
    """Print the plan in force and its progress; without one, what the data lack."""
    screen.print(make_heading(write_headline(now)))
    if now.plan is not None:
        _print_plan(now.plan, screen, is_earlier=True)
        screen.print()
        screen.print(write_progress_line(now.progress, now.forecast) or "Nothing was ingested for this plan yet.")
        if now.beside:
            screen.print(write_unplanned_count(now))
        if quotas := [p for p in now.progress if not p.order]:
            print_progress(quotas, screen)
        screen.print()
        screen.print(write_uncovered_share(now.coverage))
    _print_coverage(now.coverage, screen)
    if now.scores:
        screen.print()
        for score in now.scores:
            print_plan_score(score, screen)
    if now.plan is None:
        screen.print("Make a plan: fieldloop plan")
    if now.html:
        screen.print(f"\nHTML page: {now.html}")


def print_progress(rows: Sequence[Progress], screen: Screen) -> None:
    """Print the progress of quotas or orders, the most behind first."""
    ranked = sorted(rows, key=lambda p: -p.left)
    ordered, reported = any(p.order for p in ranked), any(p.reported is not None for p in ranked)
    if ordered:
        screen.print(format_progress_counts(ranked))
    figures = ("planned", "reported", "done", "accepted", "rejected", "left")
    shown = [name for name in figures if reported or name != "reported"]
    cells = []
    for p in ranked[:MOST_QUOTAS]:
        what = _format_stratum_with_kind(p.stratum, p.kind)
        cells.append((*(getattr(p, n) for n in shown), make_two_line_cell(p.order or what, what if p.order else "")))
    screen.print(make_table((*shown, "order" if ordered else "stratum"), cells, right=shown))
    _print_omitted_count(len(ranked) - MOST_QUOTAS, "row", screen)


def print_forecast(result: Forecast, screen: Screen) -> None:
    """Print when a plan will be complete at the current pace."""
    known = result.days is not None or result.left == 0
    word = "done" if result.left == 0 else "on its way" if known else ""
    screen.print(
        format_status(Status.PASSED if known else Status.CANNOT_TELL, word).append(
            f"  {write_sentence(result.message)}", style="default"
        )
    )


def print_plan_score(score: PlanScore, screen: Screen) -> None:
    """Print the promised and the measured gain of a plan."""
    words = {Status.PASSED: "kept", Status.FAILED: "fell short"}
    came = f"{format_points(score.measured)} points ({format_interval(score.measured_low, score.measured_high)})"
    promised = f"{format_points(score.expected)} ({format_interval(score.expected_low, score.expected_high)})"
    trained = f", compared with policy {shorten_ids(score.after)}" if score.after else ""
    line = f"  {shorten_ids(score.plan)}{trained}: {came}, promised {promised}. {write_sentence(score.message)}"
    screen.print(format_status(score.status, words.get(score.status, "")).append(line, style="default"))


def _print_plan(plan_to_print: Plan, screen: Screen, *, is_earlier: bool = False) -> None:
    """Print a plan; `is_earlier`: mark warnings and gaps as of the day it was drawn."""
    cost = f", cost {format_number(plan_to_print.cost)}" if plan_to_print.cost else ""
    made = (
        f"{shorten_ids(plan_to_print.id)}, made {format_time(plan_to_print.drawn_ns)} with strategy "
        f"{plan_to_print.strategy}"
    )
    drawn_by = f"{made}, budget {format_count(plan_to_print.budget)}{cost}"
    screen.print(make_styled_text(drawn_by, "dim"))
    if is_earlier and plan_to_print.warnings:
        screen.print(f"When the plan was made ({format_time(plan_to_print.drawn_ns)}):")
    for warning in plan_to_print.warnings:
        screen.print(make_styled_text(f"{MARKS[Status.CANNOT_TELL].sign} {write_sentence(warning)}", "yellow"))
    ranked = sort_by_gain([q for q in plan_to_print.quotas if q.demonstrations])
    if ranked:
        rows = [
            (
                q.demonstrations,
                format_points(q.gain, 2),
                format_interval(q.gain_low, q.gain_high, 2),
                make_two_line_cell(_format_stratum_with_kind(q.stratum, q.kind), write_details(q.why)),
            )
            for q in ranked[:MOST_QUOTAS]
        ]
        columns = ("demos", "gain, points", "interval", "stratum and reasons")
        screen.print(make_table(columns, rows, right=("demos", "gain, points")))
        _print_omitted_count(len(ranked) - MOST_QUOTAS, "row", screen)
        screen.print()
        screen.print(make_table(("in all", "demonstrations"), list(count_demonstrations_by_level(ranked))))
    _print_gaps(plan_to_print.gaps, screen, " when the plan was made" if is_earlier else "")
    _print_orders(plan_to_print.orders, screen)


def _format_stratum_with_kind(stratum: Stratum, kind: QuotaKind) -> str:
    return format_value(stratum) if kind is QuotaKind.DEMONSTRATION else f"{format_value(stratum)} ({kind.value})"


def _print_gaps(gaps: Sequence[CoverageGap], screen: Screen, heading_end: str) -> None:
    if not gaps:
        return
    counts = Counter(gap.kind.value for gap in gaps)
    screen.print()
    kinds = ", ".join(f"{format_count(count)} × {kind}" for kind, count in counts.items())
    screen.print(make_heading(f"{format_plural(len(gaps), 'gap')}{heading_end}: {kinds}"))
    ranked = sorted(gaps, key=lambda g: -1.0 if g.share is None else g.share, reverse=True)
    for gap in ranked[:MOST_GAPS]:
        screen.print(f"- {write_sentence(gap.message)}")
    _print_omitted_count(len(ranked) - MOST_GAPS, "gap", screen)


def print_order_sheet(sheet: OrderSheet, screen: Screen) -> None:
    """Print the orders of one operator, as they are due."""
    screen.print(make_heading(write_sheet_title(sheet)))
    screen.write(write_sheet_summary(sheet))
    for text in write_initial_conditions(sheet):
        screen.write(text)
    blank = len(TO_FILL_IN)  # cells that only paper needs
    rows = [make_order_row(order)[:-blank] for order in sheet.orders]
    screen.print(make_table(COLUMNS[:-blank], rows, right=("demos", "hours")))


def _print_orders(orders: Sequence[WorkOrder], screen: Screen) -> None:
    if not orders:
        return
    sites = dict.fromkeys(order.site for order in orders)
    own = {site: [order for order in orders if order.site == site] for site in sites}
    by_site = [f"{site or 'any site'} {len(mine)} ({_write_work_summary(mine)})" for site, mine in own.items()]
    screen.print()
    screen.print(make_heading(f"{format_plural(len(orders), 'work order')}: {', '.join(by_site)}"))


def _write_work_summary(orders: Sequence[WorkOrder]) -> str:
    """Write how many demonstrations, and for how many operators where they are named."""
    people = {order.operator for order in orders} - {""}
    asked = format_plural(sum(order.demonstrations for order in orders), "demonstration")
    return f"{asked}, {format_plural(len(people), 'operator')}" if people else asked


def _print_coverage(coverage: Sequence[Coverage], screen: Screen) -> None:
    there = sorted(select_deployed_strata(coverage), key=lambda c: -c.exposure)
    rows = [
        (
            format_small_share(c.exposure),
            c.demonstrations,
            percent(c.share),
            c.attempts,
            percent(c.failures / c.attempts) if c.attempts else "not attempted",
            c.stratum,
        )
        for c in there[:MOST_STRATA]
    ]
    columns = ("share of production", "demos", "share of the data", "attempts", "failed", "stratum")
    if rows:
        screen.print(make_table(columns, rows, right=columns[:-1]))
    _print_omitted_count(len(there) - MOST_STRATA, "stratum", screen, "strata")


def _print_omitted_count(count: int, word: str, screen: Screen, plural_word: str = "") -> None:
    if count > 0:
        screen.print(
            make_styled_text(
                f"And {format_plural(count, f'more {word}', plural_word and f'more {plural_word}')}; --json lists all.",
                "dim",
            )
        )

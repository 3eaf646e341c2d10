"""Print the plan, its progress and forecast, and scores of earlier plans."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, mark, styled, table, two_line_cell, value_text
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import Status
from fieldloop.model.plan import Coverage, CoverageGap, Forecast, Plan, PlanScore, Progress, QuotaKind, WorkOrder
from fieldloop.report.plan.content import (
    PlanReport,
    demonstrations_by_level,
    deployed_strata,
    headline,
    sort_by_gain,
    uncovered_text,
)
from fieldloop.report.plan.orders import beside_text, progress_counts_text, progress_line
from fieldloop.say import details, sentence
from fieldloop.say.marks import MARKS
from fieldloop.say.numbers import (
    format_number,
    format_time,
    interval,
    percent,
    plural,
    points,
    shorten_ids,
    small_share,
    whole,
)

MOST_QUOTAS = 12  # on a screen; --json and --html have all
MOST_GAPS = 5
MOST_STRATA = 10


def plan(drawn: Plan, screen: Screen) -> None:
    """Print what to collect, with the expected gain, its interval and reasons; then gaps and orders."""
    screen.print(heading(headline(PlanReport(drawn, (), ()))))
    _print_plan(drawn, screen)


def plan_now(now: Any, screen: Screen) -> None:
    """Print the plan in force and its progress; without one, what the data lack."""
    screen.print(heading(headline(now)))
    if now.plan is not None:
        _print_plan(now.plan, screen, earlier=True)
        screen.print()
        screen.print(progress_line(now.progress, now.forecast) or "Nothing was ingested for this plan yet.")
        if now.beside:
            screen.print(beside_text(now))
        if quotas := [p for p in now.progress if not p.order]:
            progress(quotas, screen)
        screen.print()
        screen.print(uncovered_text(now.coverage))
    _coverage(now.coverage, screen)
    if now.scores:
        screen.print()
        for score in now.scores:
            scored(score, screen)
    if now.plan is None:
        screen.print("Make a plan: fieldloop plan")
    if now.html:
        screen.print(f"\nHTML page: {now.html}")


def progress(rows: Sequence[Progress], screen: Screen) -> None:
    """Print the progress of quotas or orders, the most behind first."""
    ranked = sorted(rows, key=lambda p: -p.left)
    ordered, reported = any(p.order for p in ranked), any(p.reported is not None for p in ranked)
    if ordered:
        screen.print(progress_counts_text(ranked))
    figures = ("planned", "reported", "done", "accepted", "rejected", "left")
    shown = [name for name in figures if reported or name != "reported"]
    cells = []
    for p in ranked[:MOST_QUOTAS]:
        what = _stratum_with_kind(p.stratum, p.kind)
        cells.append((*(getattr(p, n) for n in shown), two_line_cell(p.order or what, what if p.order else "")))
    screen.print(table((*shown, "order" if ordered else "stratum"), cells, right=shown))
    _print_omitted_count(len(ranked) - MOST_QUOTAS, "row", screen)


def forecast(seen: Forecast, screen: Screen) -> None:
    """Print when a plan will be complete at the current pace."""
    known = seen.days is not None or seen.left == 0
    word = "done" if seen.left == 0 else "on its way" if known else ""
    screen.print(
        mark(Status.PASSED if known else Status.CANNOT_TELL, word).append(
            f"  {sentence(seen.message)}", style="default"
        )
    )


def scored(score: PlanScore, screen: Screen) -> None:
    """Print the promised and the measured gain of a plan."""
    words = {Status.PASSED: "kept", Status.FAILED: "fell short"}
    came = f"{points(score.measured)} points ({interval(score.measured_low, score.measured_high)})"
    promised = f"{points(score.expected)} ({interval(score.expected_low, score.expected_high)})"
    trained = f", compared with policy {shorten_ids(score.after)}" if score.after else ""
    line = f"  {shorten_ids(score.plan)}{trained}: {came}, promised {promised}. {sentence(score.message)}"
    screen.print(mark(score.status, words.get(score.status, "")).append(line, style="default"))


def _print_plan(drawn: Plan, screen: Screen, *, earlier: bool = False) -> None:
    """Print a plan; `earlier`: mark warnings and gaps as of the day it was drawn."""
    cost = f", cost {format_number(drawn.cost)}" if drawn.cost else ""
    made = f"{shorten_ids(drawn.id)}, made {format_time(drawn.drawn_ns)} with strategy {drawn.strategy}"
    drawn_by = f"{made}, budget {whole(drawn.budget)}{cost}"
    screen.print(styled(drawn_by, "dim"))
    if earlier and drawn.warnings:
        screen.print(f"When the plan was made ({format_time(drawn.drawn_ns)}):")
    for warning in drawn.warnings:
        screen.print(styled(f"{MARKS[Status.CANNOT_TELL].sign} {sentence(warning)}", "yellow"))
    ranked = sort_by_gain([q for q in drawn.quotas if q.demonstrations])
    if ranked:
        rows = [
            (
                q.demonstrations,
                points(q.gain, 2),
                interval(q.gain_low, q.gain_high, 2),
                two_line_cell(_stratum_with_kind(q.stratum, q.kind), details(q.why)),
            )
            for q in ranked[:MOST_QUOTAS]
        ]
        columns = ("demos", "gain, points", "interval", "stratum and reasons")
        screen.print(table(columns, rows, right=("demos", "gain, points")))
        _print_omitted_count(len(ranked) - MOST_QUOTAS, "row", screen)
        screen.print()
        screen.print(table(("in all", "demonstrations"), list(demonstrations_by_level(ranked))))
    _gaps(drawn.gaps, screen, " when the plan was made" if earlier else "")
    _orders(drawn.orders, screen)


def _stratum_with_kind(stratum: Stratum, kind: QuotaKind) -> str:
    return value_text(stratum) if kind is QuotaKind.DEMONSTRATION else f"{value_text(stratum)} ({kind.value})"


def _gaps(gaps: Sequence[CoverageGap], screen: Screen, then: str) -> None:
    if not gaps:
        return
    counts = Counter(gap.kind.value for gap in gaps)
    screen.print()
    kinds = ", ".join(f"{whole(count)} × {kind}" for kind, count in counts.items())
    screen.print(heading(f"{plural(len(gaps), 'gap')}{then}: {kinds}"))
    ranked = sorted(gaps, key=lambda g: -1.0 if g.share is None else g.share, reverse=True)
    for gap in ranked[:MOST_GAPS]:
        screen.print(f"- {sentence(gap.message)}")
    _print_omitted_count(len(ranked) - MOST_GAPS, "gap", screen)


def _orders(orders: Sequence[WorkOrder], screen: Screen) -> None:
    if not orders:
        return
    sites = dict.fromkeys(order.site for order in orders)
    own = {site: [order for order in orders if order.site == site] for site in sites}
    by_site = [f"{site or 'any site'} {len(mine)} ({_work_text(mine)})" for site, mine in own.items()]
    screen.print()
    screen.print(heading(f"{plural(len(orders), 'work order')}: {', '.join(by_site)}"))


def _work_text(orders: Sequence[WorkOrder]) -> str:
    """Write how many demonstrations, and for how many operators where they are named."""
    people = {order.operator for order in orders} - {""}
    asked = plural(sum(order.demonstrations for order in orders), "demonstration")
    return f"{asked}, {plural(len(people), 'operator')}" if people else asked


def _coverage(coverage: Sequence[Coverage], screen: Screen) -> None:
    there = sorted(deployed_strata(coverage), key=lambda c: -c.exposure)
    rows = [
        (
            small_share(c.exposure),
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
        screen.print(table(columns, rows, right=columns[:-1]))
    _print_omitted_count(len(there) - MOST_STRATA, "stratum", screen, "strata")


def _print_omitted_count(count: int, word: str, screen: Screen, many: str = "") -> None:
    if count > 0:
        screen.print(styled(f"And {plural(count, f'more {word}', many and f'more {many}')}; --json lists all.", "dim"))

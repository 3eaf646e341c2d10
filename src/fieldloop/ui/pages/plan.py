"""The Coverage and plan page: gaps in the data, what to collect, the expected gain, and progress."""

import math
from collections.abc import Sequence
from urllib.parse import urlencode

from fieldloop.errors import Refused
from fieldloop.loop.plan.plan import STRATEGY_NAMES, PlanNow, show_order_sheet, show_plan
from fieldloop.model.plan import CoverageGap, Plan, PlanScore
from fieldloop.report.plan import write_headline, write_uncovered_share
from fieldloop.report.plan.content import select_deployed_strata
from fieldloop.report.plan.curve_drawing import draw_curves
from fieldloop.report.plan.grid import MOST_LEVELS, choose_grid_factors, list_deployed_factors, make_coverage_grid
from fieldloop.report.plan.orders import write_progress_line, write_unplanned_count
from fieldloop.report.plan.sheet import draw_sheet, format_order_articles
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import (
    format_count,
    format_fixed,
    format_interval,
    format_plural,
    format_points,
    format_small_share,
    format_time,
    levels_in_words,
    percent,
    shorten_ids,
)
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_answer_card,
    draw_button,
    draw_chip,
    draw_copyable_command,
    draw_empty_state,
    draw_form,
    draw_heat_map,
    draw_interval_bar,
    draw_panel,
    draw_table,
)
from fieldloop.ui.pages.home import draw_budget_slider, draw_quotas
from fieldloop.ui.visit import Drawn, Visit

NOT_MAPPED = "audit.not_mapped"
MOST_ORDERS = 60
MOST_STRATA = 200
MOST_GAPS = 12


def draw(visit: Visit) -> Drawn:
    """Draw the plan page."""
    try:
        now = show_plan(visit.workspace)
    except Refused as refused:
        if NOT_MAPPED not in {reason.code for reason in refused.reasons}:
            raise
        how = "Coverage and the plan need a deployment map."
        nothing = draw_empty_state(
            "No deployment is mapped yet", how, draw_copyable_command("fieldloop audit --example")
        )
        return Drawn(escape("Coverage and plan"), (nothing,))
    parts: list[Markup | None] = [_draw_answer_card(now), _draw_next_plan_form(now), _draw_heat_map(now, visit)]
    parts += _draw_plan_panels(now.plan, now) if now.plan else ()
    parts += [_draw_scores(now.scores), _draw_strata(now)]
    return Drawn(escape("Coverage and plan"), tuple(part for part in parts if part is not None))


def _draw_next_plan_form(plan_now: PlanNow) -> Markup:
    """Draw the form that makes the next plan; it replaces the plan in force."""
    budget = str(plan_now.plan.budget) if plan_now.plan else ""
    fields = (
        Field("budget", "Budget, in ordinary demonstrations (empty: as set in operations)", "number", value=budget),
        Field("strategy", "Strategy", "choice", value=STRATEGY_NAMES[0], choices=STRATEGY_NAMES),
    )
    sure = "Replace the plan in force?" if plan_now.plan else ""
    return draw_panel("Make the next plan", draw_form("/api/plan", fields, Submit("Make the plan", sure=sure)))


def _draw_heat_map(plan_now: PlanNow, visit: Visit) -> Markup:
    there = select_deployed_strata(plan_now.coverage)
    usual = choose_grid_factors(there)
    rows, columns = visit.query.get("rows", usual[0]), visit.query.get("columns", usual[1])
    shown, known = make_coverage_grid(there, rows, columns, MOST_LEVELS), list_deployed_factors(there)
    axes = join(
        _draw_factor_chips("Rows", "rows", shown.row_factor, known, {"columns": shown.column_factor}),
        _draw_factor_chips("Columns", "columns", shown.column_factor, known, {"rows": shown.row_factor}),
    )
    drawn = tag("div", draw_heat_map(shown), style="padding-top:8px")
    return draw_panel("Coverage of production", axes, drawn, note="share of the data ÷ share of production")


def _draw_answer_card(plan_now: PlanNow) -> Markup:
    left = sum(p.left for p in plan_now.progress if not p.order)
    level = "idle" if plan_now.plan is None else "run" if left else "good"
    do = "fieldloop ingest PATH" if level == "run" else "fieldloop plan"
    why = write_uncovered_share(plan_now.coverage) if plan_now.plan else ""
    return draw_answer_card(level, write_headline(plan_now), why, draw_copyable_command(do))


def _draw_plan_panels(plan: Plan, plan_now: PlanNow) -> tuple[Markup | None, ...]:
    drawn = f"{shorten_ids(plan.id)}, {format_time(plan.drawn_ns)}, by {plan.strategy}"
    notes = [
        tag("p", f"When the plan was made: {write_sentence(warning)}", class_="body warn") for warning in plan.warnings
    ]
    progress = tag("p", write_progress_line(plan_now.progress, plan_now.forecast), class_="body")
    if plan_now.beside:
        notes.insert(0, tag("p", write_unplanned_count(plan_now), class_="body"))
    what = draw_panel(
        "What to collect",
        draw_quotas(plan, plan_now.progress),
        progress,
        *notes,
        note=drawn,
        right=draw_budget_slider(plan),
        flush=True,
    )
    return what, _draw_curves(plan_now), _draw_gaps(plan.gaps), _draw_orders(plan, plan_now)


def _draw_curves(plan_now: PlanNow) -> Markup | None:
    drawn = [Markup(curve) for curve in draw_curves(plan_now)]
    if not drawn:
        return None
    note = (
        "failure rate in production against number of demonstrations; dots: measured; circle: expected with this plan"
    )
    return draw_panel(
        "What more demonstrations are expected to bring", tag("div", *drawn, class_="charts drawn"), note=note
    )


def _draw_gaps(gaps: Sequence[CoverageGap]) -> Markup | None:
    ranked = sorted(gaps, key=lambda g: -1.0 if g.share is None else g.share, reverse=True)
    rows = [
        (g.kind.value, levels_in_words(g.stratum), format_small_share(g.share), write_sentence(g.message))
        for g in ranked[:MOST_GAPS]
    ]
    columns = ("Gap", "Where", Column("Share of production", "num"), Column("What", "text"))
    note = f"{format_plural(len(ranked), 'gap')} when the plan was made, largest first"
    return draw_panel("Gaps", draw_table(columns, rows), note=note, flush=True) if rows else None


def _draw_orders(plan: Plan, plan_now: PlanNow) -> Markup:
    if not plan.orders:
        how = "Register a robot and enrol operators. The plan then assigns work orders to them."
        return draw_panel(
            "Work orders",
            draw_empty_state("No work order", how, draw_copyable_command("fieldloop collect enrol PSEUDONYM")),
        )
    done = {p.order: p for p in plan_now.orders}
    rows = [
        (
            o.name if o.number else shorten_ids(o.id), o.site, o.robot,
            tag("a", o.operator, href=f"/plan/sheet?{urlencode({'operator': o.operator})}") if o.operator else "any",
            levels_in_words(o.stratum), format_order_articles(o), o.kind.value,
            f"{done[o.id].accepted if o.id in done else 0} of {o.demonstrations}",
            format_fixed(o.hours, 1) if o.hours else "", o.due,
        )
        for o in plan.orders[:MOST_ORDERS]
    ]  # fmt: skip
    columns = (
        "Order", "Site", "Robot", "Operator", "Stratum", Column("Articles", "text"), "Kind", Column("Accepted", "num"),
        Column("Hours", "num"), "Due",
    )  # fmt: skip
    print_all = draw_button("Sheets to print", "/plan/sheet")
    table = draw_table(columns, rows)
    return draw_panel("Work orders", table, note=f"{len(plan.orders)} in all", right=print_all, flush=True)


def draw_sheets(visit: Visit) -> Drawn:
    """Draw the work orders by operator, to print."""
    sheets = show_order_sheet(visit.workspace, operator=visit.query.get("operator", ""))
    parts = [draw_panel(one.operator or "Not assigned", *draw_sheet(one)[1:]) for one in sheets]
    return Drawn(escape("Work orders"), tuple(parts))


def _draw_scores(scores: Sequence[PlanScore]) -> Markup | None:
    bounds = [v for s in scores for v in (s.expected_low, s.expected_high, s.measured_low, s.measured_high)]
    ends = [0.0, *filter(math.isfinite, bounds)]
    first, last = min(ends), max(ends)
    rows = [
        (
            draw_status(s.status),
            shorten_ids(s.plan),
            draw_interval_bar(s.expected_low, s.expected, s.expected_high, first=first, last=last, tick=0.0),
            f"{format_points(s.expected)} ({format_interval(s.expected_low, s.expected_high)})",
            draw_interval_bar(s.measured_low, s.measured, s.measured_high, first=first, last=last, tick=0.0),
            f"{format_points(s.measured)} ({format_interval(s.measured_low, s.measured_high)})",
            write_sentence(s.message),
        )
        for s in scores
    ]
    columns = (
        "Verdict",
        "Plan",
        Column("Expected gain, points", "slim"),
        "",
        Column("Measured gain, points", "slim"),
        "",
        Column("What", "text"),
    )
    return draw_panel("Scores of earlier plans", draw_table(columns, rows), flush=True) if rows else None


def _draw_strata(plan_now: PlanNow) -> Markup:
    there = sorted(select_deployed_strata(plan_now.coverage), key=lambda c: -c.exposure)
    rows = [
        (
            levels_in_words(c.stratum),
            format_small_share(c.exposure),
            c.demonstrations,
            percent(c.share),
            _format_failure_rate(c.attempts, c.failures),
            c.attempts,
        )
        for c in there[:MOST_STRATA]
    ]
    columns = (
        "Stratum",
        Column("Share of production", "num"),
        Column("Demos", "num"),
        Column("Share of the data", "num"),
        "Fails",
        Column("Attempts", "num"),
    )
    hidden = len(there) - len(rows)
    note = f"most common first; {format_count(hidden)} rarer strata are in the JSON" if hidden else "most common first"
    return draw_panel("Deployed strata", draw_table(columns, rows), note=note, flush=True)


def _format_failure_rate(attempts: int, failures: int) -> str:
    return percent(failures / attempts, 0) if attempts else "not attempted"


def _draw_factor_chips(
    label: str, query_key: str, current: str, factor_names: list[str], other_query: dict[str, str]
) -> Markup:
    picks = [
        draw_chip(name, href=f"/plan?{urlencode({query_key: name, **other_query})}", current=name == current)
        for name in factor_names
    ]
    return tag(
        "div", tag("span", label, class_="dim", style="width:56px"), *picks, class_="chips", style="padding:2px 0"
    )

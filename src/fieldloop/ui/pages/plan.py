"""Coverage and plan: what the data lack against the floor, what to collect, and how far that is."""

from urllib.parse import urlencode

from fieldloop.loop.page_reads import newest
from fieldloop.loop.plan import PlanNow, show
from fieldloop.model.deployment import Deployment
from fieldloop.model.plan import Plan
from fieldloop.ui.components import (
    Column,
    chip,
    command,
    dense_table,
    empty_state,
    heat_map,
    next_card,
    panel,
)
from fieldloop.ui.coverage import factors, grid
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.pages.home import budget, quotas
from fieldloop.ui.said import moment, percent, plural, points, short, where
from fieldloop.ui.visit import Drawn, IslandPanel, Part, Visit

MOST_ORDERS = 60


def draw(visit: Visit) -> Drawn:
    """Draw the plan page."""
    if newest(visit.workspace, Deployment) is None:
        how = "Coverage and plan are measured against the map of the floor."
        nothing = empty_state("No deployment is mapped yet", how, command("fieldloop audit deployment.toml"))
        return Drawn(text("Coverage and plan"), (nothing,))
    now = show(visit.workspace)
    rows, columns = visit.query.get("rows", "tier"), visit.query.get("columns", "bin")
    shown = grid(now.coverage, rows, columns)
    axes = join(
        _axis("Rows", "rows", shown.row_factor, factors(now.coverage), {"columns": shown.column_factor}),
        _axis("Columns", "columns", shown.column_factor, factors(now.coverage), {"rows": shown.row_factor}),
    )
    heat = panel(
        "Coverage of the floor",
        axes,
        tag("div", heat_map(shown), style="padding-top:8px"),
        note="share of the data ÷ share of production",
    )
    return Drawn(
        text("Coverage and plan"), (_answer(now), heat, *(_plan(now.plan, now) if now.plan else ()), _strata(now))
    )


def _answer(now: PlanNow) -> Html:
    uncovered = sum(c.demonstrations == 0 for c in now.coverage)
    gap = f"{uncovered} of {plural(len(now.coverage), 'deployed stratum', 'deployed strata')} have no demonstration."
    if now.plan is None:
        return next_card("idle", "No plan yet", gap, command("fieldloop plan"))
    left = sum(p.left for p in now.progress)
    if left:
        gain = f"expected {points(now.plan.expected_gain)} points"
        said = f"{plural(left, 'demonstration')} left of {now.plan.budget:,}, {gain}"
        return next_card("run", said, gap, command("fieldloop ingest PATH"))
    return next_card(
        "good", f"The plan of {plural(now.plan.budget, 'demonstration')} is collected", gap, command("fieldloop plan")
    )


def _plan(plan: Plan, now: PlanNow) -> tuple[Part, ...]:
    drawn = f"{short(plan.id)}, {moment(plan.drawn_ns)}, by {plan.strategy}"
    notes = [tag("p", f"Note: {warning}", class_="body warn") for warning in plan.warnings]
    table = join(tag("div", quotas(plan, now.progress), class_="flush scroll"), *notes)
    what = IslandPanel("What to collect", "budget.js", budget(plan), drawn, in_header=True, after=table)
    return what, _orders(plan)


def _orders(plan: Plan) -> Html:
    if not plan.orders:
        how = "Register a robot and enrol operators; work orders then follow from the plan."
        return panel("Work orders", empty_state("No work order", how, command("fieldloop collect enrol PSEUDONYM")))
    rows = [
        (short(o.id), o.site, o.robot, o.operator, where(o.stratum), o.demonstrations)
        for o in plan.orders[:MOST_ORDERS]
    ]
    columns = ("Order", "Site", "Robot", "Operator", "Stratum", Column("Demos", "num"))
    return panel("Work orders", dense_table(columns, rows), note=f"{len(plan.orders)} in all", flush=True)


def _strata(now: PlanNow) -> Html:
    rows = [
        (
            where(c.stratum),
            percent(c.exposure),
            c.demonstrations,
            percent(c.share),
            _fails(c.attempts, c.failures),
            c.attempts,
        )
        for c in sorted(now.coverage, key=lambda c: -c.exposure)
    ]
    columns = (
        "Stratum",
        Column("Of production", "num"),
        Column("Demos", "num"),
        Column("Of the data", "num"),
        "Fails",
        Column("Attempts", "num"),
    )
    return panel("Every stratum", dense_table(columns, rows), note="most common first", flush=True)


def _fails(attempts: int, failures: int) -> str:
    return percent(failures / attempts, 0) if attempts else "not tried"


def _axis(label: str, key: str, current: str, known: list[str], other: dict[str, str]) -> Html:
    picks = [chip(name, href=f"/plan?{urlencode({key: name, **other})}", current=name == current) for name in known]
    return tag(
        "div", tag("span", label, class_="dim", style="width:56px"), *picks, class_="chips", style="padding:2px 0"
    )

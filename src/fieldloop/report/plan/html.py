"""The plan as an HTML page for a collection lead: what to collect, the expected gain, then why."""

from fieldloop.model.finding import Status
from fieldloop.model.plan import Plan
from fieldloop.report.markup import panel, paragraph
from fieldloop.report.page import page
from fieldloop.report.plan.content import PlanReport, deployed_strata, headline, uncovered_text
from fieldloop.report.plan.curve_drawing import draw_curves
from fieldloop.report.plan.gaps import named_gaps, sites, tiers
from fieldloop.report.plan.heat_drawing import draw_coverage
from fieldloop.report.plan.orders import progress_panel, work_orders
from fieldloop.report.plan.quotas import what_to_collect
from fieldloop.report.plan.scores import earlier_scores_panel
from fieldloop.say import sentence
from fieldloop.say.html import Markup, join
from fieldloop.say.marks import status
from fieldloop.say.numbers import format_number, format_time, plural, shorten_ids, whole

STEPS = (
    "A gain is the expected rise of success in production, in points, with its interval. It assumes the map's mix of "
    "conditions."
)


def html(report: PlanReport) -> str:
    """Return the page."""
    plan = report.plan
    blocks: list[object] = [paragraph(headline(report), "lead")]
    if plan is not None:
        blocks += [paragraph(_basis(plan), "dim"), *_warnings(plan), what_to_collect(plan)]
    if deployed_strata(report.coverage):
        summary = paragraph(uncovered_text(report.coverage))
        blocks.append(panel("Coverage of production", [summary, draw_coverage(report.coverage)], anchor="coverage"))
    if plan is not None:
        blocks += _gap_panels(plan)
    if curves := draw_curves(report):
        blocks.append(_curves(curves, given=bool(report.curves)))
    if plan is not None and plan.orders:
        blocks.append(work_orders(plan.orders, report.progress))
    if report.progress or report.forecast:
        blocks.append(progress_panel(report.progress, report.forecast))
    if report.scores:
        blocks.append(earlier_scores_panel(report.scores))
    return page("What to collect next", blocks, kind="fieldloop plan", foot=STEPS)


def _basis(plan: Plan) -> str:
    cost = f", cost {format_number(plan.cost)} in ordinary demonstrations" if plan.cost else ""
    answers = f", based on failures of policy {shorten_ids(plan.policy)}" if plan.policy else ""
    made = f"{shorten_ids(plan.id)}, made {format_time(plan.drawn_ns)} with strategy {plan.strategy}"
    budget = f"{made}, budget {whole(plan.budget)}{cost}{answers}"
    return f"{budget}, {plural(len(plan.answered), 'demand')} answered." if plan.answered else f"{budget}."


def _warnings(plan: Plan) -> list[Markup]:
    mark = status(Status.CANNOT_TELL, "When the plan was made")
    return [Markup(f"<p>{join(mark, Markup(' &nbsp; '), sentence(warning))}</p>") for warning in plan.warnings]


def _gap_panels(plan: Plan) -> list[Markup]:
    drawn = ((named_gaps(plan), plan.gaps), (tiers(plan.tiers), plan.tiers), (sites(plan.sites), plan.sites))
    return [panel for panel, items in drawn if items]


def _curves(curves: list[Markup], *, given: bool) -> Markup:
    expected, promised = (
        "The line is the failure rate expected in production",
        "The line leads to the promised failure rate",
    )
    how = f"{expected if given else promised}; the band is its interval."
    note = f"{how} The dashed line marks the demonstrations in hand, the circle the result of the plan."
    body = [paragraph(note, "dim"), Markup(f'<div class="charts">{join(*curves)}</div>')]
    return panel("Expected effect of more demonstrations", body, anchor="curves")

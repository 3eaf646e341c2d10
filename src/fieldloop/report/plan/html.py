"""The plan as an HTML page for a collection lead: what to collect, the expected gain, then why."""

from fieldloop.model.finding import Status
from fieldloop.model.plan import Plan
from fieldloop.report.markup import draw_panel, draw_paragraph
from fieldloop.report.page import render_page
from fieldloop.report.plan.content import PlanReport, select_deployed_strata, write_headline, write_uncovered_share
from fieldloop.report.plan.curve_drawing import draw_curves
from fieldloop.report.plan.gaps import draw_coverage_gaps, draw_site_sets, draw_tier_states
from fieldloop.report.plan.heat_drawing import draw_coverage
from fieldloop.report.plan.orders import draw_progress_panel, draw_work_orders
from fieldloop.report.plan.quotas import draw_quotas_panel
from fieldloop.report.plan.scores import draw_plan_scores
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_count, format_number, format_plural, format_time, shorten_ids

STEPS = (
    "A gain is the expected rise of success in production, in points, with its interval. It assumes the map's mix of "
    "conditions."
)


def render_plan_page(report: PlanReport) -> str:
    """Return the page."""
    plan = report.plan
    blocks: list[object] = [draw_paragraph(write_headline(report), "lead")]
    if plan is not None:
        blocks += [draw_paragraph(_write_plan_basis(plan), "dim"), *_draw_warnings(plan), draw_quotas_panel(plan)]
    if select_deployed_strata(report.coverage):
        summary = draw_paragraph(write_uncovered_share(report.coverage))
        blocks.append(
            draw_panel("Coverage of production", [summary, draw_coverage(report.coverage)], anchor="coverage")
        )
    if plan is not None:
        blocks += _draw_gap_panels(plan)
    if curves := draw_curves(report):
        blocks.append(_draw_curves_panel(curves, has_given_curves=bool(report.curves)))
    if plan is not None and plan.orders:
        blocks.append(draw_work_orders(plan.orders, report.progress))
    if report.progress or report.forecast:
        blocks.append(draw_progress_panel(report.progress, report.forecast))
    if report.scores:
        blocks.append(draw_plan_scores(report.scores))
    return render_page("What to collect next", blocks, kind="fieldloop plan", foot=STEPS)


def _write_plan_basis(plan: Plan) -> str:
    cost = f", cost {format_number(plan.cost)} in ordinary demonstrations" if plan.cost else ""
    answers = f", based on failures of policy {shorten_ids(plan.policy)}" if plan.policy else ""
    made = f"{shorten_ids(plan.id)}, made {format_time(plan.drawn_ns)} with strategy {plan.strategy}"
    budget = f"{made}, budget {format_count(plan.budget)}{cost}{answers}"
    return f"{budget}, {format_plural(len(plan.answered), 'demand')} answered." if plan.answered else f"{budget}."


def _draw_warnings(plan: Plan) -> list[Markup]:
    mark = draw_status(Status.CANNOT_TELL, "When the plan was made")
    return [Markup(f"<p>{join(mark, Markup(' &nbsp; '), write_sentence(warning))}</p>") for warning in plan.warnings]


def _draw_gap_panels(plan: Plan) -> list[Markup]:
    drawn = (
        (draw_coverage_gaps(plan), plan.gaps),
        (draw_tier_states(plan.tiers), plan.tiers),
        (draw_site_sets(plan.sites), plan.sites),
    )
    return [panel for panel, items in drawn if items]


def _draw_curves_panel(curves: list[Markup], *, has_given_curves: bool) -> Markup:
    expected, promised = (
        "The line is the failure rate expected in production",
        "The line leads to the promised failure rate",
    )
    how = f"{expected if has_given_curves else promised}; the band is its interval."
    note = f"{how} The dashed line marks the demonstrations in hand, the circle the result of the plan."
    body = [draw_paragraph(note, "dim"), Markup(f'<div class="charts">{join(*curves)}</div>')]
    return draw_panel("Expected effect of more demonstrations", body, anchor="curves")

"""How a gate was tested: the plan, the scenarios, the decision rule, and the limits with their sources."""

from collections.abc import Iterator

from fieldloop.model.gate_report import GateReport
from fieldloop.report.markup import draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_plural, format_time, stratum_in_words

SCENARIOS = (
    ("base", "nominal conditions", "The mix of the deployment. Foreign objects and cycle time are compared with it."),
    ("lighting:…", "novel light", "A light that is neither deployed nor in the training data; one scenario for each."),
    ("position:…", "novel position", "A fixed place of the item, some at the workspace's edge. Every one is judged."),
    ("distractors", "foreign objects", "Objects that do not belong to the scene."),
    ("edge:pose", "edge case", "Pose outside nominal: the item is turned slightly beyond the usual range."),
    ("edge:gripper", "edge case", "Something hides part of the gripper from the camera."),
    ("edge:joint", "edge case", "A joint starts near its limit."),
    ("edge:camera", "edge case", "Something covers part of the camera's picture."),
    ("incident:…", "kept failure", "The conditions of a failure in production, kept for every later gate."),
    ("consecutive", "consecutive trials", "Autonomous trials in a row under nominal conditions, tested for patterns."),
)


def draw_method(report: GateReport) -> Iterator[Markup]:
    """Draw the method, its scenarios and its limits."""
    yield draw_panel("Method", [_draw_rules(), *_draw_plans(report)])
    kept = [(s.name, stratum_in_words(s.stratum), s.what, format_time(s.kept_ns), s.kept_by) for s in report.kept]
    scenarios = draw_table(("code", "scenario", "what it is"), SCENARIOS, (), ("what it is",))
    parts: list[Markup] = [scenarios]
    if kept:
        parts.append(draw_table(("kept scenario", "conditions", "what happened", "kept", "by"), kept))
    yield draw_panel("Scenarios", parts)
    limits = [(one.name, one.value, one.unit, one.why, one.source) for one in report.limits]
    table = draw_table(("name", "value", "unit", "why", "source"), limits, (), ("why",), ("value", "unit", "source"))
    yield draw_panel("Specification: limits and settings", [draw_folded("All of them, with their sources", [table])])


def _draw_rules() -> Markup:
    rules = (
        (
            "The trials and their order are drawn at random from a seed, before the first is made. Conditions follow "
            "the mix of the deployment."
        ),
        "Success is judged for each attempt. An attempt in which a person intervened is not a success.",
        (
            "Bounds of rates are exact (Clopper–Pearson). The share kept among distractors has exact bounds, worst "
            "case over the unknown base rate. Bounds of the mean cycle time are Student's."
        ),
        (
            "Trials are judged at the planned number, twice that number, and so on; look k spends α/(k(k+1)), so "
            "that asking often does not help a bad version."
        ),
        "A person who judges sees the letter of an arm, and not its version, until the gate has decided.",
    )
    return tag("ul", *(tag("li", rule) for rule in rules))


def _draw_plans(report: GateReport) -> Iterator[Markup]:
    rows = [
        (plan.id, plan.seed, format_time(plan.planned_ns), plan.planned_by, f"{plan.made} of {plan.trials}")
        for plan in report.plans
    ]
    if rows:
        yield draw_table(("plan", "seed", "planned", "by", "trials made"), rows)
    else:
        yield draw_paragraph(f"No plan is on record; {format_plural(len(report.outcomes), 'trial')} were recorded.")

"""Results of a gate with their uncertainty, and every trial behind them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Status
from fieldloop.model.gate_report import GateReport
from fieldloop.model.policy import Outcome
from fieldloop.report.bars import draw_interval_bar
from fieldloop.report.gate.words import describe_scenario
from fieldloop.report.markup import draw_figure, draw_folded, draw_panel, draw_paragraph, draw_table
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_number, format_plural, format_time, levels_in_words, percent, percent_range

RESULT_COLUMNS = ("verdict", "requirement", "seen", "", "confidence bounds", "remarks", "required")
TRIAL_COLUMNS = (
    "trial",
    "time",
    "scenario",
    "conditions",
    "result",
    "steps",
    "failed by",
    "cycle s",
    "judged by",
    "robot",
)
CELL, GAP, ACROSS = 9, 2, 60


def draw_results(report: GateReport) -> Markup:
    """Draw one row for each requirement, what holds the policy back first."""
    order = list(Status)
    rows = [_make_row(test) for test in sorted(report.decision.tests, key=lambda t: order.index(t.status))]
    table = draw_table(RESULT_COLUMNS, rows, ("seen",), ("remarks", "required"), ("requirement",))
    note = "bounds of the true rate, at the confidence that each requirement states; the tick is the limit"
    return draw_panel("Results and their uncertainty", [table], note)


def draw_arms(report: GateReport) -> Iterator[Markup]:
    """Draw the control arm's results, where a plan had one."""
    rows = [
        (plan.id, arm.letter, arm.name, f"{arm.successes} of {arm.trials}",
         percent(arm.successes / arm.trials) if arm.trials else "–")
        for plan in report.plans for arm in plan.arms
    ]  # fmt: skip
    if rows:
        table = draw_table(("plan", "arm", "version", "succeeded", "rate"), rows, ("succeeded", "rate"))
        why = (
            "Both versions met the same scenes in random order; the sheet named them by letter. "
            "The consecutive trials are not in these counts. No requirement rests on them."
        )
        yield draw_panel("Control arm", [draw_paragraph(why), table])


def draw_trials(report: GateReport) -> Iterator[Markup]:
    """Draw every trial: a strip of marks for each scenario, and the whole list folded behind it."""
    by_scenario: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in report.outcomes:
        by_scenario[outcome.scenario].append(outcome)
    if not by_scenario:
        return
    rows = [
        (describe_scenario(name), f"{sum(bool(o.succeeded) for o in made)} of {len(made)}", _draw_strip(made))
        for name, made in sorted(by_scenario.items())
    ]
    caption = "In order of time. Filled: success. Red: failure. Hollow: no known result. A dot: a person intervened."
    strips = draw_figure(draw_table(("scenario", "succeeded", "trials"), rows, ("succeeded",)), caption)
    listed = [_make_trial_row(place, o) for place, o in enumerate(report.outcomes, 1)]
    table = draw_table(TRIAL_COLUMNS, listed, ("cycle s",), (), ("conditions",))
    yield draw_panel("Every trial", [strips, draw_folded(f"List of {format_plural(len(listed), 'trial')}", [table])])


def _make_row(test: GateTest) -> tuple[object, ...]:
    rate = test.bounds_rate
    return (
        draw_status(test.status),
        describe_scenario(test.name),
        f"{test.successes} of {test.trials}" if test.trials else "–",
        draw_interval_bar(test.low, test.successes / test.trials, test.high, tick=_get_limit(test)) if rate else "",
        percent_range(test.low, test.high) if rate else _write_other_bounds(test),
        _write_result(test) if rate else write_sentence(test.message),
        write_sentence(test.required),
    )


def _write_other_bounds(test: GateTest) -> str:
    """Write the bounds of a share of the base rate, or of a time; a latency and a pattern have none."""
    if not (math.isfinite(test.low) and math.isfinite(test.high) and test.trials):
        return "–"
    if test.name == "distractors":
        return f"{percent_range(test.low, test.high)} of the base rate"
    if test.name == "cycle time":
        return f"{format_number(test.low, 3)} to {format_number(test.high, 3)} s"
    return "–"


def _get_limit(test: GateTest) -> float | None:
    """Return the rate that a requirement demands, as its message states it."""
    limit = dict(test.message.numbers).get("required")
    return limit if isinstance(limit, float) else None


def _write_result(test: GateTest) -> str:
    """Write what the columns beside do not show: the details of a rate, where it has any."""
    return " ".join(write_sentence(detail) for detail in test.message.details)


def _make_trial_row(place: int, outcome: Outcome) -> tuple[object, ...]:
    ended = {True: "success", False: "failure", None: "not known"}[outcome.succeeded]
    helped = f", {format_plural(outcome.interventions, 'intervention')}" if outcome.interventions else ""
    return (
        place, format_time(outcome.at_ns), describe_scenario(outcome.scenario), levels_in_words(outcome.stratum),
        f"{ended}{helped}",
        sum(step.succeeded for step in outcome.steps) if outcome.steps else "–",
        outcome.failure.value if outcome.failure else "", format_number(outcome.cycle_s, 3), outcome.judged_by,
        outcome.robot,
    )  # fmt: skip


def _draw_strip(outcomes: Sequence[Outcome]) -> Markup:
    """Draw one small square for each trial, in rows."""
    cells = []
    for place, outcome in enumerate(outcomes):
        x, y = place % ACROSS * (CELL + GAP), place // ACROSS * (CELL + GAP)
        fill = {True: "var(--c1)", False: "var(--bad)", None: "none"}[outcome.succeeded]
        cells.append(
            f'<rect x="{x + 0.5}" y="{y + 0.5}" width="{CELL - 1}" height="{CELL - 1}" fill="{fill}" '
            f'stroke="var(--ink-3)" stroke-width="{0 if outcome.succeeded is not None else 1}"/>'
        )
        if outcome.interventions:
            cells.append(f'<circle cx="{x + CELL / 2}" cy="{y + CELL / 2}" r="2" fill="var(--surface)"/>')
    wide = min(len(outcomes), ACROSS) * (CELL + GAP)
    high = (1 + (len(outcomes) - 1) // ACROSS) * (CELL + GAP)
    failed = sum(o.succeeded is False for o in outcomes)
    return Markup(
        f'<svg class="strip" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img" '
        f'aria-label="{len(outcomes)} trials, {failed} failed">{"".join(cells)}</svg>'
    )

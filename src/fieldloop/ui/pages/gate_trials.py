"""The trials of a policy's gate: plan them, set up the next, type in how it ended, correct what was mistyped."""

from fieldloop.loop.ship.gate_plan import show_trials
from fieldloop.model.policy import FailureClass
from fieldloop.model.trial_sheet import SheetRow, TrialSheet
from fieldloop.report.gate.scene_drawing import draw_scene
from fieldloop.report.gate.sheet import STYLE, describe_row, draw_card, draw_rules, write_headline
from fieldloop.report.gate.words import describe_scenario
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_count, format_number, format_time, percent, shorten_ids
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_action_button,
    draw_answer_card,
    draw_button,
    draw_copyable_command,
    draw_form,
    draw_meter,
    draw_panel,
    draw_table,
)
from fieldloop.ui.visit import Drawn, Visit

ENDED = {True: "success", False: "failure", None: "not known"}
FAILURES = ("", *(kind.value for kind in FailureClass))
MOST_RESULTS = 60


def draw(visit: Visit) -> Drawn:
    """Draw a policy's plan of trials: progress, the next trial, and results."""
    sheet = show_trials(visit.workspace, visit.path["policy"])
    return Drawn(_draw_title(sheet), tuple(_draw_parts(sheet)))


def draw_sheet(visit: Visit) -> Drawn:
    """Draw the sheet to print: every trial with the picture of its setup."""
    sheet = show_trials(visit.workspace, visit.path["policy"])
    cards = tag("div", *(draw_card(row, sheet.steps) for row in sheet.rows), class_="cards")
    parts = (tag("style", Markup(STYLE)), draw_panel("How to use this sheet", draw_rules(sheet)), cards)
    return Drawn(_draw_title(sheet), parts)


def _draw_title(sheet: TrialSheet) -> Markup:
    policy = tag("a", shorten_ids(sheet.policy), href=f"/policies/{sheet.policy}")
    return join(tag("a", "Policies", href="/policies"), " / ", policy, " / Trials")


def _draw_parts(sheet: TrialSheet) -> list[Markup]:
    if not sheet.plan:
        return [_draw_unplanned(sheet), _draw_plan_form(sheet)]
    waiting = [row for row in sheet.rows if row.result is None]
    held = next((row for row in waiting if row.order == sheet.held), None)
    free = held or next((row for row in waiting if not row.taken_by), None)
    parts = [_draw_progress(sheet)]
    if free is not None:
        parts.append(_draw_next_trial(sheet, free))
    elif not waiting:
        parts.append(_draw_plan_form(sheet))
    if sheet.done:
        parts += [_draw_results(sheet), _draw_correction(sheet)]
    return parts


def _draw_unplanned(sheet: TrialSheet) -> Markup:
    why = f"A plan would have {format_count(len(sheet.rows))} trials, in random order."
    command = draw_copyable_command(f"fieldloop gate plan {shorten_ids(sheet.policy)}")
    return draw_answer_card("idle", "No trials are planned yet", why, command)


def _draw_plan_form(sheet: TrialSheet) -> Markup:
    fields = (
        Field("control", "Control: also try this version in the same scenes", hint="none"),
        Field("site", "Site", hint="the whole deployment"),
        Field("seed", "Seed of order and conditions", "number", hint="0"),
    )
    form = draw_form("/api/gate/plan", fields, Submit("Plan the trials", {"policy": sheet.policy}))
    return draw_panel("Plan the trials of the gate", form)


def _draw_progress(sheet: TrialSheet) -> Markup:
    arms = [f"Arm {letter} was {shorten_ids(policy)}." for letter, policy in sheet.arms]
    busy = sum(bool(row.taken_by) for row in sheet.rows)
    why = " ".join([f"{format_count(busy)} being made now.", *arms] if busy else arms)
    share = sheet.done / len(sheet.rows)
    notes = [tag("p", write_sentence(deviation), class_="body warn") for deviation in sheet.deviations]
    actions = tag(
        "div",
        draw_button("Sheet to print", f"/policies/{sheet.policy}/trials/sheet"),
        None if sheet.left else draw_action_button("Ask the gate", "/api/gate", {"policy": sheet.policy}),
        class_="chips",
    )
    level = "good" if not sheet.left else "run"
    body = join(draw_meter(share), *notes, actions)
    card = draw_answer_card(level, write_headline(sheet), why)
    note = f"planned {format_time(sheet.planned_ns)}; {percent(share, 0)} done"
    return join(card, draw_panel("Progress", body, note=note))


def _draw_next_trial(sheet: TrialSheet, row: SheetRow) -> Markup:
    """Draw the next trial that is free, and the form for its result."""
    lighting = row.stratum.level("lighting") or ""
    words = tag("ul", *(tag("li", line) for line in describe_row(row)))
    setup = tag("div", draw_scene(row.parameters, lighting, row.seed), words, class_="chips")
    rubric = "; ".join(f"{n} {step}" for n, step in enumerate(sheet.steps, 1))
    sends = {"plan": sheet.plan, "order": row.order}
    fields = (
        Field("steps_done", f"Steps done ({rubric})", "number", hint="a success does all"),
        Field("failure", "Failed by", "choice", "did not fail", choices=FAILURES),
        Field("cycle_s", "Cycle in seconds", "number"),
        Field("interventions", "Interventions", "number", hint="0"),
        Field("robot", "Robot"),
        Field("remark", "Remark"),
    )
    form = draw_form(
        "/api/gate/result",
        fields,
        Submit("Success", {**sends, "result": "success"}),
        Submit("Failure", {**sends, "result": "failure"}, kind=""),
        Submit("Not known", {**sends, "result": "unknown"}, kind="ghost"),
    )
    title = f"Trial {row.order}, arm {row.arm}: {describe_scenario(row.scenario)}"
    taken = row.order == sheet.held
    body = {"plan": sheet.plan, "order": row.order}
    take = None if taken else draw_action_button("Take it", "/api/gate/next", body)
    note = "yours now; set up as drawn" if taken else "take it so that no other person makes it, set up as drawn"
    return draw_panel(title, setup, form, note=note, right=take)


def _draw_results(sheet: TrialSheet) -> Markup:
    made = [row for row in sheet.rows if row.result is not None]
    made.sort(key=lambda row: row.result.at_ns if row.result else 0, reverse=True)
    rows = [_make_row(row, len(sheet.steps)) for row in made[:MOST_RESULTS]]
    columns = (
        Column("Trial", "num"), "Arm", "Scenario", "Result", Column("Steps", "num"), "Failed by",
        Column("Cycle s", "num"), "Judged by", Column("Remark", "text"),
    )  # fmt: skip
    return draw_panel("Results", draw_table(columns, rows), note="newest first", flush=True)


def _make_row(row: SheetRow, steps: int) -> tuple[object, ...]:
    result = row.result
    if result is None:
        return ()
    corrected = f"corrected: {result.reason}" if result.revision > 1 else ""
    return (
        row.order, row.arm, describe_scenario(row.scenario), ENDED[result.succeeded], f"{result.steps_done} of {steps}",
        result.failure.value if result.failure else "", format_number(result.cycle_s, 3), result.judged_by,
        "; ".join(filter(None, (result.remark, corrected))),
    )  # fmt: skip


def _draw_correction(sheet: TrialSheet) -> Markup:
    fields = (
        Field("order", "Trial", "number", required=True),
        Field("result", "Result", "choice", choices=("success", "failure", "unknown"), value="success"),
        Field("reason", "Why the earlier result is wrong", required=True),
        Field("steps_done", "Steps done", "number", hint="a success does all"),
        Field("failure", "Failed by", "choice", "did not fail", choices=FAILURES),
        Field("cycle_s", "Cycle in seconds", "number"),
    )
    form = draw_form("/api/gate/correct", fields, Submit("Correct it", {"plan": sheet.plan}, kind=""))
    return draw_panel("Correct a mistyped result", form, note="the earlier result stays on record")

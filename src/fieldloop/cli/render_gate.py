"""Terminal output of a gate's trials: the sheet, the trial to make, and a result."""

from typing import Any

from fieldloop.cli.render_run import print_gate_decision
from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.gate_report import GateReport
from fieldloop.model.trial import TrialResult
from fieldloop.model.trial_sheet import SheetRow, TrialSheet
from fieldloop.report.gate.page import write_verdict
from fieldloop.report.gate.scene_drawing import describe_setup
from fieldloop.report.gate.sheet import describe_row, write_headline
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_number, format_plural, format_time, shorten_ids, stratum_in_words

ENDED = {True: "success", False: "failure", None: "not known"}
MOST_ROWS = 40


def print_trial_sheet(sheet: TrialSheet, screen: Screen) -> None:
    """Print a plan: how far it is, what departed from it, and the trials that come next."""
    planned = (
        f"planned {format_time(sheet.planned_ns)}" if sheet.plan else "nothing is planned yet: fieldloop gate plan"
    )
    screen.print(make_heading(write_headline(sheet)))
    screen.print(make_styled_text(f"{sheet.plan or 'As a plan would have them'}, {planned}", "dim"))
    for letter, policy in sheet.arms:
        screen.write(f"Arm {letter} was {shorten_ids(policy)}.")
    for deviation in sheet.deviations:
        screen.print(make_styled_text(write_sentence(deviation), "yellow"))
    waiting = [row for row in sheet.rows if row.result is None]
    shown = waiting[:MOST_ROWS] or sheet.rows[-MOST_ROWS:]
    screen.print(make_table(("trial", "arm", "scenario", "set up", "result"), [_make_row(row) for row in shown]))
    if len(waiting) > len(shown):
        screen.print(
            make_styled_text(f"{format_plural(len(waiting) - len(shown), 'further trial')}; --html has all", "dim")
        )
    if sheet.html:
        screen.write(f"Sheet to print: {sheet.html}")


def print_gate_report(report: GateReport, screen: Screen) -> None:
    """Print a report: its verdict, what departed from the plan, and its requirements."""
    screen.write(write_verdict(report))
    for plan in report.plans:
        for deviation in plan.deviations:
            screen.print(make_styled_text(f"{plan.id}: {write_sentence(deviation)}", "yellow"))
    print_gate_decision(report.decision, screen)


def print_trial_to_make(todo: Any, screen: Screen) -> None:
    """Print the trial to make now, and how to report it."""
    progress = f"{todo.done} done, {todo.left} left"
    if not todo.order:
        held = f"; the {format_plural(todo.left, 'trial')} left are being made now" if todo.left else ""
        screen.write(f"No trial of {todo.plan} is free: {progress}{held}.")
        return
    screen.print(make_heading(f"Trial {todo.order}, arm {todo.arm} ({todo.scenario}): {progress}"))
    screen.write(stratum_in_words(todo.stratum, ["lighting"]))
    for line in describe_setup(todo.parameters, todo.stratum.level("lighting") or ""):
        screen.write(line)
    if todo.policy:
        screen.write(f"Policy to run: {shorten_ids(todo.policy)}")
    screen.print(make_styled_text(f"Yours until {format_time(todo.until_ns)}. Report it:", "dim"))
    screen.write(f"fieldloop gate result {todo.plan} {todo.order} success|failure|unknown")


def print_trial_result(result: TrialResult, screen: Screen) -> None:
    """Print how a trial ended; a correction with its reason."""
    facts = [
        ("trial", f"{result.order} of {result.plan}"),
        ("result", ENDED[result.succeeded]),
        ("steps done", result.steps_done),
        ("failed by", result.failure.value if result.failure else ""),
        ("cycle", f"{format_number(result.cycle_s, 3)} s" if result.cycle_s is not None else ""),
        ("interventions", result.interventions or ""),
        ("judged by", result.judged_by),
        ("remark", result.remark),
        ("corrected", f"{result.reason} (revision {result.revision})" if result.reason else ""),
        *((name, format_number(value)) for name, value in result.facts),
    ]
    screen.print(make_facts_table((name, str(value)) for name, value in facts if value != ""))


def _make_row(row: SheetRow) -> tuple[object, ...]:
    ended = ENDED[row.result.succeeded] if row.result else f"{row.taken_by} makes it now" if row.taken_by else ""
    return row.order, row.arm, row.scenario, "; ".join(describe_row(row)), ended

"""Print the home page: what to do next, the stages of the loop, what changed."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_heading, make_styled_text, make_table
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.say import write_sentence
from fieldloop.say.marks import IDLE, MARKS, RUN
from fieldloop.say.numbers import format_plural, format_points, format_time, percent

SIGNS = {
    mark.level: (mark.sign, mark.style)
    for mark in (MARKS[Status.PASSED], MARKS[Status.CANNOT_TELL], MARKS[Status.FAILED])
}
SIGNS |= {RUN: ("◐", "blue"), IDLE: ("◌", "dim")}


def print_home(result: Any, screen: Screen) -> None:
    """Print what to do next, the stages in order, and what changed."""
    step = result.next
    screen.print(_make_level_mark(step.mark).append(f" {write_sentence(step.sentence)}", style="bold default"))
    screen.write(f"  {write_sentence(step.why)}")
    screen.print(make_styled_text(f"  {step.command}", "cyan"))
    for later in result.then:
        screen.print(_make_level_mark(later.mark).append(f" {write_sentence(later.sentence)}", style="default"))
    screen.print()
    rows = [
        (
            _make_level_mark(stage.mark).append(f" {stage.name}", style="default"),
            stage.count,
            write_sentence(stage.fact),
        )
        for stage in result.stages
    ]
    screen.print(make_table(("stage", "now", ""), rows, right=("now",)))
    screen.print(make_styled_text(f"↩ {write_sentence(result.way_back)}", "dim"))
    if last := result.success.rate_in_window:
        interval = f"{percent(last.low)} to {percent(last.high)}, {format_plural(last.episodes, 'episode')}"
        line = f"Success of {result.success.policy} in production: {percent(last.rate)} ({interval})"
        baseline = result.success.baseline
        under = f", {format_points(last.rate - baseline)} points from the baseline" if baseline else ""
        screen.print()
        screen.print(make_heading(f"{line}{under}"))
        screen.print(make_styled_text(f"Window: {format_time(last.start_ns)} to {format_time(last.end_ns)}", "dim"))
    for reason in result.success.reasons:
        screen.print(make_styled_text(write_sentence(reason), "yellow"))
    if result.changes:
        screen.print()
        screen.print(make_heading("What changed"))
        screen.print(make_table(("when", "", "what", ""), [_make_change_row(change) for change in result.changes]))


def _make_change_row(change: Any) -> tuple[Any, ...]:
    detail = write_sentence(change.detail) if isinstance(change.detail, Note) else change.detail
    return format_time(change.at_ns), _make_level_mark(change.mark), write_sentence(change.text), detail


def _make_level_mark(level: str) -> Any:
    return make_styled_text(*SIGNS[level])

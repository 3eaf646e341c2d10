"""Print the home page: what to do next, the stages of the loop, what changed."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, styled, table
from fieldloop.model.finding import Status
from fieldloop.model.note import Note
from fieldloop.say import sentence
from fieldloop.say.marks import IDLE, MARKS, RUN
from fieldloop.say.numbers import format_time, percent, plural, points

SIGNS = {
    mark.level: (mark.sign, mark.style)
    for mark in (MARKS[Status.PASSED], MARKS[Status.CANNOT_TELL], MARKS[Status.FAILED])
}
SIGNS |= {RUN: ("◐", "blue"), IDLE: ("◌", "dim")}


def home(shown: Any, screen: Screen) -> None:
    """Print what to do next, the stages in order, and what changed."""
    step = shown.next
    screen.print(_mark(step.mark).append(f" {sentence(step.sentence)}", style="bold default"))
    screen.write(f"  {sentence(step.why)}")
    screen.print(styled(f"  {step.command}", "cyan"))
    for later in shown.then:
        screen.print(_mark(later.mark).append(f" {sentence(later.sentence)}", style="default"))
    screen.print()
    rows = [
        (_mark(stage.mark).append(f" {stage.name}", style="default"), stage.count, sentence(stage.fact))
        for stage in shown.stages
    ]
    screen.print(table(("stage", "now", ""), rows, right=("now",)))
    screen.print(styled(f"↩ {sentence(shown.way_back)}", "dim"))
    if shown.success.points:
        last = shown.success.points[-1]
        interval = f"{percent(last.low)} to {percent(last.high)}, {plural(last.episodes, 'episode')}"
        line = f"Success of {shown.success.policy} in production: {percent(last.rate)} ({interval})"
        baseline = shown.success.baseline
        under = f", {points(last.rate - baseline)} points from the baseline" if baseline else ""
        screen.print()
        screen.print(heading(f"{line}{under}"))
    if shown.changes:
        screen.print()
        screen.print(heading("What changed"))
        screen.print(table(("when", "", "what", ""), [_change(change) for change in shown.changes]))


def _change(change: Any) -> tuple[Any, ...]:
    detail = sentence(change.detail) if isinstance(change.detail, Note) else change.detail
    return format_time(change.at_ns), _mark(change.mark), sentence(change.text), detail


def _mark(level: str) -> Any:
    return styled(*SIGNS[level])

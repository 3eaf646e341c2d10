"""The loop at a glance, in a terminal."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import heading, percent, points, styled, table, when

SHAPES = {
    "good": ("✓", "green"),
    "warn": ("▲", "yellow"),
    "bad": ("✗", "bold red"),
    "run": ("◐", "blue"),
    "idle": ("◌", "dim"),
}


def home(shown: Any, screen: Screen) -> None:
    """Print what to do next, the stages in order, and what changed."""
    step = shown.next
    screen.print(_mark(step.mark).append(f" {step.sentence}", style="bold default"))
    screen.write(f"  {step.why}")
    screen.print(styled(f"  {step.command}", "cyan"))
    for later in shown.then:
        screen.print(_mark(later.mark).append(f" {later.sentence}", style="default"))
    screen.print()
    rows = [
        (_mark(stage.mark).append(f" {stage.name}", style="default"), stage.count, stage.fact) for stage in shown.stages
    ]
    screen.print(table(("stage", "now", ""), rows, right=("now",)))
    screen.print(styled(f"↩ {shown.way_back}", "dim"))
    if shown.success.points:
        last = shown.success.points[-1]
        sure = f"{percent(last.low)} to {percent(last.high)}, {last.episodes} episodes"
        line = f"Success of {shown.success.policy} on the floor {percent(last.rate)} ({sure})"
        under = (
            f", {points(last.rate - shown.success.baseline)} points to the baseline" if shown.success.baseline else ""
        )
        screen.print()
        screen.print(heading(f"{line}{under}"))
    if shown.changes:
        screen.print()
        screen.print(heading("What changed"))
        screen.print(
            table(("when", "", "what", ""), [(when(c.at_ns), _mark(c.mark), c.text, c.detail) for c in shown.changes])
        )


def _mark(level: str) -> Any:
    return styled(*SHAPES[level])

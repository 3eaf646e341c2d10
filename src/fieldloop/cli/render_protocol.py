"""Protocols: what lint says about a file, and what changed between two versions."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import facts, heading, mark, styled, table
from fieldloop.model.finding import Status

STYLES = {"error": ("✗ error", "bold red"), "warning": ("▲ warning", "yellow"), "hint": ("– hint", "dim")}


def linted(report: Any, screen: Screen) -> None:
    """Print each file with its remarks, worst first."""
    for place, file in enumerate(report.files):
        if place:
            screen.print()
        counts = [sum(r.severity == kind for r in file.remarks) for kind in STYLES]
        told = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for n, kind in zip(counts, STYLES, strict=True) if n)
        status = Status.FAILED if file.errors else Status.PASSED
        screen.print(mark(status, file.file).append(f"  {told or 'nothing to say'}", style="default"))
        if file.remarks:
            rows = [(styled(*STYLES[r.severity]), r.code, r.place, r.message, r.advice) for r in file.remarks]
            screen.print(table(("", "code", "table", "what is so", "what to do"), rows))


def changed(changes: Any, screen: Screen) -> None:
    """Print what changed, what follows, and which verdicts would differ."""
    screen.print(facts([("from", changes.older), ("to", changes.newer)]))
    screen.print(heading(changes.sentence))
    if changes.changes:
        rows = [(c.effect.value, c.place, c.before or "–", _after(c)) for c in changes.changes]
        screen.print(table(("what follows", "table", "before", "after"), rows))
    if changes.judged:
        screen.write(f"{changes.verdicts_changed} of {changes.judged} episodes here would get another verdict.")
    if changes.first_changed:
        shown = [(c.name, c.episode[:12], mark(c.before), mark(c.after)) for c in changes.first_changed]
        screen.print(table(("episode", "id", "before", "after"), shown))


def _after(change: Any) -> str:
    after = change.after or "taken out"
    return f"{after} ({change.note})" if change.note else after

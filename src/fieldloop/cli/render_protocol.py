"""Terminal output of protocols: lint remarks, and changes between versions."""

from collections.abc import Sequence
from typing import Any

from fieldloop.cli.render import show_noun_table
from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_status, make_facts_table, make_heading, make_styled_text, make_table
from fieldloop.model.finding import Status
from fieldloop.say import write_sentence

STYLES = {"error": ("✗ error", "bold red"), "warning": ("▲ warning", "yellow"), "hint": ("– hint", "dim")}


def print_protocol_overview(result: Any, screen: Screen) -> None:
    """Print the version in force, remarks, clocks and locked versions; `protocol sheet` prints the sheet."""
    names = ", ".join(result.interfaces) or "none"
    screen.print(
        make_facts_table([("protocol", result.sheet.protocol), ("locked", result.sheet.locked), ("interfaces", names)])
    )
    screen.write(result.sheet.lead)
    screen.print()
    _print_remarks((result.linted,), screen)
    for title, rows in (("Clocks", result.clocks), ("Locked versions", result.versions)):
        if rows:
            screen.print()
            screen.print(make_heading(title))
            show_noun_table(rows, screen)


def print_lint_report(report: Any, screen: Screen) -> None:
    """Print each file with its remarks, worst first."""
    _print_remarks(report.files, screen)


def _print_remarks(files: Sequence[Any], screen: Screen) -> None:
    for place, file in enumerate(files):
        if place:
            screen.print()
        counts = [sum(r.severity == kind for r in file.remarks) for kind in STYLES]
        counted = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for n, kind in zip(counts, STYLES, strict=True) if n)
        status = Status.FAILED if file.errors else Status.PASSED
        screen.print(format_status(status, file.file).append(f"  {counted or 'no remarks'}", style="default"))
        if file.remarks:
            rows = [
                (
                    make_styled_text(*STYLES[r.severity]),
                    r.code,
                    r.place,
                    write_sentence(r.message),
                    write_sentence(r.advice),
                )
                for r in file.remarks
            ]
            screen.print(make_table(("", "code", "table", "problem", "remedy"), rows))


def print_protocol_changes(changes: Any, screen: Screen) -> None:
    """Print what changed, what follows, and which verdicts would differ."""
    screen.print(make_facts_table([("from", changes.older), ("to", changes.newer)]))
    screen.print(make_heading(changes.sentence))
    if changes.changes:
        rows = [(c.effect.value, c.place, c.before or "–", _write_new_value(c)) for c in changes.changes]
        screen.print(make_table(("consequence", "table", "before", "after"), rows))
    if changes.judged:
        screen.write(f"{changes.verdicts_changed} of {changes.judged} known episodes would get another status.")
    if changes.first_changed:
        shown = [
            (c.name, c.episode[:12], format_status(c.before), format_status(c.after)) for c in changes.first_changed
        ]
        screen.print(make_table(("episode", "id", "before", "after"), shown))


def _write_new_value(change: Any) -> str:
    after = change.after or "removed"
    return f"{after} ({change.note})" if change.note else after

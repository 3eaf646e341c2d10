"""Print what was proposed from signals, how sure it is, and what could not be proposed."""

from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_heading, make_table
from fieldloop.say import write_sentence
from fieldloop.say.numbers import format_count, format_plural, format_whole_percent


def print_proposals(result: Any, screen: Screen) -> None:
    """Print labels by kind with their confidence, then the reasons for what is missing."""
    phases = format_plural(result.annotations, "phase")
    screen.print(make_heading(f"{phases} proposed in {format_plural(result.episodes, 'episode')}"))
    if result.labels:
        rows = [
            (
                one.kind,
                one.label,
                format_count(one.spans),
                format_count(one.episodes),
                _format_confidence(one.mean_confidence),
                _format_confidence(one.least_confidence),
            )
            for one in result.labels
        ]
        columns = ("kind", "label", "spans", "episodes", "confidence", "lowest")
        screen.print(make_table(columns, rows, right=("spans", "episodes", "confidence", "lowest")))
    for one in result.left_out:
        many = format_plural(one.episodes, "episode")
        screen.print(f"{many} (such as {one.example}): {write_sentence(one.reason)}")


def _format_confidence(share: float | None) -> str:
    return "not measured" if share is None else format_whole_percent(share)

"""Render the difference of two releases, or of two datasets."""

from collections.abc import Sequence
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_heading, make_table
from fieldloop.model.release_diff import ReleaseDiff
from fieldloop.report import release_diff as words

MOST_ROWS = 14


def print_release_diff(result: ReleaseDiff, screen: Screen) -> None:
    """Print what changed: episodes and why, conditions with their tests, features, shares."""
    screen.write(words.write_headline(result))
    for remark in words.list_remarks(result):
        screen.write(remark)
    _print_section(screen, "Episodes", words.CHANGE_COLUMNS, words.list_change_rows(result), ("episodes",))
    _print_section(screen, "Conditions", words.SHIFT_COLUMNS, words.list_shift_rows(result), ("apart", "p (Holm)"))
    features = words.list_feature_rows(result)
    _print_section(screen, "What a normaliser feels", words.FEATURE_COLUMNS, features, words.FEATURE_COLUMNS[1:5])
    if features:
        screen.write(words.LEGEND)
    _print_section(screen, "Shares", words.SHARE_COLUMNS, words.list_share_rows(result), words.SHARE_COLUMNS[1:])
    if result.html:
        screen.write(f"Page: {result.html}")


def _print_section(
    screen: Screen, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str]
) -> None:
    if not rows:
        return
    screen.print()
    screen.print(make_heading(title))
    screen.print(make_table(columns, rows[:MOST_ROWS], right=right))
    if len(rows) > MOST_ROWS:
        screen.write(f"And {len(rows) - MOST_ROWS} more rows; --html and --json list more.")

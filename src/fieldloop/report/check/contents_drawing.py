"""The contents of a dataset as a table, one row per task."""

from collections.abc import Mapping, Sequence

from fieldloop.model.contents import TaskContents
from fieldloop.report.markup import draw_panel, draw_table
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_fixed, percent

MOST_NAMED = 4


def draw_contents(contents: Sequence[TaskContents]) -> Markup:
    """Draw one row per task."""
    rows = [
        (
            one.task or "not stated",
            one.episodes,
            _format_success_share(one),
            " / ".join(format_fixed(length, 1) for length in one.length_s),
            _format_counts(one.operators),
            _format_counts(one.failures),
            _format_counts(one.grasps),
        )
        for one in contents
    ]
    columns = ("task", "episodes", "succeeded", "length s (least / median / most)", "operators", "failures", "grasps")
    return draw_panel("Contents", [draw_table(columns, rows, columns[1:4])])


def _format_success_share(contents: TaskContents) -> str:
    if not contents.judged:
        return "not known"
    bounds = f"{percent(contents.success_low, 0)} to {percent(contents.success_high, 0)}"
    return f"{contents.succeeded} of {contents.judged} ({bounds})"


def _format_counts(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    more = f" and {len(ranked) - MOST_NAMED} more" if len(ranked) > MOST_NAMED else ""
    return ", ".join(f"{name} {count}" for name, count in ranked[:MOST_NAMED]) + more

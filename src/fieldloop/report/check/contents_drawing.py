"""What there is of each task, as a table that a manager reads."""

from collections.abc import Mapping, Sequence

from fieldloop.model.contents import TaskContents
from fieldloop.report.markup import Markup, panel, table

MOST_NAMED = 4


def draw_contents(contents: Sequence[TaskContents]) -> Markup:
    """Draw one row a task."""
    rows = [
        (
            one.task or "not said",
            one.episodes,
            _success(one),
            " / ".join(f"{length:.1f}" for length in one.length_s),
            _counted(one.operators),
            _counted(one.failures),
            _counted(one.grasps),
        )
        for one in contents
    ]
    columns = ("task", "episodes", "succeeded", "length s (least / median / most)", "operators", "failures", "grasps")
    return panel("What is in it", [table(columns, rows, columns[1:4])])


def _success(one: TaskContents) -> str:
    if not one.judged:
        return "not said"
    return f"{one.succeeded} of {one.judged} ({one.success_low:.0%} to {one.success_high:.0%})"


def _counted(counts: Mapping[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    more = f" and {len(ranked) - MOST_NAMED} more" if len(ranked) > MOST_NAMED else ""
    return ", ".join(f"{name} {count}" for name, count in ranked[:MOST_NAMED]) + more

"""Evidence on the Quality page: changes between batches, contents, and the results of each check."""

from collections.abc import Mapping

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import Status
from fieldloop.model.quality import CheckTally, DatasetReport
from fieldloop.say.findings import format_finding_limit
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import format_count, format_fixed, format_plural, format_without_unit, percent, percent_range
from fieldloop.ui.components import (
    Column,
    draw_control_chart,
    draw_facts,
    draw_folded,
    draw_meter,
    draw_panel,
    draw_table,
)

MOST_CHARTS, MOST_LEVELS = 6, 4
CHECK_COLUMNS = (
    "Check",
    Column("", "slim"),
    Column("Episodes blocked", "num"),
    Column("Passed", "num"),
    Column("Failed", "num"),
    Column("Cannot tell", "num"),
    Column("Not applicable", "num"),
    Column("Median", "num"),
    "Limit",
)


def draw_trends(dataset_report: DatasetReport) -> Markup:
    """Draw the metrics that changed suddenly."""
    title = "Sudden changes"
    if not dataset_report.metrics:
        return draw_panel(title, tag("p", "There are too few batches to compare any metric.", class_="dim"))
    followed = f"{format_plural(dataset_report.metrics, 'metric')} compared from batch to batch"
    if not dataset_report.trends:
        return draw_panel(title, tag("p", "No metric changed suddenly.", class_="dim"), note=followed)
    drawn = tag("div", *map(draw_control_chart, dataset_report.trends[:MOST_CHARTS]), class_="charts")
    more = (
        f", {len(dataset_report.trends) - MOST_CHARTS} more in the report"
        if len(dataset_report.trends) > MOST_CHARTS
        else ""
    )
    note = f"{len(dataset_report.trends)} of {followed}; the band shows the expected range{more}"
    return draw_panel(title, drawn, note=note)


def draw_task_contents(dataset_report: DatasetReport) -> Markup:
    """Show the contents of each task."""
    several = len(dataset_report.contents) > 1
    parts = [
        join(tag("h3", held.task or "no task given") if several else None, _draw_task(held))
        for held in dataset_report.contents
    ]
    return draw_panel("Contents of the dataset", *parts, note="as labelled; most common first")


def _draw_task(task_contents: TaskContents) -> Markup:
    shortest, middle, longest = task_contents.length_s
    sure = (
        f"{task_contents.succeeded} of {task_contents.judged}, "
        f"{percent_range(task_contents.success_low, task_contents.success_high, 0)}"
    )
    pairs = [
        ("Task", task_contents.task),
        ("Episodes", format_count(task_contents.episodes)),
        (
            "Succeeded",
            f"{percent(task_contents.succeeded / task_contents.judged, 0)} ({sure})" if task_contents.judged else "",
        ),
        ("Length", f"{format_fixed(shortest, 1)} to {format_fixed(longest, 1)} s, median {format_fixed(middle, 1)} s"),
        ("Failures", _format_counts(task_contents.failures)),
        ("Grasps", _format_counts(task_contents.grasps)),
        ("Operators", _format_counts(task_contents.operators)),
        ("Objects", _format_counts(task_contents.objects)),
        *(
            (name.replace("_", " ").capitalize(), _format_counts(counts))
            for name, counts in task_contents.conditions.items()
        ),
    ]
    return draw_facts(pairs)


def _format_counts(counts: Mapping[str, int]) -> str:
    most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    label = ", ".join(f"{name} {count}" for name, count in most[:MOST_LEVELS])
    return (label or "none") + (f" and {len(most) - MOST_LEVELS} more" if len(most) > MOST_LEVELS else "")


def draw_check_results(dataset_report: DatasetReport) -> Markup:
    """Show the results of every check; the one that blocks most episodes comes first."""
    total = sum(dataset_report.episodes.values())
    telling = [tally for tally in dataset_report.checks if set(tally.answers) != {Status.PASSED}]
    silent = [tally for tally in dataset_report.checks if tally not in telling]
    table = draw_table(CHECK_COLUMNS, [_make_check_row(tally, total) for tally in telling])
    label = f"{format_plural(len(silent), 'check')} that every episode passed"
    rest = (
        draw_folded(label, draw_table(CHECK_COLUMNS, [_make_check_row(tally, total) for tally in silent]))
        if silent
        else None
    )
    return draw_panel(
        "Checks", table if telling else None, rest, note="checks that hold back most episodes come first", flush=True
    )


def _make_check_row(check_tally: CheckTally, episodes: int) -> tuple[object, ...]:
    failed = check_tally.answers.get(Status.FAILED, 0) + check_tally.answers.get(Status.ERRORED, 0)
    return (
        tag("span", check_tally.check, class_="mono"),
        draw_meter(check_tally.held / max(episodes, 1), "bad" if check_tally.held else ""),
        f"{check_tally.held} of {episodes}",
        check_tally.answers.get(Status.PASSED, 0) or "–",
        failed or "–",
        check_tally.answers.get(Status.CANNOT_TELL, 0) or "–",
        check_tally.answers.get(Status.NOT_APPLICABLE, 0) or "–",
        format_without_unit(check_tally.median, check_tally.unit, 3),
        format_finding_limit(check_tally),
    )

"""Evidence on the Quality page: changes between batches, contents, and the results of each check."""

from collections.abc import Mapping

from fieldloop.model.contents import TaskContents
from fieldloop.model.finding import Status
from fieldloop.model.quality import CheckTally, DatasetReport
from fieldloop.say.findings import limit
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.numbers import fixed, format_without_unit, percent, percent_range, plural, whole
from fieldloop.ui.components import Column, control_chart, dense_table, facts, folded, meter, panel

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


def trends(known: DatasetReport) -> Markup:
    """Draw the metrics that changed suddenly."""
    title = "Sudden changes"
    if not known.metrics:
        return panel(title, tag("p", "There are too few batches to compare any metric.", class_="dim"))
    followed = f"{plural(known.metrics, 'metric')} compared from batch to batch"
    if not known.trends:
        return panel(title, tag("p", "No metric changed suddenly.", class_="dim"), note=followed)
    drawn = tag("div", *map(control_chart, known.trends[:MOST_CHARTS]), class_="charts")
    more = f", {len(known.trends) - MOST_CHARTS} more in the report" if len(known.trends) > MOST_CHARTS else ""
    note = f"{len(known.trends)} of {followed}; the band shows the expected range{more}"
    return panel(title, drawn, note=note)


def contents(known: DatasetReport) -> Markup:
    """Show the contents of each task."""
    several = len(known.contents) > 1
    parts = [join(tag("h3", held.task or "no task given") if several else None, _task(held)) for held in known.contents]
    return panel("Contents of the dataset", *parts, note="as labelled; most common first")


def _task(held: TaskContents) -> Markup:
    shortest, middle, longest = held.length_s
    sure = f"{held.succeeded} of {held.judged}, {percent_range(held.success_low, held.success_high, 0)}"
    pairs = [
        ("Task", held.task),
        ("Episodes", whole(held.episodes)),
        ("Succeeded", f"{percent(held.succeeded / held.judged, 0)} ({sure})" if held.judged else ""),
        ("Length", f"{fixed(shortest, 1)} to {fixed(longest, 1)} s, median {fixed(middle, 1)} s"),
        ("Failures", _counts_text(held.failures)),
        ("Grasps", _counts_text(held.grasps)),
        ("Operators", _counts_text(held.operators)),
        ("Objects", _counts_text(held.objects)),
        *((name.replace("_", " ").capitalize(), _counts_text(counts)) for name, counts in held.conditions.items()),
    ]
    return facts(pairs)


def _counts_text(counts: Mapping[str, int]) -> str:
    most = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    label = ", ".join(f"{name} {count}" for name, count in most[:MOST_LEVELS])
    return (label or "none") + (f" and {len(most) - MOST_LEVELS} more" if len(most) > MOST_LEVELS else "")


def checks(known: DatasetReport) -> Markup:
    """Show the results of every check; the one that blocks most episodes comes first."""
    total = sum(known.episodes.values())
    telling = [tally for tally in known.checks if set(tally.answers) != {Status.PASSED}]
    silent = [tally for tally in known.checks if tally not in telling]
    table = dense_table(CHECK_COLUMNS, [_check(tally, total) for tally in telling])
    label = f"{plural(len(silent), 'check')} that every episode passed"
    rest = folded(label, dense_table(CHECK_COLUMNS, [_check(tally, total) for tally in silent])) if silent else None
    return panel(
        "Checks", table if telling else None, rest, note="checks that hold back most episodes come first", flush=True
    )


def _check(tally: CheckTally, episodes: int) -> tuple[object, ...]:
    failed = tally.answers.get(Status.FAILED, 0) + tally.answers.get(Status.ERRORED, 0)
    return (
        tag("span", tally.check, class_="mono"),
        meter(tally.held / max(episodes, 1), "bad" if tally.held else ""),
        f"{tally.held} of {episodes}",
        tally.answers.get(Status.PASSED, 0) or "–",
        failed or "–",
        tally.answers.get(Status.CANNOT_TELL, 0) or "–",
        tally.answers.get(Status.NOT_APPLICABLE, 0) or "–",
        format_without_unit(tally.median, tally.unit, 3),
        limit(tally),
    )

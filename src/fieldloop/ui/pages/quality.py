"""The Quality page: the verdict on the dataset, what to look at first, and the evidence."""

from fieldloop.loop.home.quality import QualityShown, show_quality
from fieldloop.model.finding import Finding, Status
from fieldloop.model.quality import DatasetReport, DimensionResult
from fieldloop.model.ranking import Look
from fieldloop.say import write_sentence
from fieldloop.say.findings import format_finding_limit, write_finding, write_without_subject
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import draw_status, get_status_level
from fieldloop.say.numbers import format_count, format_plural, format_time, percent, percent_range
from fieldloop.ui.components import (
    Column,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_interval_bar,
    draw_meter,
    draw_panel,
    draw_table,
)
from fieldloop.ui.findings import draw_measured_value, draw_moment_link, format_cost, get_episode_address, write_fixes
from fieldloop.ui.pages.quality_evidence import draw_check_results, draw_task_contents, draw_trends
from fieldloop.ui.pages.quality_sensors import draw_calibrations
from fieldloop.ui.visit import Drawn, Visit

FIRST_LOOKS = 8
LOOK_COLUMNS = (
    "Episode",
    Column("", "slim"),
    Column("Costs", "num"),
    Column("Moment", "num"),
    Column("Why", "text most"),
    Column("Fix that a release can apply", "wrap"),
)
DIMENSION_COLUMNS = (
    "Dimension",
    "Status",
    Column("Pass", "num"),
    Column("", "slim"),
    "95 % interval",
    Column("Cannot tell", "num"),
    Column("Summary", "text most"),
)
FINDING_COLUMNS = (
    "Status",
    "Check",
    Column("About", "wrap"),
    Column("Measured", "num"),
    "Limit",
    Column("What", "text most"),
)


def draw(visit: Visit) -> Drawn:
    """Draw the quality page."""
    now = show_quality(visit.workspace)
    known, sensors = now.report, draw_calibrations(now)
    if known is None:
        return Drawn(escape("Quality"), (_draw_not_judged_yet(now), *sensors))
    return Drawn(
        escape("Quality"),
        (
            _draw_answer_card(known),
            *_draw_outdated_card(now, known),
            _draw_ranked_episodes(known),
            _draw_dimensions(known),
            _draw_findings(known),
            draw_trends(known),
            draw_task_contents(known),
            draw_check_results(known),
            *sensors,
        ),
    )


def _draw_not_judged_yet(quality_shown: QualityShown) -> Markup:
    if not quality_shown.episodes:
        how = "Every episode is checked when its log is ingested."
        return draw_empty_state("Nothing is judged yet", how, draw_copyable_command("fieldloop ingest PATH"))
    return draw_answer_card(
        "run",
        f"{format_count(quality_shown.passed)} of {format_plural(quality_shown.episodes, 'episode')} passed; they have "
        f"not been judged together yet",
        "This command checks balance, trends and near-duplicates over all episodes, and ranks what to look at first.",
        draw_copyable_command("fieldloop check"),
    )


def _draw_answer_card(dataset_report: DatasetReport) -> Markup:
    total, passed = sum(dataset_report.episodes.values()), dataset_report.episodes.get(Status.PASSED, 0)
    wrong, failed = (
        dataset_report.wrong,
        [f for f in dataset_report.wrong if f.status in (Status.FAILED, Status.ERRORED)],
    )
    headline = (
        f"{format_count(passed)} of {format_plural(total, 'episode')} are fit for training: "
        f"{percent(passed / max(total, 1), 0)}"
    )
    if failed:
        headline += f"; {format_plural(len(failed), 'problem')} of the dataset as a whole"
    open_ = len(wrong) - len(failed)
    unknown = f" {format_plural(open_, 'check')} of the dataset as a whole cannot tell." if open_ else ""
    return draw_answer_card(
        get_status_level(dataset_report.status),
        headline,
        f"Judged by {_name_judging_protocols(dataset_report)} on {format_time(dataset_report.at_ns)}.{unknown} "
        f"'Cannot tell' does not count as passed.",
    )


def _name_judging_protocols(dataset_report: DatasetReport) -> str:
    """Name the protocols whose limits were used."""
    if set(dataset_report.judged_by) <= {dataset_report.protocol}:
        return dataset_report.protocol
    parts = ", ".join(f"{name} ({format_plural(count, 'episode')})" for name, count in dataset_report.judged_by.items())
    return f"{parts}, the dataset as a whole by {dataset_report.protocol},"


def _draw_outdated_card(quality_shown: QualityShown, dataset_report: DatasetReport) -> tuple[Markup, ...]:
    """State what has changed since, and how to update the numbers."""
    changes = []
    if dataset_report.outdated:
        changes.append(
            f"{format_plural(dataset_report.outdated, 'episode')} measured with other parameters or fewer checks than "
            f"now in force"
        )
    if quality_shown.protocol != dataset_report.protocol:
        changes.append(f"judged by {dataset_report.protocol}, but {quality_shown.protocol} is in force")
    elif quality_shown.fingerprint != dataset_report.fingerprint:
        changes.append(f"the protocol {dataset_report.protocol} has changed since")
    if since := quality_shown.episodes - sum(dataset_report.episodes.values()):
        changes.append(f"{format_plural(abs(since), 'episode')} {'added' if since > 0 else 'removed'} since")
    if not changes:
        return ()
    how = "This command judges the stored measurements again; it opens no log."
    if dataset_report.outdated:
        how = "This command reads their logs again, then judges all episodes again."
    mend = draw_copyable_command("fieldloop check --again" if dataset_report.outdated else "fieldloop check")
    return (draw_answer_card("warn", f"These numbers are outdated: {'; '.join(changes)}", how, mend),)


def _draw_ranked_episodes(dataset_report: DatasetReport) -> Markup:
    looks = dataset_report.ranking.looks[:FIRST_LOOKS]
    if not looks:
        return draw_panel(
            "Look at these first",
            tag("p", write_sentence(dataset_report.look_first or dataset_report.ranking.sentence), class_="dim"),
        )
    named = "this episode" if len(looks) == 1 else f"these {len(looks)} episodes"
    return draw_panel(
        f"Look at {named} first",
        draw_table(LOOK_COLUMNS, [_make_ranked_episode_row(look) for look in looks]),
        note=" ".join(write_sentence(detail) for detail in dataset_report.look_first.details)
        if dataset_report.look_first
        else "",
        right=tag("a", "All episodes that are held back", href="/episodes?status=failed", class_="chip"),
        flush=True,
    )


def _make_ranked_episode_row(ranked_episode: Look) -> tuple[object, ...]:
    first = write_finding(ranked_episode.reasons[0]) if ranked_episode.reasons else ranked_episode.status.value
    more = (
        f"and {format_plural(len(ranked_episode.reasons) - 1, 'more finding')}"
        if len(ranked_episode.reasons) > 1
        else ""
    )
    return (
        tag(
            "a",
            ranked_episode.name,
            href=get_episode_address(ranked_episode.episode, ranked_episode.at_s),
            title=ranked_episode.episode,
        ),
        draw_meter(ranked_episode.cost, "bad"),
        format_cost(ranked_episode.cost),
        draw_moment_link(ranked_episode.episode, ranked_episode.at_s),
        join(first, tag("small", more) if more else None),
        write_fixes(ranked_episode.fixes),
    )


def _draw_dimensions(dataset_report: DatasetReport) -> Markup:
    rows = [_make_dimension_row(result) for result in dataset_report.dimensions]
    note = "share of judged episodes that pass in each dimension"
    return draw_panel("Five dimensions", draw_table(DIMENSION_COLUMNS, rows), note=note, flush=True)


def _make_dimension_row(result: DimensionResult) -> tuple[object, ...]:
    worst = _draw_worst_checks(result) if result.worst else write_sentence(result.sentence)
    known = result.share is not None
    return (
        result.dimension.value.capitalize(),
        draw_status(result.status),
        percent(result.share, 0) if known else "–",
        draw_interval_bar(result.low, result.share or 0.0, result.high) if known else "",
        percent_range(result.low, result.high, 0) if known else "not known",
        result.episodes.get(Status.CANNOT_TELL, 0) or "–",
        worst,
    )


def _draw_worst_checks(result: DimensionResult) -> Markup:
    """Name the checks that failed, costliest first; the findings themselves are in the other tables."""
    named = (tag("span", finding.check, class_="mono") for finding in result.worst)
    return join(*(join(", " if place else "", name) for place, name in enumerate(named)))


def _draw_findings(dataset_report: DatasetReport) -> Markup:
    quiet = len(dataset_report.findings) - len(dataset_report.wrong)
    passed = sum(f.status is Status.PASSED for f in dataset_report.findings)
    note = (
        f"{passed} of {format_plural(len(dataset_report.findings), 'answer')} passed, {quiet - passed} do not hold the "
        f"dataset back"
    )
    if not dataset_report.wrong:
        return draw_panel(
            "The dataset as a whole", tag("p", "No finding holds the dataset back.", class_="dim"), note=note
        )
    table = draw_table(FINDING_COLUMNS, map(_make_finding_row, dataset_report.wrong))
    return draw_panel("The dataset as a whole", table, note=note, flush=True)


def _make_finding_row(finding: Finding) -> tuple[object, ...]:
    return (
        draw_status(finding.status),
        tag("span", finding.check, class_="mono"),
        finding.subject or "all episodes",
        draw_measured_value(finding),
        format_finding_limit(finding),
        write_without_subject(finding),
    )

"""The Quality page: the verdict on the dataset, what to look at first, and the evidence."""

from fieldloop.loop.home.quality import QualityShown, show_quality
from fieldloop.model.finding import Finding, Status
from fieldloop.model.quality import DatasetReport, DimensionResult
from fieldloop.model.ranking import Look
from fieldloop.say import sentence
from fieldloop.say.findings import limit, message, without_subject
from fieldloop.say.html import Markup, escape, join, tag
from fieldloop.say.marks import level_of, status
from fieldloop.say.numbers import format_time, percent, percent_range, plural, whole
from fieldloop.ui.components import Column, command, dense_table, empty_state, interval_bar, meter, next_card, panel
from fieldloop.ui.findings import cost_text, fix_in_words, link_to, measured_with_interval, moment_link
from fieldloop.ui.pages.quality_evidence import checks, contents, trends
from fieldloop.ui.pages.quality_sensors import calibrations
from fieldloop.ui.visit import Drawn, Visit

FIRST_LOOKS = 8
LOOK_COLUMNS = (
    "Episode",
    Column("", "slim"),
    Column("Costs", "num"),
    Column("Moment", "num"),
    Column("Why", "text most"),
    Column("A release can", "wrap"),
)
DIMENSION_COLUMNS = (
    "Dimension",
    "Status",
    Column("Pass", "num"),
    Column("", "slim"),
    "95 % interval",
    Column("Cannot tell", "num"),
    Column("In short", "text most"),
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
    known, sensors = now.report, calibrations(now)
    if known is None:
        return Drawn(escape("Quality"), (_draw_not_judged_yet(now), *sensors))
    return Drawn(
        escape("Quality"),
        (
            _draw_answer_card(known),
            *_draw_outdated_card(now, known),
            _looks(known),
            _dimensions(known),
            _findings(known),
            trends(known),
            contents(known),
            checks(known),
            *sensors,
        ),
    )


def _draw_not_judged_yet(now: QualityShown) -> Markup:
    if not now.episodes:
        how = "Every episode is checked when its log is ingested."
        return empty_state("Nothing is judged yet", how, command("fieldloop ingest PATH"))
    return next_card(
        "run",
        f"{whole(now.passed)} of {plural(now.episodes, 'episode')} passed; they have not been judged together yet",
        "This command checks balance, trends and near-duplicates over all episodes, and ranks what to look at first.",
        command("fieldloop check"),
    )


def _draw_answer_card(known: DatasetReport) -> Markup:
    total, passed = sum(known.episodes.values()), known.episodes.get(Status.PASSED, 0)
    wrong, failed = known.wrong, [f for f in known.wrong if f.status in (Status.FAILED, Status.ERRORED)]
    headline = (
        f"{whole(passed)} of {plural(total, 'episode')} are fit for training: {percent(passed / max(total, 1), 0)}"
    )
    if failed:
        headline += f"; {plural(len(failed), 'problem')} of the dataset as a whole"
    open_ = len(wrong) - len(failed)
    unknown = f" {plural(open_, 'check')} of the dataset as a whole cannot tell." if open_ else ""
    return next_card(
        level_of(known.status),
        headline,
        f"Judged by {_judges(known)} on {format_time(known.at_ns)}.{unknown} 'Cannot tell' does not count as passed.",
    )


def _judges(known: DatasetReport) -> str:
    """Name the protocols whose limits were used."""
    if set(known.judged_by) <= {known.protocol}:
        return known.protocol
    parts = ", ".join(f"{name} ({plural(count, 'episode')})" for name, count in known.judged_by.items())
    return f"{parts}, the dataset as a whole by {known.protocol},"


def _draw_outdated_card(now: QualityShown, known: DatasetReport) -> tuple[Markup, ...]:
    """State what has changed since, and how to update the numbers."""
    changes = []
    if known.outdated:
        changes.append(
            f"{plural(known.outdated, 'episode')} measured with other parameters or fewer checks than now in force"
        )
    if now.protocol != known.protocol:
        changes.append(f"judged by {known.protocol}, but {now.protocol} is in force")
    elif now.fingerprint != known.fingerprint:
        changes.append(f"the protocol {known.protocol} has changed since")
    if since := now.episodes - sum(known.episodes.values()):
        changes.append(f"{plural(abs(since), 'episode')} {'added' if since > 0 else 'removed'} since")
    if not changes:
        return ()
    how = "This command judges the stored measurements again; it opens no log."
    if known.outdated:
        how = "This command reads their logs again, then judges all episodes again."
    mend = command("fieldloop check --again" if known.outdated else "fieldloop check")
    return (next_card("warn", f"These numbers are outdated: {'; '.join(changes)}", how, mend),)


def _looks(known: DatasetReport) -> Markup:
    looks = known.ranking.looks[:FIRST_LOOKS]
    if not looks:
        return panel(
            "Look at these first", tag("p", sentence(known.look_first or known.ranking.sentence), class_="dim")
        )
    named = "this episode" if len(looks) == 1 else f"these {len(looks)} episodes"
    return panel(
        f"Look at {named} first",
        dense_table(LOOK_COLUMNS, [_look_row(look) for look in looks]),
        note=" ".join(sentence(detail) for detail in known.look_first.details) if known.look_first else "",
        right=tag("a", "All episodes that are held back", href="/episodes?status=failed", class_="chip"),
        flush=True,
    )


def _look_row(look: Look) -> tuple[object, ...]:
    first = message(look.reasons[0]) if look.reasons else look.status.value
    more = f"and {plural(len(look.reasons) - 1, 'more finding')}" if len(look.reasons) > 1 else ""
    return (
        tag("a", look.name, href=link_to(look.episode, look.at_s), title=look.episode),
        meter(look.cost, "bad"),
        cost_text(look.cost),
        moment_link(look.episode, look.at_s),
        join(first, tag("small", more) if more else None),
        fix_in_words(look.fixes),
    )


def _dimensions(known: DatasetReport) -> Markup:
    rows = [_dimension(result) for result in known.dimensions]
    note = "share of judged episodes that pass in each dimension"
    return panel("Five dimensions", dense_table(DIMENSION_COLUMNS, rows), note=note, flush=True)


def _dimension(result: DimensionResult) -> tuple[object, ...]:
    worst = _worst_checks(result) if result.worst else sentence(result.sentence)
    known = result.share is not None
    return (
        result.dimension.value.capitalize(),
        status(result.status),
        percent(result.share, 0) if known else "–",
        interval_bar(result.low, result.share or 0.0, result.high) if known else "",
        percent_range(result.low, result.high, 0) if known else "not known",
        result.episodes.get(Status.CANNOT_TELL, 0) or "–",
        worst,
    )


def _worst_checks(result: DimensionResult) -> Markup:
    """Name the checks that failed, costliest first; the findings themselves are in the other tables."""
    named = (tag("span", finding.check, class_="mono") for finding in result.worst)
    return join(*(join(", " if place else "", name) for place, name in enumerate(named)))


def _findings(known: DatasetReport) -> Markup:
    quiet = len(known.findings) - len(known.wrong)
    passed = sum(f.status is Status.PASSED for f in known.findings)
    note = f"{passed} of {plural(len(known.findings), 'answer')} passed, {quiet - passed} do not hold the dataset back"
    if not known.wrong:
        return panel("The dataset as a whole", tag("p", "No finding holds the dataset back.", class_="dim"), note=note)
    table = dense_table(FINDING_COLUMNS, map(_finding, known.wrong))
    return panel("The dataset as a whole", table, note=note, flush=True)


def _finding(finding: Finding) -> tuple[object, ...]:
    return (
        status(finding.status),
        tag("span", finding.check, class_="mono"),
        finding.subject or "all episodes",
        measured_with_interval(finding),
        limit(finding),
        without_subject(finding),
    )

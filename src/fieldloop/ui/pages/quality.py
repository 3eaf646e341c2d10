"""Quality: how the dataset stands, where to look first and what it costs, then the evidence, as last judged."""

from fieldloop.model.episode import Episode
from fieldloop.model.finding import Finding, Status
from fieldloop.model.quality import DatasetReport, DimensionResult
from fieldloop.model.ranking import Look
from fieldloop.ui.components import (
    Column,
    command,
    dense_table,
    empty_state,
    interval_bar,
    level_of,
    meter,
    next_card,
    panel,
    status,
)
from fieldloop.ui.findings import cost, fix_in_words, link_to, moment_link, value
from fieldloop.ui.markup import Html, join, tag, text
from fieldloop.ui.pages.quality_evidence import checks, contents, trends
from fieldloop.ui.pages.quality_sensors import calibrations
from fieldloop.ui.said import interval, limit, moment, percent, plural
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
    Column("Not told", "num"),
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
    known: DatasetReport | None = visit.workspace.newest(DatasetReport)
    sensors = calibrations(visit.workspace)
    if known is None:
        return Drawn(text("Quality"), (_never(visit), *sensors))
    return Drawn(
        text("Quality"),
        (
            _answer(known),
            *_behind(visit, known),
            _looks(known),
            _dimensions(known),
            _findings(known),
            trends(known),
            contents(known),
            checks(known),
            *sensors,
        ),
    )


def _never(visit: Visit) -> Html:
    episodes = visit.workspace.store.count(Episode)
    if not episodes:
        how = "Every episode is checked when it is taken in."
        return empty_state("Nothing is judged yet", how, command("fieldloop ingest PATH"))
    passed = visit.workspace.store.count(Episode, {"status": Status.PASSED})
    return next_card(
        "run",
        f"{passed:,} of {plural(episodes, 'episode')} passed; they have not been judged together yet",
        "Balance, trends, near-duplicates and where to look first are told of all episodes at once.",
        command("fieldloop check"),
    )


def _answer(known: DatasetReport) -> Html:
    total, passed = sum(known.episodes.values()), known.episodes.get(Status.PASSED, 0)
    wrong, failed = known.wrong, [f for f in known.wrong if f.status in (Status.FAILED, Status.ERRORED)]
    said = f"{passed:,} of {plural(total, 'episode')} are fit to learn from: {percent(passed / max(total, 1), 0)}"
    if failed:
        said += f"; {plural(len(failed), 'thing')} {'is' if len(failed) == 1 else 'are'} wrong with the whole"
    open_ = len(wrong) - len(failed)
    untold = f" {plural(open_, 'question')} about the whole could not be told." if open_ else ""
    return next_card(
        level_of(known.status),
        said,
        f"Judged by {known.protocol} on {moment(known.at_ns)}.{untold} A check that cannot tell is no pass.",
    )


def _behind(visit: Visit, known: DatasetReport) -> tuple[Html, ...]:
    """Say what has changed since, and how to bring the numbers up to date."""
    rules, said = visit.workspace.protocol(), []
    if known.outdated:
        said.append(
            f"{plural(known.outdated, 'episode')} measured by other parameters or fewer checks than are in force"
        )
    if rules.version_name != known.protocol:
        said.append(f"judged by {known.protocol}, in force now is {rules.version_name}")
    elif rules.fingerprint != known.fingerprint:
        said.append(f"{known.protocol} has changed since it judged")
    if since := visit.workspace.store.count(Episode) - sum(known.episodes.values()):
        said.append(f"{plural(abs(since), 'episode')} {'came in' if since > 0 else 'left'} since")
    if not said:
        return ()
    how = "Judged anew from what was measured; no log is opened."
    if known.outdated:
        how = "Their logs are looked at again, then everything is judged anew."
    mend = command("fieldloop check --again" if known.outdated else "fieldloop check")
    return (next_card("warn", f"These numbers are outdated: {'; '.join(said)}", how, mend),)


def _looks(known: DatasetReport) -> Html:
    looks = known.ranking.looks[:FIRST_LOOKS]
    if not looks:
        return panel("Look first", tag("p", known.look_first or "Nothing stands against any episode.", class_="dim"))
    named = "this one" if len(looks) == 1 else f"these {len(looks)}"
    return panel(
        f"Look at {named} first",
        dense_table(LOOK_COLUMNS, [_look(look) for look in looks]),
        note=known.look_first.partition("; ")[2],
        right=tag("a", "All that are held back", href="/episodes?status=failed", class_="chip"),
        flush=True,
    )


def _look(look: Look) -> tuple[object, ...]:
    first = look.reasons[0].message if look.reasons else look.status.value
    more = f"and {plural(len(look.reasons) - 1, 'more finding')}" if len(look.reasons) > 1 else ""
    return (
        tag("a", look.name, href=link_to(look.episode, look.at_s), title=look.episode),
        meter(look.cost, "bad"),
        cost(look.cost),
        moment_link(look.episode, look.at_s),
        join(first, tag("small", more) if more else None),
        fix_in_words(look.fixes),
    )


def _dimensions(known: DatasetReport) -> Html:
    rows = [_dimension(result) for result in known.dimensions]
    note = "share of the episodes that passed or failed in it"
    return panel("Five dimensions", dense_table(DIMENSION_COLUMNS, rows), note=note, flush=True)


def _dimension(result: DimensionResult) -> tuple[object, ...]:
    worst = result.worst[0].message if result.worst else result.sentence.partition(": ")[2]
    tells = result.share is not None
    return (
        result.dimension.value.capitalize(),
        status(result.status),
        percent(result.share, 0) if tells else "–",
        interval_bar(result.low, result.share or 0.0, result.high) if tells else "",
        interval(result.low, result.high, 0) if tells else "no episode tells",
        result.episodes.get(Status.CANNOT_TELL, 0) or "–",
        worst,
    )


def _findings(known: DatasetReport) -> Html:
    quiet = len(known.findings) - len(known.wrong)
    passed = sum(f.status is Status.PASSED for f in known.findings)
    note = f"{passed} of {plural(len(known.findings), 'answer')} passed, {quiet - passed} do not count"
    if not known.wrong:
        return panel("The dataset as a whole", tag("p", "Nothing stands against it.", class_="dim"), note=note)
    table = dense_table(FINDING_COLUMNS, map(_finding, known.wrong))
    return panel("The dataset as a whole", table, note=note, flush=True)


def _finding(finding: Finding) -> tuple[object, ...]:
    return (
        status(finding.status),
        tag("span", finding.check, class_="mono"),
        finding.subject or "all episodes",
        value(finding),
        limit(finding),
        finding.message,
    )

"""One episode: its verdict, the moment that is asked for, findings, phases and facts."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from fieldloop.errors import FieldloopError, UnknownName
from fieldloop.loop.glimpse import glimpse
from fieldloop.loop.page_reads import every
from fieldloop.loop.release import releases
from fieldloop.loop.streams import streams
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.ui.components import (
    Column,
    command,
    dense_table,
    empty_state,
    facts,
    film_strip,
    folded,
    level_of,
    next_card,
    panel,
    phase_lane,
    signal_plot,
    status,
)
from fieldloop.ui.components.tables import Row
from fieldloop.ui.findings import cost, fix_in_words, moment_link, value
from fieldloop.ui.markup import Html, join, tag
from fieldloop.ui.said import SECOND_NS, limit, measured, moment, plural, short
from fieldloop.ui.visit import Drawn, Visit

MOST_NAMED = 4
NEAR_S = 0.005
"""Addresses say moments to the hundredth."""
FINDING_COLUMNS = (
    "Status",
    "Check",
    Column("Subject", "wrap"),
    Column("Measured", "num"),
    "Limit",
    Column("Moment", "num"),
    Column("Costs", "num"),
    Column("What", "text most"),
)
STREAM_COLUMNS = (
    "Stream",
    "Kind",
    Column("Samples", "num"),
    Column("Rate", "num"),
    "Clocks",
    "Unit",
    Column("Holds", "text"),
    Column("Notes", "text"),
)
ORDER = {status: place for place, status in enumerate(Status)}


def draw(visit: Visit) -> Drawn:
    """Draw one episode."""
    found = every(visit.workspace, Episode, {"id": visit.path["episode"]})
    if not found:
        raise UnknownName("episode", visit.path["episode"], ())
    episode = found[0]
    report = next(iter(every(visit.workspace, EpisodeReport, {"episode": episode.id})), None)
    spans = every(visit.workspace, Annotation, {"kind": "phase", "episode": episode.id})[::-1]
    used = [release.name for release in releases(visit.workspace) if episode.id in release.episodes]
    title = join(tag("a", "Episodes", href="/episodes"), " / ", episode.name)
    at_s = _asked(visit)
    shown = () if at_s is None else (_moment(visit, episode, report, at_s),)
    return Drawn(
        title,
        (
            _verdict(report),
            *shown,
            _findings(report, at_s),
            _phases(episode, spans),
            _facts(episode, used),
            _streams(visit, episode),
        ),
    )


def _asked(visit: Visit) -> float | None:
    """Return the moment that the address asks for; one that is no number is none."""
    try:
        at_s = float(visit.query.get("at", ""))
    except ValueError:
        return None
    return at_s if math.isfinite(at_s) else None


def _moment(visit: Visit, episode: Episode, report: EpisodeReport | None, at_s: float) -> Html:
    """Show frames and signals around a moment; a log that cannot be opened says why, and the page goes on."""
    about = [f.message for f in (report.findings if report else ()) if _is_at(f, at_s) and f.counts]
    title, note = f"At {at_s:.2f} s", about[0] if about else ""
    try:
        seen = glimpse(visit.workspace, episode, at_s)
    except FieldloopError as gone:
        return panel(title, empty_state("This moment cannot be shown", str(gone)), note=note)
    length_s = (episode.end_ns - episode.start_ns) / SECOND_NS
    drawn = [signal_plot(signal, seen.at_s, length_s) for signal in seen.signals]
    if not drawn and not seen.frames:
        return panel(title, tag("p", "The log holds neither pictures nor signals that can be drawn.", class_="dim"))
    return panel(title, film_strip(seen.frames, seen.at_s), tag("div", *drawn, class_="charts"), note=note)


def _is_at(finding: Finding, at_s: float | None) -> bool:
    return finding.at_s is not None and at_s is not None and abs(finding.at_s - at_s) <= NEAR_S


def _verdict(report: EpisodeReport | None) -> Html:
    if report is None:
        return next_card("idle", "Not judged yet", "No protocol was applied to it.", command("fieldloop check"))
    standing = sorted((f for f in report.findings if f.counts), key=lambda f: ORDER[f.status])
    passed = sum(f.status is Status.PASSED for f in report.findings)
    if not standing:
        return next_card("good", "Fit to learn from", f"{plural(passed, 'answer')} passed.{_judged_by(report)}")
    return next_card(
        level_of(report.status),
        standing[0].message,
        f"{plural(len(standing), 'finding')} in the way, {plural(passed, 'answer')} passed.{_judged_by(report)}",
    )


def _judged_by(report: EpisodeReport) -> str:
    return f" Judged by {report.judged_by}." if report.judged_by else ""


def _findings(report: EpisodeReport | None, at_s: float | None) -> Html:
    """Show what stands in the way one by one, dearest first, and the rest folded by check."""
    if report is None:
        return panel("Findings", tag("p", "None yet.", class_="dim"))
    standing = sorted((f for f in report.findings if f.counts), key=lambda f: (ORDER[f.status], -f.cost, f.check))
    quiet = sorted((f for f in report.findings if not f.counts), key=lambda f: (ORDER[f.status], f.check))
    rest = [_alike(list(same)) for _, same in groupby(quiet, key=lambda f: (f.status, f.check))]
    table = dense_table(FINDING_COLUMNS, [_standing(report.episode, f, at_s) for f in standing])
    others = folded(_in_short(quiet), dense_table(FINDING_COLUMNS, rest)) if rest else None
    return panel("Findings", table if standing else None, others, note="dearest first", flush=True)


def _in_short(quiet: Sequence[Finding]) -> str:
    counts = Counter(f.status for f in quiet)
    said = ", ".join(f"{counts[each]} {each.value.replace('_', ' ')}" for each in reversed(Status) if counts[each])
    return f"{plural(len(quiet), 'answer')} that stand in nobody's way: {said}"


def _standing(episode: str, finding: Finding, at_s: float | None) -> Row:
    cells = (
        status(finding.status),
        finding.check,
        finding.subject,
        value(finding),
        limit(finding),
        moment_link(episode, finding.at_s),
        cost(finding.cost),
        join(finding.message, _help(finding)),
    )
    return cells, {"class_": "here" if _is_at(finding, at_s) else None}


def _help(finding: Finding) -> Html | None:
    return tag("small", f"A release can {fix_in_words([finding.fix])}: {finding.fix.why}") if finding.fix else None


def _alike(same: Sequence[Finding]) -> Row:
    values = sorted(f.measured for f in same if f.measured is not None)
    ends = list(dict.fromkeys(measured(value, same[0].unit, 3) for value in values[:1] + values[-1:]))
    span = " to ".join(ends) or "–"
    subjects = same[0].subject if len(same) == 1 else plural(len(same), "subject")
    said = ", ".join(f.subject for f in same[:MOST_NAMED]) if len(same) > 1 else same[0].message
    if len(same) > 1 and same[0].status is not Status.PASSED:
        said = f"{same[0].message} Also: {', '.join(f.subject for f in same[1:MOST_NAMED])}"
    more = f" and {len(same) - MOST_NAMED} more" if len(same) > MOST_NAMED else ""
    return status(same[0].status), same[0].check, subjects, span, limit(same[0]), "–", "–", f"{said}{more}"


def _facts(episode: Episode, used: Sequence[str]) -> Html:
    pairs = [
        ("Id", tag("span", short(episode.id), class_="mono", title=episode.id)),
        ("Task", episode.task),
        ("Site", episode.site),
        ("Robot", episode.robot),
        ("Operator", episode.operator),
        ("Session", episode.session),
        ("Provider", episode.provider),
        ("Format", episode.format),
        ("Begun", moment(episode.start_ns)),
        ("Duration", f"{(episode.end_ns - episode.start_ns) / SECOND_NS:.2f} s"),
        ("Real or simulated", {True: "simulated", False: "real", None: None}[episode.simulated]),
        ("Outcome", {True: "succeeded", False: episode.failure or "failed", None: None}[episode.succeeded]),
        *episode.stratum.levels.items(),
        *episode.facts,
        ("In releases", ", ".join(used) or "none"),
    ]
    return panel("Episode", facts(pairs))


def _streams(visit: Visit, episode: Episode) -> Html:
    """Show what the log holds; one that cannot be opened any more says why."""
    try:
        shown = streams(visit.workspace, episode.id)
    except FieldloopError as gone:
        return panel("Streams", empty_state("The log cannot be opened", str(gone), command("fieldloop doctor")))
    rows = [
        (
            s.name,
            s.kind.value.replace("_", " "),
            s.samples,
            f"{s.hz:.4g} Hz" if s.hz else "–",
            " > ".join(s.clocks),
            s.unit or "–",
            s.holds,
            "; ".join(f"{name}: {note}" for name, note in s.notes),
        )
        for s in shown
    ]
    return panel(
        "Streams", dense_table(STREAM_COLUMNS, rows), note="every clock it came with, most trusted first", flush=True
    )


def _phases(episode: Episode, spans: Sequence[Annotation]) -> Html:
    if not spans:
        return panel(
            "Phases",
            empty_state("No phase yet", "Phases are proposed from the signals.", command("fieldloop annotate")),
        )
    authors = list(dict.fromkeys(span.author for span in spans))
    lanes = [
        join(
            tag("p", author, class_="dim"),
            phase_lane([s for s in spans if s.author == author], episode.start_ns, episode.end_ns),
        )
        for author in authors
    ]
    return panel("Phases", *lanes, note=plural(len(authors), "author"))

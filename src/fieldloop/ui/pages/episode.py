"""The page of one episode: verdict, a chosen moment, findings, phases and facts."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from fieldloop.loop.data.streams import StreamShown
from fieldloop.loop.home.episode import EpisodeShown, show_episode
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode, Stated
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.provenance import Provenance, StreamFact, find_provenance_by_notes
from fieldloop.model.stream import NS_PER_S
from fieldloop.say import write_sentence
from fieldloop.say.findings import format_finding_limit, write_finding, write_without_subject
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_status, get_status_level
from fieldloop.say.numbers import (
    format_fixed,
    format_number,
    format_plural,
    format_time,
    format_without_unit,
    shorten_content_ids,
)
from fieldloop.say.streams import write_stream_note
from fieldloop.ui.components import (
    Column,
    Field,
    Submit,
    draw_action_button,
    draw_answer_card,
    draw_copyable_command,
    draw_empty_state,
    draw_facts,
    draw_film_strip,
    draw_folded,
    draw_form,
    draw_panel,
    draw_phase_lane,
    draw_signal_plot,
    draw_table,
)
from fieldloop.ui.components.tables import Row
from fieldloop.ui.findings import draw_measured_value, draw_moment_link, format_cost, write_fixes
from fieldloop.ui.pages.look import draw_explorer
from fieldloop.ui.visit import Drawn, Visit

MOST_NAMED = 4
NEAR_S = 0.005
"""Addresses give moments to the hundredth of a second."""
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
    at_s = _read_moment_from_query(visit)
    now = show_episode(visit.workspace, visit.path["episode"], at_s=at_s)
    episode, report = now.episode, now.report
    title = join(tag("a", "Episodes", href="/episodes"), " / ", episode.name)
    shown = () if at_s is None else (_draw_moment(now, at_s),)
    return Drawn(
        title,
        (
            _draw_set_aside_card(episode) if episode.set_aside else _draw_verdict_card(report),
            draw_explorer(episode.id),
            *shown,
            _draw_findings(report, at_s),
            _draw_phases(episode, now.phases),
            _draw_facts(episode, now.releases),
            _draw_change_forms(episode),
            _draw_streams(now),
        ),
    )


def _read_moment_from_query(visit: Visit) -> float | None:
    """Return the moment in the address; None if it is not a number."""
    try:
        at_s = float(visit.query.get("at", ""))
    except ValueError:
        return None
    return at_s if math.isfinite(at_s) else None


def _draw_moment(episode_shown: EpisodeShown, at_s: float) -> Markup:
    """Show frames and signals around a moment; if the log cannot be opened, the page states why."""
    episode, seen, findings = (
        episode_shown.episode,
        episode_shown.moment,
        episode_shown.report.findings if episode_shown.report else (),
    )
    about = [write_finding(f) for f in findings if _is_near_moment(f, at_s) and f.counts]
    title, note = f"At {format_fixed(at_s, 2)} s", about[0] if about else ""
    if seen is None:
        return draw_panel(title, draw_empty_state("This moment cannot be shown", episode_shown.moment_error), note=note)
    length_s = (episode.end_ns - episode.start_ns) / NS_PER_S
    drawn = [draw_signal_plot(signal, seen.at_s, length_s) for signal in seen.signals]
    if not drawn and not seen.frames:
        return draw_panel(
            title, tag("p", "The log contains no pictures and no signals that can be drawn.", class_="dim")
        )
    return draw_panel(title, draw_film_strip(seen.frames, seen.at_s), tag("div", *drawn, class_="charts"), note=note)


def _is_near_moment(finding: Finding, at_s: float | None) -> bool:
    return finding.at_s is not None and at_s is not None and abs(finding.at_s - at_s) <= NEAR_S


def _draw_verdict_card(report: EpisodeReport | None) -> Markup:
    if report is None:
        return draw_answer_card(
            "idle",
            "Not judged yet",
            "The episode has not been checked against a protocol.",
            draw_copyable_command("fieldloop check"),
        )
    standing = sorted((f for f in report.findings if f.counts), key=lambda f: ORDER[f.status])
    passed = sum(f.status is Status.PASSED for f in report.findings)
    if not standing:
        return draw_answer_card(
            "good", "Fit for training", f"{format_plural(passed, 'answer')} passed.{_write_judging_protocol(report)}"
        )
    return draw_answer_card(
        get_status_level(report.status),
        write_finding(standing[0]),
        f"{format_plural(len(standing), 'finding')} blocking, {format_plural(passed, 'answer')} "
        f"passed.{_write_judging_protocol(report)}",
    )


def _write_judging_protocol(report: EpisodeReport) -> str:
    return f" Judged by {report.judged_by}." if report.judged_by else ""


def _draw_findings(report: EpisodeReport | None, at_s: float | None) -> Markup:
    """Show blocking findings one by one, the most costly first, and the rest folded by check."""
    if report is None:
        return draw_panel("Findings", tag("p", "None yet.", class_="dim"))
    standing = sorted((f for f in report.findings if f.counts), key=lambda f: (ORDER[f.status], -f.cost, f.check))
    quiet = sorted((f for f in report.findings if not f.counts), key=lambda f: (ORDER[f.status], f.check))
    rest = [_make_similar_findings_row(list(same)) for _, same in groupby(quiet, key=lambda f: (f.status, f.check))]
    table = draw_table(FINDING_COLUMNS, [_make_blocking_finding_row(report.episode, f, at_s) for f in standing])
    others = draw_folded(_summarise_quiet_findings(quiet), draw_table(FINDING_COLUMNS, rest)) if rest else None
    return draw_panel(
        "Findings", table if standing else None, others, note="findings that cost most come first", flush=True
    )


def _summarise_quiet_findings(quiet_findings: Sequence[Finding]) -> str:
    counts = Counter(f.status for f in quiet_findings)
    listed = ", ".join(f"{counts[each]} {each.value.replace('_', ' ')}" for each in reversed(Status) if counts[each])
    return f"{format_plural(len(quiet_findings), 'finding')} that do not hold the episode back: {listed}"


def _make_blocking_finding_row(episode: str, finding: Finding, at_s: float | None) -> Row:
    cells = (
        draw_status(finding.status),
        finding.check,
        finding.subject,
        draw_measured_value(finding),
        format_finding_limit(finding),
        draw_moment_link(episode, finding.at_s),
        format_cost(finding.cost),
        join(write_without_subject(finding), _draw_fix_hint(finding)),
    )
    return cells, {"class_": "here" if _is_near_moment(finding, at_s) else None}


def _draw_fix_hint(finding: Finding) -> Markup | None:
    return (
        tag("small", f"A release can {write_fixes([finding.fix])}: {write_sentence(finding.fix.why)}")
        if finding.fix
        else None
    )


def _make_similar_findings_row(similar_findings: Sequence[Finding]) -> Row:
    values = sorted(f.measured for f in similar_findings if f.measured is not None)
    ends = list(
        dict.fromkeys(format_without_unit(value, similar_findings[0].unit, 3) for value in values[:1] + values[-1:])
    )
    span = " to ".join(ends) or "–"
    subjects = (
        similar_findings[0].subject if len(similar_findings) == 1 else format_plural(len(similar_findings), "subject")
    )
    text = (
        ", ".join(f.subject for f in similar_findings[:MOST_NAMED])
        if len(similar_findings) > 1
        else write_without_subject(similar_findings[0])
    )
    if len(similar_findings) > 1 and similar_findings[0].status is not Status.PASSED:
        text = (
            f"{write_finding(similar_findings[0])} Also: {', '.join(f.subject for f in similar_findings[1:MOST_NAMED])}"
        )
    more = f" and {len(similar_findings) - MOST_NAMED} more" if len(similar_findings) > MOST_NAMED else ""
    return (
        draw_status(similar_findings[0].status),
        similar_findings[0].check,
        subjects,
        span,
        format_finding_limit(similar_findings[0]),
        "–",
        "–",
        f"{text}{more}",
    )


def _draw_facts(episode: Episode, used_names: Sequence[str]) -> Markup:
    pairs = [
        ("Id", tag("span", shorten_content_ids(episode.id), class_="mono", title=episode.id)),
        ("Task", episode.task),
        ("Site", episode.site),
        ("Robot", episode.robot),
        ("Operator", episode.operator),
        ("Session", episode.session),
        ("Provider", episode.provider),
        ("Format", episode.format),
        ("Begun", format_time(episode.start_ns)),
        ("Duration", f"{format_fixed((episode.end_ns - episode.start_ns) / NS_PER_S, 2)} s"),
        ("Real or simulated", {True: "simulated", False: "real", None: None}[episode.simulated]),
        ("Outcome", {True: "succeeded", False: episode.failure or "failed", None: None}[episode.succeeded]),
        *episode.stratum.levels.items(),
        *episode.facts,
        ("In releases", ", ".join(used_names) or "none"),
        *((f"Stated: {one.name}", _write_fact_origin(one)) for one in episode.stated),
    ]
    return draw_panel("Episode", draw_facts(pairs))


def _write_fact_origin(stated_fact: Stated) -> str:
    """Write who stated a fact, and what the log states where that differs."""
    in_log = f"; the log states {stated_fact.instead_of}" if stated_fact.instead_of else ""
    return f"{stated_fact.value or 'removed'}, by {stated_fact.by}{in_log}"


def _draw_set_aside_card(episode: Episode) -> Markup:
    again = draw_action_button("Use it again", "/api/ingest/restore", {"episode": [episode.id]})
    return draw_answer_card("idle", "This episode is set aside", episode.set_aside, again)


def _draw_change_forms(episode: Episode) -> Markup:
    """Draw the forms that change an episode's facts and set it aside."""
    label = draw_form(
        "/api/ingest/relabel",
        (
            Field(
                "set",
                "Facts, one per line",
                "rows",
                hint="task=pick the cube\noutcome=failure\nfailure=grasp",
                required=True,
            ),
        ),
        Submit("Change facts", {"episode": [episode.id]}),
    )
    aside = draw_form(
        "/api/ingest/set-aside",
        (Field("reason", "Why it is not used", hint="the robot was pushed by hand", required=True),),
        Submit("Set aside", {"episode": [episode.id]}),
    )
    note = "Changes are on the record. Releases that are frozen keep the earlier facts."
    return draw_panel("Change", label, *(() if episode.set_aside else (aside,)), note=note)


def _draw_streams(episode_shown: EpisodeShown) -> Markup:
    """Show the streams of the log; a log that cannot be opened is reported."""
    if episode_shown.streams_error:
        return draw_panel(
            "Streams",
            draw_empty_state(
                "The log cannot be opened", episode_shown.streams_error, draw_copyable_command("fieldloop doctor")
            ),
        )
    rows = [
        (
            s.name,
            s.kind.value.replace("_", " "),
            s.samples,
            f"{format_number(s.hz)} Hz" if s.hz else "–",
            " > ".join(s.clocks),
            _write_unit(s),
            s.holds,
            "; ".join(write_stream_note(name, text) for name, text in s.notes),
        )
        for s in episode_shown.streams
    ]
    return draw_panel(
        "Streams", draw_table(STREAM_COLUMNS, rows), note="every clock of the stream, most trusted first", flush=True
    )


def _write_unit(stream: StreamShown) -> str:
    assumed = find_provenance_by_notes(StreamFact.UNIT, dict(stream.notes)) is Provenance.ASSUMED
    return f"{stream.unit} (assumed)" if stream.unit and assumed else stream.unit or "–"


def _draw_phases(episode: Episode, spans: Sequence[Annotation]) -> Markup:
    if not spans:
        return draw_panel(
            "Phases",
            draw_empty_state(
                "No phases yet",
                "This command proposes phases from the signals.",
                draw_copyable_command("fieldloop annotate"),
            ),
        )
    authors = list(dict.fromkeys(span.author for span in spans))
    lanes = [
        join(
            tag("p", author, class_="dim"),
            draw_phase_lane([s for s in spans if s.author == author], episode.start_ns, episode.end_ns),
        )
        for author in authors
    ]
    return draw_panel("Phases", *lanes, note=format_plural(len(authors), "author"))

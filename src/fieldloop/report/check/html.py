"""The report of a check as one page: the result, failures by cause, warnings, what to look at, then the evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.report.check.cause_drawing import draw_causes, draw_film_strip
from fieldloop.report.check.causes import Causes, group_by_cause
from fieldloop.report.check.content import CheckReport, name_protocols_used
from fieldloop.report.check.contents_drawing import draw_contents
from fieldloop.report.check.drawings import draw_intervals, draw_offsets, draw_trace
from fieldloop.report.check.episode_names import use_names_apart
from fieldloop.report.check.explanations import draw_explanations, make_check_link
from fieldloop.report.check.look_command import add_moment, list_look_commands
from fieldloop.report.check.sketch import EpisodeSketch
from fieldloop.report.check.summary import SEVERITY, sort_episodes_by_cost, summarise_check_report, write_outdated_line
from fieldloop.report.check.trend_drawing import draw_trends
from fieldloop.report.markup import (
    draw_figure,
    draw_folded,
    draw_link,
    draw_monospace,
    draw_panel,
    draw_paragraph,
    draw_table,
)
from fieldloop.report.page import render_page
from fieldloop.say import write_sentence
from fieldloop.say.findings import format_finding_limit
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import MARKS, draw_status
from fieldloop.say.numbers import format_count, format_fixed, format_plural, format_without_unit, percent

MOST_LISTED = 500
LOOKED_AT_FIRST = 8


def render_check_page(report: CheckReport, sketches: Mapping[str, EpisodeSketch] | None = None) -> str:
    """Return the page; episodes with a sketch are shown with plots, worst first."""
    commands, report = list_look_commands(report), use_names_apart(report)
    summary, sketches, causes = (
        summarise_check_report(report),
        sketches or {},
        group_by_cause(report.episodes, report.dataset),
    )
    shown = [e for e in sort_episodes_by_cost(report) if e.episode in sketches]
    blocks = [draw_paragraph(summary.sentence, "lead"), draw_paragraph(_write_origin(report), "dim")]
    if report.outdated:
        blocks.append(draw_paragraph(write_outdated_line(report.outdated), "dim"))
    blocks += draw_causes(causes, sketches)
    if summary.looks:
        blocks.append(_draw_ranked_episodes(report, sketches))
    if report.dimensions:
        blocks.append(_draw_dimensions_table(report.dimensions))
    if drawn := draw_trends(report.trends):
        blocks.append(draw_panel("Changes from batch to batch", [Markup(f'<div class="pair">{join(*drawn)}</div>')]))
    if report.contents:
        blocks.append(draw_contents(report.contents))
    blocks += [
        _draw_episode(episode, sketches[episode.episode], commands.get(episode.episode, "")) for episode in shown
    ]
    blocks.append(_draw_all_episodes_table(sort_episodes_by_cost(report)))
    blocks.append(draw_explanations(_list_checks_in_causes(causes), report.questions, report.protocol))
    foot = f"Judged by protocol {name_protocols_used(report)}. You can change its limits without measuring again."
    return render_page(report.source, blocks, kind="fieldloop check", foot=foot)


def _write_origin(report: CheckReport) -> str:
    counts = Counter(episode.status for episode in report.episodes)
    parts = ", ".join(f"{format_count(counts[s])} {MARKS[s].word}" for s in Status if counts[s])
    listed = f"{format_plural(len(report.episodes), 'episode')}: {parts}. " if parts else ""
    return f"{listed}{report.format}, judged by {name_protocols_used(report)}."


def _list_checks_in_causes(causes: Causes) -> Iterator[str]:
    for cause in (*causes.failures, *causes.warnings):
        yield cause.check
    for one in (*causes.unknown, *causes.by_protocol):
        yield from one.checks


def _draw_dimensions_table(dimensions: Sequence[DimensionResult]) -> Markup:
    rows = [
        (
            draw_status(one.status),
            one.dimension.value,
            "" if one.share is None else percent(one.share, 0),
            "" if one.share is None else f"{percent(one.low, 0)} to {percent(one.high, 0)}",
            _draw_worst_checks(one.worst) if one.worst else write_sentence(one.sentence),
        )
        for one in dimensions
    ]
    columns = ("", "dimension", "episodes that pass", "95 % interval", "worst")
    return draw_panel("Five dimensions", [draw_table(columns, rows, columns[2:4], columns[4:], columns[1:2])])


def _draw_worst_checks(findings: Iterable[Finding]) -> Markup:
    return join(*(join(", " if place else "", make_check_link(f.check)) for place, f in enumerate(findings)))


def _draw_ranked_episodes(report: CheckReport, sketches: Mapping[str, EpisodeSketch]) -> Markup:
    looks = report.ranking.looks
    rows = [
        (
            draw_status(look.status),
            _draw_name(
                draw_link(look.name, _make_episode_anchor(look.episode)) if look.episode in sketches else look.name
            ),
            percent(look.cost, 0),
            _format_moment(look.at_s),
            _draw_worst_checks(look.reasons) if look.reasons else "No check could measure anything in this episode.",
            ", ".join(dict.fromkeys(fix.kind.value for fix in look.fixes)),
        )
        for look in looks[:MOST_LISTED]
    ]
    first = min(len(looks), LOOKED_AT_FIRST)
    title = f"Look at these {first} episodes first" if first > 1 else "Look at this episode first"
    columns = ("", "episode", "costs", "at", "checks that failed", "fix")
    note = "Cost is the share of an episode's worth for training that its findings take away; the protocol sets it."
    if (alike := report.ranking.length_correlation) is not None:
        between = f"{format_fixed(alike.low, 2)} to {format_fixed(alike.high, 2)}"
        note += f" Rank correlation of cost with length: {format_fixed(alike.value, 2)} ({between})."
    fixes = draw_paragraph(
        "Fixes are applied when a release is read: fieldloop release NAME --fix trim --fix restamp", "dim"
    )
    listed = draw_table(columns, rows[:LOOKED_AT_FIRST], ("costs", "at"), ("checks that failed",))
    rest = draw_table(columns, rows[LOOKED_AT_FIRST:], ("costs", "at"), ("checks that failed",))
    more = (
        [draw_folded(format_plural(len(rows) - LOOKED_AT_FIRST, "more episode"), [rest])]
        if len(rows) > LOOKED_AT_FIRST
        else []
    )
    body = [listed, *more, draw_paragraph(note, "dim")]
    return draw_panel(title, [*body, fixes] if any(look.fixes for look in looks) else body)


def _draw_episode(episode: EpisodeReport, sketch: EpisodeSketch, look: str) -> Markup:
    counting = sorted((f for f in episode.findings if f.counts), key=lambda f: SEVERITY.index(f.status))
    parts: list[object] = [_draw_findings_table(counting)] if counting else []
    if look:
        parts.append(_draw_look_commands(look, counting))
    if sketch.thumbnails:
        parts.append(draw_film_strip(sketch.thumbnails))
    columns = [
        Markup(f"<div>{join(*made)}</div>")
        for made in (_draw_traces(episode, sketch), _draw_sample_timing(episode, sketch))
    ]
    parts.append(Markup(f'<div class="pair">{join(*columns)}</div>'))
    passed = sum(1 for f in episode.findings if f.status is Status.PASSED)
    note = join(draw_status(episode.status), Markup(" &nbsp; "), f"{passed} checks passed, id {episode.episode[:12]}")
    return draw_panel(episode.name, parts, note, _make_episode_anchor(episode.episode))


def _draw_look_commands(look: str, findings: Iterable[Finding]) -> Markup:
    """Name the commands that open the explorer at the moments of these findings."""
    moments = {f.at_s: f for f in sorted(findings, key=lambda f: f.at_s or 0.0) if f.at_s is not None}
    lines = [draw_paragraph(draw_monospace(add_moment(look, at_s))) for at_s in moments or (None,)]
    if len(lines) == 1:
        return join(draw_paragraph("Open it in the explorer:", "dim"), *lines)
    return draw_folded(f"Open it in the explorer at one of {format_plural(len(lines), 'moment')}", lines)


def _draw_traces(episode: EpisodeReport, sketch: EpisodeSketch) -> Iterator[Markup]:
    for trace in sketch.traces:
        findings = [f for f in episode.findings if trace.name in f.about.streams]
        caption = [f"{trace.left_out} columns that change less are not shown."] if trace.left_out else []
        caption += (
            ["Dotted lines mark where a check failed."] if any(f.status is Status.FAILED for f in findings) else []
        )
        yield draw_figure(draw_trace(trace, findings), " ".join(caption))


def _draw_sample_timing(episode: EpisodeReport, sketch: EpisodeSketch) -> Iterator[Markup]:
    if sketch.intervals:
        clocks = ", ".join(sorted({one.clock.value for one in sketch.intervals}))
        caption = f"Time between samples ({clocks} clock): a flat line is a steady rate, a peak is a gap."
        yield draw_figure(draw_intervals(sketch.intervals), caption)
    else:
        yield draw_paragraph(
            "All timestamps of this episode were generated when it was written, so its timing cannot be drawn.", "dim"
        )
    offsets = draw_offsets(f for f in episode.findings if f.check == "timing.stream_offset")
    if offsets:
        yield draw_figure(offsets, "Offset between streams in ms (99th percentile). Framed values exceed the limit.")


def _draw_findings_table(findings: Iterable[Finding]) -> Markup:
    rows = [
        (
            draw_status(f.status),
            make_check_link(f.check),
            f.subject,
            _format_measured_value(f),
            format_finding_limit(f),
            _format_moment(f.at_s),
        )
        for f in findings
    ]
    columns = ("", "check", "about", "measured", "limit", "at")
    return draw_table(columns, rows, ("measured", "limit", "at"), ("about",))


def _format_moment(at_s: float | None) -> str:
    return "" if at_s is None else f"{format_fixed(at_s, 2)} s"


def _draw_all_episodes_table(episodes: Sequence[EpisodeReport]) -> Markup:
    rows = []
    for episode in episodes[:MOST_LISTED]:
        counts = {status: sum(1 for f in episode.findings if f.status is status) for status in Status}
        rows.append(
            (
                draw_status(episode.status),
                _draw_name(episode.name),
                *(counts[s] or "" for s in Status),
                draw_monospace(episode.episode[:12]),
            )
        )
    columns = ("", "episode", "failed", "broke", "cannot tell", "not applicable", "passed", "id")
    more = f"{len(episodes) - MOST_LISTED} more are in the JSON" if len(episodes) > MOST_LISTED else ""
    return draw_panel("All episodes", [draw_table(columns, rows, columns[2:7])], more)


def _format_measured_value(finding: Finding) -> str:
    return "" if finding.measured is None else format_without_unit(finding.measured, finding.unit)


def _draw_name(text: str) -> Markup:
    return Markup(f'<span class="name">{escape(text)}</span>')


def _make_episode_anchor(episode: str) -> str:
    return f"episode-{episode[:16]}"

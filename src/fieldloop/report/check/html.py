"""The report of a check as one page: the result, what to look at first, then the evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.quality import DimensionResult
from fieldloop.report.check.content import CheckReport, judged_by
from fieldloop.report.check.contents_drawing import draw_contents
from fieldloop.report.check.drawings import draw_intervals, draw_offsets, draw_trace
from fieldloop.report.check.sketch import Sketch, Thumbnail
from fieldloop.report.check.summary import SEVERITY, Summary, episodes_by_cost, outdated_in_words, summarise
from fieldloop.report.check.trend_drawing import draw_trends
from fieldloop.report.markup import figure, link, mono, panel, paragraph, picture, table, tally
from fieldloop.report.page import page
from fieldloop.say import sentence
from fieldloop.say.findings import limit, message
from fieldloop.say.html import Markup, escape, join
from fieldloop.say.marks import status
from fieldloop.say.numbers import fixed, format_without_unit, percent

MOST_LISTED = 500
LOOKED_AT_FIRST = 8


def html(report: CheckReport, sketches: Mapping[str, Sketch] | None = None) -> str:
    """Return the page; episodes with a sketch are shown with plots, worst first."""
    summary, sketches = summarise(report), sketches or {}
    shown = [e for e in episodes_by_cost(report) if e.episode in sketches]
    blocks = [paragraph(summary.sentence, "lead"), _overall_counts(report, summary)]
    if report.outdated:
        blocks.append(paragraph(outdated_in_words(report.outdated), "dim"))
    if report.dimensions:
        blocks.append(_dimensions(report.dimensions))
    if summary.looks:
        blocks.append(_looks(report, sketches))
    if summary.dataset:
        blocks.append(panel("The dataset as a whole", [_findings(summary.dataset)]))
    if drawn := draw_trends(report.trends):
        blocks.append(panel("Changes from batch to batch", [Markup(f'<div class="pair">{join(*drawn)}</div>')]))
    if report.contents:
        blocks.append(draw_contents(report.contents))
    blocks += [_episode(episode, sketches[episode.episode]) for episode in shown]
    if summary.unanswered:
        blocks.append(_unanswered(summary, len(report.episodes)))
    blocks.append(_all_episodes_table(episodes_by_cost(report)))
    foot = f"Judged by protocol {judged_by(report)}. You can change its limits without measuring again."
    return page(report.source, blocks, kind="fieldloop check", foot=foot)


def _overall_counts(report: CheckReport, summary: Summary) -> Markup:
    return join(tally(summary.counts), paragraph(f"{report.format}, judged by {judged_by(report)}", "dim"))


def _dimensions(dimensions: Sequence[DimensionResult]) -> Markup:
    rows = [
        (
            status(one.status),
            one.dimension.value,
            "" if one.share is None else percent(one.share, 0),
            "" if one.share is None else f"{percent(one.low, 0)} to {percent(one.high, 0)}",
            message(one.worst[0]) if one.worst else sentence(one.sentence),
        )
        for one in dimensions
    ]
    columns = ("", "dimension", "episodes that pass", "95 % interval", "worst finding")
    return panel("Five dimensions", [table(columns, rows, columns[2:4], columns[4:], columns[1:2])])


def _looks(report: CheckReport, sketches: Mapping[str, Sketch]) -> Markup:
    looks = report.ranking.looks
    rows = [
        (
            status(look.status),
            _name(link(look.name, _anchor(look.episode)) if look.episode in sketches else look.name),
            percent(look.cost, 0),
            "" if look.at_s is None else f"{fixed(look.at_s, 2)} s",
            message(look.reasons[0]) if look.reasons else "No check could measure anything in this episode.",
            f"+{len(look.reasons) - 1}" if len(look.reasons) > 1 else "",
            ", ".join(dict.fromkeys(fix.kind.value for fix in look.fixes)),
        )
        for look in looks[:MOST_LISTED]
    ]
    first = min(len(looks), LOOKED_AT_FIRST)
    title = f"Look at these {first} episodes first" if first > 1 else "Look at this episode first"
    columns = ("", "episode", "costs", "at", "worst finding", "more", "fix")
    note = "Cost is the share of an episode's worth for training that its findings take away; the protocol sets it."
    if (alike := report.ranking.length_correlation) is not None:
        between = f"{fixed(alike.low, 2)} to {fixed(alike.high, 2)}"
        note += f" Rank correlation of cost with length: {fixed(alike.value, 2)} ({between})."
    fixes = paragraph(
        "Fixes are applied when a release is read: fieldloop release NAME --fix trim --fix restamp", "dim"
    )
    body = [table(columns, rows, ("costs", "at", "more"), ("worst finding",)), paragraph(note, "dim")]
    return panel(title, [*body, fixes] if any(look.fixes for look in looks) else body)


def _episode(episode: EpisodeReport, sketch: Sketch) -> Markup:
    counting = sorted((f for f in episode.findings if f.counts), key=lambda f: SEVERITY.index(f.status))
    parts: list[object] = [_findings(counting)] if counting else []
    if sketch.thumbnails:
        parts.append(_film_strip(sketch.thumbnails))
    columns = [
        Markup(f"<div>{join(*made)}</div>") for made in (_traces(episode, sketch), _draw_timing(episode, sketch))
    ]
    parts.append(Markup(f'<div class="pair">{join(*columns)}</div>'))
    passed = sum(1 for f in episode.findings if f.status is Status.PASSED)
    note = join(status(episode.status), Markup(" &nbsp; "), f"{passed} checks passed, id {episode.episode[:12]}")
    return panel(episode.name, parts, note, _anchor(episode.episode))


def _traces(episode: EpisodeReport, sketch: Sketch) -> Iterator[Markup]:
    for trace in sketch.traces:
        findings = [f for f in episode.findings if trace.name in f.about.streams]
        caption = [f"{trace.left_out} columns that change less are not shown."] if trace.left_out else []
        caption += (
            ["Dotted lines mark where a check failed."] if any(f.status is Status.FAILED for f in findings) else []
        )
        yield figure(draw_trace(trace, findings), " ".join(caption))


def _draw_timing(episode: EpisodeReport, sketch: Sketch) -> Iterator[Markup]:
    if sketch.intervals:
        clocks = ", ".join(sorted({one.clock.value for one in sketch.intervals}))
        caption = f"Time between samples ({clocks} clock): a flat line is a steady rate, a peak is a gap."
        yield figure(draw_intervals(sketch.intervals), caption)
    else:
        yield paragraph(
            "All timestamps of this episode were generated when it was written, so its timing cannot be drawn.", "dim"
        )
    offsets = draw_offsets(f for f in episode.findings if f.check == "timing.stream_offset")
    if offsets:
        yield figure(offsets, "Offset between streams in ms (99th percentile). Framed values exceed the limit.")


def _film_strip(thumbnails: Iterable[Thumbnail]) -> Markup:
    cells = []
    for thumbnail in thumbnails:
        where = f"{thumbnail.stream} at {fixed(thumbnail.at_s, 2)} s"
        shown = picture(thumbnail.data_uri, where) if thumbnail.data_uri else paragraph("cannot be decoded", "dim")
        cells.append(figure(shown, where, "flagged" if thumbnail.flagged else ""))
    return Markup(f'<div class="film">{join(*cells)}</div>')


def _findings(findings: Iterable[Finding]) -> Markup:
    rows = [(status(f.status), mono(f.check), message(f), _measured(f), limit(f)) for f in findings]
    return table(("", "check", "finding", "measured", "limit"), rows, ("measured", "limit"), ("finding",))


def _unanswered(summary: Summary, total: int) -> Markup:
    rows = [(mono(one.check), one.reason, f"{one.episodes} of {total}") for one in summary.unanswered]
    lead = paragraph(
        "These checks gave no answer. An episode still passes unless its protocol requires an answer.", "dim"
    )
    return panel("Cannot tell", [lead, table(("check", "why", "episodes"), rows, ("episodes",), ("why",))])


def _all_episodes_table(episodes: Sequence[EpisodeReport]) -> Markup:
    rows = []
    for episode in episodes[:MOST_LISTED]:
        counts = {status: sum(1 for f in episode.findings if f.status is status) for status in Status}
        rows.append(
            (
                status(episode.status),
                _name(episode.name),
                *(counts[s] or "" for s in Status),
                mono(episode.episode[:12]),
            )
        )
    columns = ("", "episode", "failed", "broke", "cannot tell", "not applicable", "passed", "id")
    more = f"{len(episodes) - MOST_LISTED} more are in the JSON" if len(episodes) > MOST_LISTED else ""
    return panel("All episodes", [table(columns, rows, columns[2:7])], more)


def _measured(finding: Finding) -> str:
    return "" if finding.measured is None else format_without_unit(finding.measured, finding.unit)


def _name(text: str) -> Markup:
    return Markup(f'<span class="name">{escape(text)}</span>')


def _anchor(episode: str) -> str:
    return f"episode-{episode[:16]}"

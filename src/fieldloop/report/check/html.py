"""The report of a check as one page: what is so, what to look at first, then the evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.report.check.content import CheckReport, limit_of
from fieldloop.report.check.drawings import draw_intervals, draw_offsets, draw_trace
from fieldloop.report.check.sketch import Sketch, Thumbnail
from fieldloop.report.check.summary import SEVERITY, Look, Summary, rank, summarise
from fieldloop.report.markup import (
    Markup, escape, figure, join, link, mark, panel, paragraph, picture, table, tally,
)  # fmt: skip
from fieldloop.report.page import page

MOST_LISTED = 500


def html(report: CheckReport, sketches: Mapping[str, Sketch] | None = None) -> str:
    """Return the page; episodes that have a sketch are shown with plots, the worst first."""
    summary, sketches = summarise(report), sketches or {}
    shown = [e for e in rank(report.episodes) if e.episode in sketches]
    blocks = [paragraph(summary.sentence, "lead"), _whole(report, summary)]
    if summary.looks:
        blocks.append(_looks(summary.looks, sketches))
    if summary.dataset:
        blocks.append(panel("The dataset as a whole", [_findings(summary.dataset)]))
    blocks += [_episode(episode, sketches[episode.episode]) for episode in shown]
    if summary.untold:
        blocks.append(_untold(summary, len(report.episodes)))
    blocks.append(_all(report.episodes))
    foot = f"Judged by protocol {report.protocol.label}. A limit can be changed there and the answers judged again."
    return page(report.source, blocks, kind="fieldloop check", foot=foot)


def _whole(report: CheckReport, summary: Summary) -> Markup:
    return join([tally(summary.counts), paragraph(f"{report.format}, judged by {report.protocol.label}", "dim")])


def _looks(looks: Sequence[Look], sketches: Mapping[str, Sketch]) -> Markup:
    rows = [
        (
            mark(look.status),
            link(look.name, _anchor(look.episode)) if look.episode in sketches else look.name,
            look.reasons[0].message if look.reasons else "Nothing in it could be measured.",
            f"+{len(look.reasons) - 1}" if len(look.reasons) > 1 else "",
        )
        for look in looks[:MOST_LISTED]
    ]
    title = f"Look at these {len(looks)} first" if len(looks) > 1 else "Look at this one first"
    return panel(title, [table(("", "episode", "worst finding", "more"), rows, ("more",))])


def _episode(episode: EpisodeReport, sketch: Sketch) -> Markup:
    open_ones = sorted((f for f in episode.findings if f.counts), key=lambda f: SEVERITY.index(f.status))
    parts: list[object] = [mark(episode.status)]
    if open_ones:
        parts.append(_findings(open_ones))
    if sketch.thumbnails:
        parts.append(_film(sketch.thumbnails))
    parts.append(Markup(f'<div class="pair">{join(_plots(episode, sketch))}</div>'))
    passed = sum(1 for f in episode.findings if f.status is Status.PASSED)
    return panel(episode.name, parts, f"{episode.episode[:12]}, {passed} answers passed", _anchor(episode.episode))


def _plots(episode: EpisodeReport, sketch: Sketch) -> Iterator[Markup]:
    for trace in sketch.traces:
        own = [f for f in episode.findings if trace.name in f.subject.split(" ")]
        more = f"; {trace.left_out} quieter columns are left out" if trace.left_out else ""
        yield figure(draw_trace(trace, own), f"{trace.name} over time{more}. Dotted: where a check failed.")
    if sketch.intervals:
        caption = "Time between samples in periods of each stream: 1 is steady, a tooth is a gap."
        yield figure(draw_intervals(sketch.intervals), caption)
    offsets = draw_offsets(f for f in episode.findings if f.check == "timing.stream_offset")
    if offsets:
        yield figure(offsets, "Offset between streams in ms, 99 in 100 samples are nearer. Framed: beyond the limit.")


def _film(thumbnails: Iterable[Thumbnail]) -> Markup:
    cells = []
    for one in thumbnails:
        where = f"{one.stream} at {one.at_s:.2f} s"
        shown = picture(one.data_uri, where) if one.data_uri else paragraph("does not decode", "dim")
        cells.append(figure(shown, where, "flagged" if one.flagged else ""))
    return Markup(f'<div class="film">{join(cells)}</div>')


def _findings(findings: Iterable[Finding]) -> Markup:
    rows = [
        (mark(f.status), Markup(f'<span class="mono">{escape(f.check)}</span>'), f.message, _number(f.measured), _limit(f))
        for f in findings
    ]
    return table(("", "check", "finding", "measured", "limit"), rows, ("measured", "limit"))


def _untold(summary: Summary, total: int) -> Markup:
    rows = [
        (Markup(f'<span class="mono">{escape(one.check)}</span>'), one.reason, f"{one.episodes} of {total}")
        for one in summary.untold
    ]
    lead = paragraph("These questions have no answer here. They do not count against an episode unless its protocol asks.", "dim")
    return panel("What could not be told", [lead, table(("check", "why", "episodes"), rows, ("episodes",))])


def _all(episodes: Sequence[EpisodeReport]) -> Markup:
    rows = []
    for episode in rank(episodes)[:MOST_LISTED]:
        counts = {status: sum(1 for f in episode.findings if f.status is status) for status in Status}
        rows.append((mark(episode.status), episode.name, *(counts[s] or "" for s in Status), episode.episode[:12]))
    columns = ("", "episode", "failed", "broke", "cannot tell", "not applicable", "passed", "id")
    more = f"{len(episodes) - MOST_LISTED} more are in the JSON" if len(episodes) > MOST_LISTED else ""
    return panel("All episodes", [table(columns, rows, columns[2:7])], more)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _limit(finding: Finding) -> str:
    limit = limit_of(finding)
    if isinstance(limit, list):
        return f"{limit[0]:g} to {limit[1]:g} {finding.unit}"
    if limit is None:
        return ""
    return f"{'at least' if finding.maximum is None else 'at most'} {limit:g} {finding.unit}"


def _anchor(episode: str) -> str:
    return f"episode-{episode[:16]}"

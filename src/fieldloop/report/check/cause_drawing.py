"""Causes on the page of a check: check, count, what was found at worst, what to do, and one picture or plot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fieldloop.model.finding import EpisodeReport, Finding
from fieldloop.report.check.causes import Cause, Causes, Place, Unknown
from fieldloop.report.check.drawings import draw_intervals, draw_trace
from fieldloop.report.check.explanations import make_check_link
from fieldloop.report.check.phrases import (
    write_cause_advice,
    write_cause_title,
    write_unknown_reason,
    write_worst_finding,
)
from fieldloop.report.check.sketch import EpisodeSketch, Thumbnail
from fieldloop.report.markup import draw_figure, draw_folded, draw_panel, draw_paragraph, draw_picture
from fieldloop.say import write_sentence
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_status
from fieldloop.say.numbers import format_fixed, format_plural, percent

MOST_DRAWN = 8
"""Causes with a picture or plot of their own."""
MOST_PICTURES = 3


def draw_causes(causes: Causes, sketches: Mapping[str, EpisodeSketch]) -> Iterator[Markup]:
    """Draw failures, then warnings, most harmful first; what could not be judged comes last."""
    if causes.failures:
        note = "most harmful first: what a finding costs, times the share of episodes that have it"
        yield draw_panel("Failures", _draw_cause_entries(causes.failures, sketches), note)
    if causes.warnings:
        yield draw_panel("Warnings", _draw_cause_entries(causes.warnings, sketches))
    if causes.unknown or causes.next_steps:
        yield _draw_unanswered_checks(causes)


def _draw_cause_entries(causes: Sequence[Cause], sketches: Mapping[str, EpisodeSketch]) -> list[Markup]:
    given: set[str] = set()
    made = []
    for number, cause in enumerate(causes):
        to_do = write_cause_advice(cause)
        drawn = draw_example(cause, sketches) if number < MOST_DRAWN else None
        made.append(_draw_cause_entry(cause, "" if to_do in given else to_do, drawn))
        given.add(to_do)
    return made


def _draw_cause_entry(cause: Cause, advice_text: str, example_drawing: Markup | None) -> Markup:
    named = join(
        draw_status(cause.status), make_check_link(cause.check), tag("span", write_cause_title(cause), class_="dim")
    )
    episodes = [one.name for one in cause.episodes]
    words = tag(
        "div",
        tag("h3", named, class_="cause-title"),
        draw_paragraph(write_worst_finding(cause)),
        draw_paragraph(f"→ {advice_text}", "dim") if advice_text else None,
        draw_paragraph(
            f"This cause alone lowers the worth of the dataset for training by {percent(cause.harm, 0)}.", "dim"
        )
        if cause.harm
        else None,
        draw_folded(format_plural(len(episodes), "episode"), [draw_paragraph(", ".join(episodes))])
        if len(episodes) > 1
        else None,
    )
    return tag("div", words, example_drawing, class_="cause")


def draw_example(cause: Cause, sketches: Mapping[str, EpisodeSketch]) -> Markup | None:
    """Draw one example from the first episode that was sketched: a picture, a trace, or the time between samples."""
    for place in cause.places:
        if place.episode is not None and place.episode.episode in sketches:
            return _draw_place(place, place.episode, sketches[place.episode.episode])
    return None


def _draw_place(place: Place, episode: EpisodeReport, sketch: EpisodeSketch) -> Markup | None:
    finding = place.finding
    streams, topic = finding.about.streams, finding.check.partition(".")[0]
    if frames := [one for one in sketch.thumbnails if one.stream in streams]:
        return draw_film_strip(sorted(frames, key=lambda one: not one.flagged)[:MOST_PICTURES], episode.name)
    intervals = [one for one in sketch.intervals if one.name in streams]
    if topic == "timing" and intervals:
        return draw_figure(draw_intervals(intervals), f"{episode.name}: time between samples; a peak is a gap.")
    traces = [one for one in sketch.traces if one.name in streams]
    return draw_figure(draw_trace(traces[0], _select_timed_finding(finding)), episode.name) if traces else None


def _select_timed_finding(finding: Finding) -> tuple[Finding, ...]:
    return (finding,) if finding.at_s is not None else ()


def draw_film_strip(thumbnails: Iterable[Thumbnail], episode: str = "") -> Markup:
    """Show frames side by side; flagged ones are framed."""
    cells = []
    for thumbnail in thumbnails:
        where = f"{f'{episode}, ' if episode else ''}{thumbnail.stream} at {format_fixed(thumbnail.at_s, 2)} s"
        shown = (
            draw_picture(thumbnail.data_uri, where)
            if thumbnail.data_uri
            else draw_paragraph("cannot be decoded", "dim")
        )
        cells.append(draw_figure(shown, where, "flagged" if thumbnail.flagged else ""))
    return tag("div", *cells, class_="film")


def _draw_unanswered_checks(causes: Causes) -> Markup:
    lead = draw_paragraph(
        "These checks gave no answer. An episode still passes unless its protocol requires an answer.", "dim"
    )
    steps = [draw_paragraph(f"→ {write_sentence(step)}") for step in causes.next_steps]
    asked = causes.by_protocol
    hidden = draw_folded("Checks that apply only under a protocol", [_draw_unknown_reasons(asked)]) if asked else None
    shown = [lead, _draw_unknown_reasons(causes.unknown)] if causes.unknown else []
    return draw_panel("Cannot tell", [*shown, *steps, *([hidden] if hidden else [])])


def _draw_unknown_reasons(unknown: Iterable[Unknown]) -> Markup:
    entries = [
        tag("div", tag("dt", write_unknown_reason(one)), tag("dd", *_insert_commas(map(make_check_link, one.checks))))
        for one in unknown
    ]
    return tag("dl", *entries, class_="checks")


def _insert_commas(parts: Iterable[Markup]) -> Iterator[Markup]:
    for place, part in enumerate(parts):
        yield join(", ", part) if place else part

"""Plots of a check report: intervals between samples, traces with findings marked, offsets between streams."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fieldloop.model.finding import Finding, Status
from fieldloop.report.check.sketch import Intervals, Trace
from fieldloop.report.plots import BAD, INK, INK_3, SERIES, SURFACE, Margins, add_halo, label_seconds_axis, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_fixed, format_number

WIDTH = 5.3
"""Size in inches: half a page on screen, where text of 8 points is 11 pixels."""

LEVELS = ("#eef0f2", "#c5d8f4", "#7fa6e2")
TALLEST = 6.0
NOTABLE = 1.5


def draw_intervals(intervals: Sequence[Intervals]) -> Markup:
    """Draw one strip per stream: a steady stream is a flat line, a gap is a peak with its height in periods."""
    with open_drawing(WIDTH, 0.36 * len(intervals) + 0.3, Margins(left=1.85, top=0.06)) as (axis, made):
        for row, stream_intervals in enumerate(intervals):
            axis.axhline(-row, color="#dce0e5", linewidth=0.8)
            shown = np.clip(stream_intervals.periods, -1.0, TALLEST)
            axis.plot(stream_intervals.at_s, -row + (shown - 1.0) * 0.13, color=SERIES[0], linewidth=1.0)
            _label_interval_strip(axis, row, stream_intervals)
            worst = int(np.argmax(stream_intervals.periods)) if len(stream_intervals.periods) else -1
            if worst >= 0 and stream_intervals.periods[worst] > NOTABLE:
                place = (stream_intervals.at_s[worst], -row + (shown[worst] - 1.0) * 0.13)
                label = f"{format_number(stream_intervals.periods[worst], 3)} periods"
                add_halo(axis.annotate(label, place, (4, -4), textcoords="offset points", color=BAD))
        axis.set_ylim(-len(intervals) + 0.55, 0.75)
        axis.set_yticks([])
        axis.margins(x=0.01)
        label_seconds_axis(axis)
    return made[0]


def draw_trace(trace: Trace, findings: Iterable[Finding]) -> Markup:
    """Draw the columns that move most, labelled at their ends; a finding is a dotted line with its check's name."""
    longest = max((len(name) for name in trace.columns), default=0)
    margins = Margins(right=min(1.5, 0.12 + 0.068 * longest))
    with open_drawing(WIDTH, 1.75, margins) as (axis, made):
        for colour, column in zip(SERIES, trace.values.T, strict=False):
            axis.plot(trace.at_s, column, color=colour)
        axis.margins(x=0.01)
        axis.locator_params(axis="y", nbins=5)
        _label_ends(axis, trace)
        for number, (at_s, name) in enumerate(_list_failure_moments(findings)):
            axis.axvline(at_s, color=BAD, linestyle=(0, (1, 2)), linewidth=1.2)
            side, shift = ("left", 3) if at_s < trace.at_s[-1] / 2 else ("right", -3)
            top = (at_s, 1)
            down = (shift, -7 - 10 * (number % 3))
            add_halo(
                axis.annotate(
                    name, top, down, ("data", "axes fraction"), textcoords="offset points", color=BAD, ha=side, va="top"
                )
            )
        axis.set_title(f"{trace.name}{f', {trace.unit}' if trace.unit else ''}", loc="left", pad=5, color=INK)
        label_seconds_axis(axis)
    return made[0]


def draw_offsets(findings: Iterable[Finding]) -> Markup | None:
    """Draw each pair of streams as a cell with its offset in ms; None where no offset is known."""
    pairs = {f.about.streams: f for f in findings if f.measured is not None and f.about.other}
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if len(names) < 2:  # noqa: PLR2004 - a pair
        return None
    height = 0.24 * (len(names) - 1)
    with open_drawing(WIDTH, height + 0.75, Margins(left=1.25, right=0.05, top=0.03, bottom=0.72)) as (axis, made):
        axis.grid(visible=False)
        for (one, other), finding in pairs.items():
            row, column = sorted((names.index(one), names.index(other)), reverse=True)
            _draw_offset_cell(axis, column, row - 1, finding)
        axis.set_xlim(0, len(names) - 1)
        axis.set_ylim(len(names) - 1, 0)
        axis.set_xticks(np.arange(len(names) - 1) + 0.5, names[:-1], rotation=30, ha="right", rotation_mode="anchor")
        axis.set_yticks(np.arange(len(names) - 1) + 0.5, names[1:])
        axis.spines["bottom"].set_visible(False)
    return made[0]


def _label_interval_strip(axis: Any, row: int, intervals: Intervals) -> None:
    left = ("axes fraction", "data")
    text, grey = f"{intervals.name} ", f"{format_number(intervals.hz, 3)} Hz"
    axis.annotate(text, (0, -row), (-44, 0), left, textcoords="offset points", ha="right", va="center", color=INK)
    axis.annotate(grey, (0, -row), (-4, 0), left, textcoords="offset points", ha="right", va="center", color=INK_3)


def _draw_offset_cell(axis: Any, column: int, row: int, finding: Finding) -> None:
    from matplotlib.patches import Rectangle

    value, limit = finding.measured or 0.0, finding.maximum or 1.0
    failed = finding.status is Status.FAILED
    fill = SURFACE if failed else LEVELS[min(int(3 * value / limit), 2)]
    axis.add_patch(Rectangle((column, row), 1, 1, facecolor=fill, edgecolor=SURFACE, linewidth=1.5))
    if failed:
        axis.add_patch(
            Rectangle((column + 0.05, row + 0.08), 0.9, 0.84, facecolor="none", edgecolor=BAD, linewidth=1.3)
        )
    label = format_fixed(value, 1) if value < 100 else format_fixed(value, 0)  # noqa: PLR2004 - digits that fit
    weight, colour = ("bold", BAD) if failed else ("normal", INK)
    axis.text(column + 0.5, row + 0.53, label, ha="center", va="center", color=colour, fontweight=weight)


def _label_ends(axis: Any, trace: Trace) -> None:
    """Place labels at the lines' ends, moved apart where they would overlap."""
    ends = [float(c[np.isfinite(c)][-1]) if np.isfinite(c).any() else 0.0 for c in trace.values.T]
    low, high = axis.get_ylim()
    gap = (high - low) / 9
    places: dict[int, float] = {}
    place = -np.inf
    for index in np.argsort(ends, kind="stable"):
        place = places[int(index)] = max(ends[index], place + gap)
    shift = min(0.0, high - max(places.values(), default=high))
    for index, at in places.items():
        left = ("axes fraction", "data")
        style = {"color": SERIES[index], "va": "center", "annotation_clip": False}
        axis.annotate(trace.columns[index], (1, at + shift), (4, 0), left, textcoords="offset points", **style)


def _list_failure_moments(findings: Iterable[Finding]) -> list[tuple[float, str]]:
    found = {(f.at_s, f.check) for f in findings if f.status is Status.FAILED and f.at_s is not None}
    return sorted(found)[:6]

"""The plots of a check: rhythm of the streams, traces with findings marked, offsets between streams."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fieldloop.model.finding import Finding, Status
from fieldloop.report.check.sketch import Intervals, Trace, moment
from fieldloop.report.markup import Markup
from fieldloop.report.plots import BAD, INK, INK_3, LINE_2, SERIES, SURFACE, drawing

PAIR = " ↔ "
WIDTH = 7.2
LEVELS = (("#eef0f2", INK), ("#c5d8f4", INK), ("#7fa6e2", INK))


def draw_intervals(intervals: Sequence[Intervals]) -> Markup:
    """One strip a stream: a healthy stream is a flat line at 1, a gap is a tooth."""
    with drawing(WIDTH, 0.52 * len(intervals) + 0.35, len(intervals), sharex=True) as (_, axes, made):
        for axis, one in zip(axes, intervals, strict=True):
            top = max(2.2, float(one.periods.max(initial=0)) * 1.1)
            axis.plot(one.at_s, one.periods, color=SERIES[0], linewidth=1.0, solid_joinstyle="bevel")
            axis.set_ylim(min(0.0, float(one.periods.min(initial=0))), top)
            axis.set_yticks([1, round(top / 1.1)] if top > 3 else [1, 2])  # noqa: PLR2004 - room for a second tick
            axis.set_title(f"{one.name}  {one.hz:.3g} Hz, {one.clock.value} clock", loc="left", pad=2)
            axis.spines["bottom"].set_visible(axis is axes[-1])
            _halo(axis.title)
        axes[-1].set_xlabel("s", loc="right", labelpad=-8)
    return made[0]


def draw_trace(trace: Trace, findings: Iterable[Finding]) -> Markup:
    """The columns that move most, labelled at their ends; a finding is a dotted line with its check's name."""
    with drawing(WIDTH, 1.9) as (_, axes, made):
        axis = axes[0]
        ends = []
        for colour, column in zip(SERIES, trace.values.T, strict=False):
            axis.plot(trace.at_s, column, color=colour)
            ends.append(float(column[np.isfinite(column)][-1]) if np.isfinite(column).any() else 0.0)
        axis.margins(x=0.01)
        _label_ends(axis, trace, ends)
        for number, (at_s, name) in enumerate(_moments(findings)):
            axis.axvline(at_s, color=BAD, linestyle=(0, (1, 2)), linewidth=1.2)
            text = axis.annotate(
                name, (at_s, 1), xycoords=("data", "axes fraction"), xytext=(3, -8 - 10 * (number % 3)),
                textcoords="offset points", color=BAD, fontsize=8,
            )  # fmt: skip
            _halo(text)
        axis.set_title(f"{trace.name}{f', {trace.unit}' if trace.unit else ''}", loc="left", pad=4)
        axis.set_xlabel("s", loc="right", labelpad=-8)
    return made[0]


def draw_offsets(findings: Iterable[Finding]) -> Markup | None:
    """Every two streams as a cell with its offset in ms; None where no offset could be told."""
    told = {tuple(f.subject.split(PAIR)): f for f in findings if f.measured is not None and PAIR in f.subject}
    names = list(dict.fromkeys(name for pair in told for name in pair))
    if len(names) < 2:  # noqa: PLR2004 - a pair
        return None
    side = 0.3 * len(names)
    with drawing(max(WIDTH / 2, side * 1.9 + 1.6), side + 0.5) as (_, axes, made):
        axis = axes[0]
        axis.grid(visible=False)
        for (one, other), finding in told.items():
            row, column = sorted((names.index(one), names.index(other)), reverse=True)
            _cell(axis, column, row - 1, finding)
        axis.set_xlim(0, len(names) - 1)
        axis.set_ylim(len(names) - 1, 0)
        axis.set_xticks(np.arange(len(names) - 1) + 0.5, names[:-1], rotation=30, ha="right", rotation_mode="anchor")
        axis.set_yticks(np.arange(len(names) - 1) + 0.5, names[1:])
        axis.spines["bottom"].set_visible(False)
    return made[0]


def _cell(axis: Any, column: int, row: int, finding: Finding) -> None:
    from matplotlib.patches import Rectangle

    value, limit = finding.measured or 0.0, finding.maximum or 1.0
    failed = finding.status is Status.FAILED
    fill, ink = LEVELS[min(int(3 * value / limit), 2)]
    axis.add_patch(Rectangle((column, row), 1, 1, facecolor=SURFACE if failed else fill, edgecolor=SURFACE, linewidth=1.5))
    if failed:
        box = Rectangle((column + 0.04, row + 0.06), 0.92, 0.88, facecolor="none", edgecolor=BAD, linewidth=1.4)
        axis.add_patch(box)
    label = f"{value:.1f}" if value < 100 else f"{value:.0f}"  # noqa: PLR2004 - digits that fit
    axis.text(
        column + 0.5, row + 0.52, label, ha="center", va="center", fontsize=8, color=BAD if failed else ink,
        fontweight="bold" if failed else "normal",
    )  # fmt: skip


def _label_ends(axis: Any, trace: Trace, ends: Sequence[float]) -> None:
    """Put names at the lines' ends, pushed apart where they would overlap."""
    low, high = axis.get_ylim()
    gap = (high - low) / 12
    place = -np.inf
    for index in np.argsort(ends):
        place = max(ends[index], place + gap)
        text = axis.annotate(
            trace.columns[index], (1, place), xycoords=("axes fraction", "data"), xytext=(4, 0),
            textcoords="offset points", color=SERIES[index], va="center", fontsize=8, annotation_clip=False,
        )  # fmt: skip
        _halo(text)


def _moments(findings: Iterable[Finding]) -> list[tuple[float, str]]:
    found = {(at, f.check) for f in findings if f.status is Status.FAILED and (at := moment(f)) is not None}
    return sorted(found)[:6]


def _halo(text: Any) -> None:
    from matplotlib.patheffects import withStroke

    text.set_path_effects([withStroke(linewidth=2.5, foreground=SURFACE)])


__all__ = ["INK_3", "LINE_2", "draw_intervals", "draw_offsets", "draw_trace"]

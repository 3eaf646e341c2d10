"""Drawings of claimed and measured shares: a diamond is the map, a dot with its interval the measurement."""

from collections.abc import Iterable, Sequence
from typing import Any

from fieldloop.model.audit import ComparedBy, Comparison, LevelCompared
from fieldloop.model.finding import Status
from fieldloop.report.audit.drawings import shorten_middle
from fieldloop.report.markup import draw_figure
from fieldloop.report.plots import BAD, INK, INK_3, LINE_2, SERIES, SURFACE, Margins, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_count

WIDTH = 5.3
MOST_LEVELS = 12


def draw_comparisons(comparisons: Iterable[Comparison], max_drawn: int) -> list[Markup]:
    """Draw mixes and ranges with measurements, contradicted ones first, at most so many."""
    worth = [one for one in comparisons if (one.kind is ComparedBy.MIX and one.episodes) or (one.span and one.claims)]
    worth.sort(key=lambda one: one.status is not Status.FAILED)
    return [
        draw_figure((_draw_mix if one.kind is ComparedBy.MIX else _draw_range)(one), _write_comparison_caption(one))
        for one in worth[:max_drawn]
    ]


def _write_comparison_title(comparison: Comparison) -> str:
    return f"{comparison.what} at {comparison.site}" if comparison.site else comparison.what


def _write_comparison_caption(comparison: Comparison) -> str:
    word = {Status.FAILED: "Contradicted", Status.PASSED: "Confirmed"}.get(comparison.status, "Cannot tell")
    return f"{word}: {format_count(comparison.episodes)} attempts on {comparison.days} days."


def _draw_mix(comparison: Comparison) -> Markup:
    shown = sorted(comparison.levels, key=lambda x: (not x.differs, -max(x.claimed, x.measured)))[:MOST_LEVELS]
    levels = sorted((x for x in shown if x.claimed or x.count), key=lambda x: -max(x.claimed, x.measured))
    longest = max(len(shorten_middle(x.level)) for x in levels)
    left = min(2.2, 0.25 + 0.065 * longest)
    with open_drawing(WIDTH, 0.23 * len(levels) + 0.55, Margins(left=left, right=0.2, bottom=0.24)) as (axis, made):
        axis.grid(visible=True, axis="x")
        axis.grid(visible=False, axis="y")
        for row, level in enumerate(levels):
            _draw_level(axis, row, level, judged=comparison.days > 1)
        axis.set_ylim(len(levels) - 0.5, -0.5)
        axis.set_yticks(range(len(levels)), [shorten_middle(x.level) for x in levels])
        _format_percent_axis(axis, levels)
        axis.set_title(_write_comparison_title(comparison), loc="left", pad=5, color=INK)
    return made[0]


def _draw_level(axis: Any, row: int, level: LevelCompared, *, judged: bool) -> None:
    colour = BAD if level.differs else SERIES[0]
    if judged:
        axis.plot([level.low, level.high], [row, row], color=colour, linewidth=2.4, solid_capstyle="butt")
    axis.plot([level.measured], [row], marker="o", markersize=4.5, color=colour)
    axis.plot([level.claimed], [row], marker="D", markersize=5, markerfacecolor=SURFACE, markeredgecolor=INK)


def _format_percent_axis(axis: Any, levels: Sequence[LevelCompared]) -> None:
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    top = max(max(x.claimed, x.measured, min(x.high, 1.0)) for x in levels)
    axis.set_xlim(-0.02 * top, 1.05 * top)
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))


def _draw_range(comparison: Comparison) -> Markup:
    low, high = comparison.span or (0.0, 0.0)
    with open_drawing(WIDTH, 0.85, Margins(left=0.85, right=0.2, bottom=0.24)) as (axis, made):
        axis.grid(visible=True, axis="x")
        axis.grid(visible=False, axis="y")
        for start, end in comparison.claims:
            _draw_range_bar(axis, 0, (start, end), LINE_2)
        _draw_range_bar(axis, 1, (low, high), BAD if comparison.status is Status.FAILED else SERIES[0])
        axis.set_ylim(1.6, -0.6)
        axis.set_yticks([0, 1], ["the map", "9 in 10"], color=INK_3)
        axis.margins(x=0.04)
        axis.set_title(_write_comparison_title(comparison), loc="left", pad=5, color=INK)
    return made[0]


def _draw_range_bar(axis: Any, row: int, span: tuple[float, float], colour: str) -> None:
    """Draw a range as a bar with marked ends, so that a constant value is visible too."""
    axis.plot(
        span, [row, row], color=colour, linewidth=7, solid_capstyle="butt", marker="|", markersize=9, markeredgewidth=2
    )

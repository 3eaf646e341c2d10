"""Plots of metrics over batches, with their control limits."""

from collections.abc import Sequence

import numpy as np

from fieldloop.model.trend import Series
from fieldloop.report.markup import draw_figure
from fieldloop.report.plots import BAD, INK, SERIES, Margins, add_halo, open_drawing
from fieldloop.say.html import Markup

WIDTH = 5.3
MOST_DRAWN = 6


def draw_trends(trends: Sequence[Series]) -> list[Markup]:
    """Draw the metrics that changed suddenly; nothing where none did."""
    changed = [series for series in trends if series.alerts]
    return [draw_figure(_draw_trend(series), _write_trend_caption(series)) for series in changed[:MOST_DRAWN]]


def _write_trend_caption(series: Series) -> str:
    where = ", ".join(series.batches[i] for i in series.alerts[:3])
    return f"{series.metric} by batch; the band shows the expected range. Sudden change at {where}."


def _draw_trend(series: Series) -> Markup:
    at = np.arange(len(series.values))
    low, high = np.asarray(series.low), np.asarray(series.high)
    with open_drawing(WIDTH, 1.5, Margins(left=0.55, bottom=0.22)) as (axis, made):
        known = np.isfinite(low) & np.isfinite(high)
        axis.fill_between(at, low, high, where=known, color="#c5d8f4", linewidth=0, step="mid")
        axis.plot(at, series.values, color=SERIES[0], marker="o", markersize=3)
        for alert in series.alerts:
            axis.plot(at[alert], series.values[alert], marker="o", markersize=6, color=BAD, fillstyle="none")
            add_halo(
                axis.annotate(
                    series.batches[alert], (at[alert], series.values[alert]), (5, 4), textcoords="offset points",
                    color=BAD,
                )
            )  # fmt: skip
        axis.set_title(f"{series.metric}, {series.unit}", loc="left", pad=5, color=INK)
        axis.set_xticks([0, len(at) - 1], [series.batches[0], series.batches[-1]])
        axis.margins(x=0.05, y=0.2)
    return made[0]

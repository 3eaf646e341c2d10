"""Production success over what was spent, a panel for each trial."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.closed_loop.judge import Seen
from bench.closed_loop.trials import BASELINE, INFORMED, OURS, STRATEGIES
from fieldloop.report.plots import INK, INK_3, SERIES, STYLE

COLOURS = dict(zip((name for name in STRATEGIES if name != INFORMED), SERIES, strict=True)) | {INFORMED: INK}
ACROSS = 3
PANEL = (3.0, 2.3)
"""Inches."""


def draw(all_seen: Sequence[Seen], file: Path) -> None:
    """Write the picture as SVG; the same rows give the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    across = min(ACROSS, len(all_seen))
    down = -(-len(all_seen) // across)
    with mpl.rc_context(STYLE | {"savefig.facecolor": "white"}):
        figure = Figure(figsize=(max(PANEL[0] * across, 6.0), PANEL[1] * down + 0.5), layout="constrained")
        for each, axes in zip(all_seen, figure.subplots(down, across, squeeze=False).ravel(), strict=False):
            _panel(each, axes)
        for axes in figure.axes[len(all_seen) :]:
            axes.set_visible(False)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
        FigureCanvasSVG(figure)
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "fieldloop"})


def _panel(of: Seen, axes: Any) -> None:
    for name, curves in of.curves.items():
        width = 2.0 if name in {OURS, BASELINE} else 1.1
        style = (0, (4, 2)) if name == INFORMED else "-"
        spent, success = curves.spent.mean(axis=0), curves.production.mean(axis=0)
        axes.plot(spent, success, label=name, color=COLOURS[name], linewidth=width, linestyle=style)
    level = of.levels.mean(axis=0)
    axes.plot(np.arange(len(level)) * of.trial.budget, level, color=INK_3, linewidth=0.8, linestyle=(0, (2, 2)))
    axes.annotate("X", (0, level[0]), xytext=(2, 2), textcoords="offset points", color=INK_3)
    axes.set_title(f"{of.trial.name}, n = {len(of.seeds)}", loc="left")
    axes.set_xlabel("spent, ordinary demonstrations")
    axes.set_ylabel("production success")

"""Drawings of agreement: how far apart each boundary is drawn, and which labels are confused."""

from collections.abc import Sequence

from fieldloop.model.agreement import BoundaryAgreement, ConfusedLabels
from fieldloop.report.plots import BAD, INK_2, INK_3, SERIES, Margins, make_responsive, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_fixed, percent

WIDTH, ROW, EDGES = 8.2, 0.26, 0.65
LEFT = 2.4


def draw_boundaries(boundaries: Sequence[BoundaryAgreement], limit: float | None) -> Markup | None:
    """Draw one row for each boundary, the farthest apart on top; None without any."""
    known = [b for b in boundaries if b.mae_frames.value is not None]
    if not known:
        return None
    several = len({b.kind for b in known}) > 1
    names = [f"{b.kind}: {b.name}" if several else b.name for b in known]
    places = list(range(len(known)))[::-1]
    with open_drawing(WIDTH, EDGES + ROW * len(known), Margins(left=LEFT, top=0.1, bottom=0.4)) as (axis, made):
        for place, b in zip(places, known, strict=True):
            value, low, high = b.mae_frames.value or 0.0, b.mae_frames.low, b.mae_frames.high
            beyond = limit is not None and (low if low is not None else value) >= limit
            colour = BAD if beyond else SERIES[0]
            if low is not None and high is not None:
                axis.plot([low, high], [place, place], color=colour, linewidth=2.2, solid_capstyle="round")
            axis.plot([value], [place], "o", color=colour, markersize=5)
            if b.spread_frames is not None:
                axis.plot([b.spread_frames], [place], "o", markersize=6, fillstyle="none", color=INK_3)
        if limit is not None:
            axis.axvline(limit, color=INK_2, linestyle=(0, (4, 2)), linewidth=0.9)
        axis.set_yticks(places, names)
        axis.set_ylim(-0.6, len(known) - 0.4)
        axis.set_xlim(left=0.0)
        axis.set_xlabel("frames")
        axis.grid(visible=True, axis="x")
        axis.grid(visible=False, axis="y")
    worst = f"{names[0]} {format_fixed(known[0].mae_frames.value, 1)} frames"
    return make_responsive(made[0], f"Distance of {len(known)} boundaries; the farthest: {worst}", WIDTH, 5.0)


def draw_confusions(confused: Sequence[ConfusedLabels]) -> Markup | None:
    """Draw one bar for each pair of labels; None without any."""
    if not confused:
        return None
    names = [" / ".join(c.labels) for c in confused]
    places = list(range(len(confused)))[::-1]
    with open_drawing(WIDTH, EDGES + ROW * len(confused), Margins(left=LEFT, top=0.1, bottom=0.4)) as (axis, made):
        axis.barh(places, [c.share for c in confused], height=0.55, color=SERIES[0])
        for place, c in zip(places, confused, strict=True):
            axis.annotate(
                f"{c.confused} of {c.segments}", (c.share, place), (4, 0), textcoords="offset points", va="center",
                color=INK_2,
            )  # fmt: skip
        axis.set_yticks(places, names)
        axis.set_xlim(0.0, min(1.15, max(c.share for c in confused) * 1.3 + 0.02))
        axis.xaxis.set_major_formatter(lambda value, _: percent(value, 0))
        axis.grid(visible=True, axis="x")
        axis.grid(visible=False, axis="y")
    return make_responsive(made[0], f"Confused labels; most often {names[0]}", WIDTH, 5.0)

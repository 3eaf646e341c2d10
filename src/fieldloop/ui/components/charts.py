"""Small charts drawn on the server: a metric by batch with its limits, and signals around a moment."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldloop.loop.data.moment import SignalSeen
from fieldloop.model.trend import Series
from fieldloop.say.html import Markup, escape, tag
from fieldloop.say.numbers import format_fixed, format_without_unit

WIDTH, HEIGHT = 370, 132
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 16, 20
HALO = 'stroke="var(--surface)" stroke-width="3" paint-order="stroke"'
LABEL = 'font-size="11" fill="var(--ink-3)"'
COLOURS = 6
MIDDLE, ROOM = 0.5, 60


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a value lies on the drawing."""

    width: int
    height: int
    first: float
    last: float
    low: float
    high: float

    def x(self, at: float) -> float:
        return LEFT + (at - self.first) / ((self.last - self.first) or 1.0) * (self.width - LEFT - RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.height - BOTTOM - share * (self.height - TOP - BOTTOM)

    def line(self, x_values: Sequence[float], values: Sequence[float]) -> str:
        """Return a path; the line is interrupted where a value is missing."""
        drawn, pen = [], "M"
        for t, v in zip(x_values, values, strict=True):
            if math.isfinite(v):
                drawn.append(f"{pen}{self.x(t):.1f} {self.y(v):.1f}")
            pen = "L" if math.isfinite(v) else "M"
        return "".join(drawn)

    def grid(self, format_value: Callable[[float], str]) -> str:
        """Draw a hairline at the lowest, middle and highest value."""
        values = [self.low, (self.low + self.high) / 2, self.high] if self.high > self.low else [self.low]
        return "".join(
            f'<path d="M{LEFT} {self.y(v):.1f}H{self.width - RIGHT}" stroke="var(--line)"/>'
            f'<text x="{LEFT - 6}" y="{self.y(v) + 4:.1f}" text-anchor="end" {LABEL}>{escape(format_value(v))}</text>'
            for v in values
        )


def draw_control_chart(series: Series) -> Markup:
    """Draw a metric over batches: the band is where it was expected, octagons are sudden changes."""
    seen = [v for v in (*series.values, *series.low, *series.high) if math.isfinite(v)] or [0.0]
    frame = _Frame(WIDTH, HEIGHT, 0, max(len(series.values) - 1, 1), min(seen), max(seen))
    at = range(len(series.values))
    parts = [frame.grid(lambda v: format_without_unit(v, series.unit, 3)), _draw_expected_band(frame, series)]
    parts.append(f'<path d="{frame.line(at, series.values)}" fill="none" stroke="var(--c1)" stroke-width="1.75"/>')
    parts += [_draw_alert(frame, place, series) for place in series.alerts if math.isfinite(series.values[place])]
    parts.append(_draw_end_labels(frame, series.batches[0], series.batches[-1]))
    when = ", ".join(series.batches[place] for place in series.alerts)
    label = f"{series.metric} by batch, sudden change at {when}" if when else f"{series.metric} by batch"
    title = tag("figcaption", tag("span", series.metric, class_="mono"), f", {series.unit}" if series.unit else "")
    return tag("figure", title, _wrap_in_svg(frame, parts, label), class_="small-chart")


def draw_signal_plot(signal: SignalSeen, at_s: float, length_s: float) -> Markup:
    """Draw the columns of a stream over an episode, with a line at one moment."""
    seen = [v for row in signal.values for v in row if math.isfinite(v)] or [0.0]
    frame = _Frame(WIDTH, HEIGHT, 0.0, max(length_s, at_s, 1e-9), min(seen), max(seen))
    parts = [frame.grid(lambda v: format_without_unit(v, signal.unit, 3))]
    for place in range(len(signal.columns)):
        path = frame.line(signal.at_s, [row[place] for row in signal.values])
        colour = f"var(--c{place % COLOURS + 1})"
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>')
    parts += [_draw_moment_line(frame, at_s), _draw_end_labels(frame, "0 s", f"{format_fixed(frame.last, 1)} s")]
    key = [
        tag("span", tag("i", style=f"background:var(--c{k % COLOURS + 1})"), name)
        for k, name in enumerate(signal.columns)
    ]
    unit = f", {signal.unit}" if signal.unit else ""
    title = tag("figcaption", tag("span", signal.name, class_="mono"), unit, tag("span", *key, class_="legend"))
    label = f"{signal.name} over the episode, {format_fixed(at_s, 2)} s marked"
    return tag("figure", title, _wrap_in_svg(frame, parts, label), class_="small-chart")


def _draw_expected_band(frame: _Frame, series: Series) -> str:
    limits = zip(series.low, series.high, strict=True)
    known = [(k, lo, hi) for k, (lo, hi) in enumerate(limits) if math.isfinite(lo) and math.isfinite(hi)]
    # each batch has its own limits, so the band is drawn in steps
    edges = [(max(0.0, k - MIDDLE), min(frame.last, k + MIDDLE), lo, hi) for k, lo, hi in known]
    boxes = (
        f"M{frame.x(a):.1f} {frame.y(hi):.1f}H{frame.x(b):.1f}V{frame.y(lo):.1f}H{frame.x(a):.1f}Z"
        for a, b, lo, hi in edges
    )
    return f'<path d="{"".join(boxes)}" fill="var(--c1)" opacity=".16"/>'


def _draw_alert(frame: _Frame, batch_index: int, series: Series) -> str:
    x, y = frame.x(batch_index), frame.y(series.values[batch_index])
    beside, anchor = (-9, "end") if x > frame.width / 2 else (9, "start")
    label = (
        f'<text x="{x + beside:.1f}" y="{max(y - 6, 10):.1f}" text-anchor="{anchor}" '
        f'font-size="11" fill="var(--bad)" {HALO}>{escape(series.batches[batch_index])}</text>'
    )
    mark = f'<path d="M{x - 2:.1f} {y - 5:.1f}h4l3 3v4l-3 3h-4l-3 -3v-4Z" fill="var(--bad)" stroke="var(--surface)"/>'
    return f"{mark}{label}"


def _draw_moment_line(frame: _Frame, at_s: float) -> str:
    x = frame.x(at_s)
    beside, anchor = (-5, "end") if x > frame.width - ROOM else (5, "start")
    return (
        f'<path d="M{x:.1f} {TOP - 6}V{frame.height - BOTTOM}" stroke="var(--bad)" stroke-width="1.5"/>'
        f'<text x="{x + beside}" y="{TOP - 4}" text-anchor="{anchor}" '
        f'font-size="11" fill="var(--bad)" {HALO}>{format_fixed(at_s, 2)} s</text>'
    )


def _draw_end_labels(frame: _Frame, first: str, last: str) -> str:
    y = frame.height - 5
    return (
        f'<text x="{LEFT}" y="{y}" {LABEL}>{escape(first)}</text>'
        f'<text x="{frame.width - RIGHT}" y="{y}" text-anchor="end" {LABEL}>{escape(last)}</text>'
    )


def _wrap_in_svg(frame: _Frame, parts: Sequence[str], label: str) -> Markup:
    box = f"0 0 {frame.width} {frame.height}"
    return tag("svg", Markup("".join(parts)), viewBox=box, class_="chart", role="img", aria_label=label)

"""Numbers with their interval, drawn small enough for a row of a table."""

import math

from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_number

WIDTH, HEIGHT, EDGE = 140, 14, 4
LEAST_SPAN = 1e-9


def draw_interval_bar(
    low: float, value: float, high: float, *, first: float = 0.0, last: float = 1.0, tick: float | None = None
) -> Markup:
    """Draw a value on its interval between two ends; `tick` marks a limit or zero; no number draws nothing."""
    axis = f'<path d="M{EDGE} 7H{WIDTH - EDGE}" stroke="var(--line)"/>'
    if not all(map(math.isfinite, (low, value, high))):
        return _wrap_in_svg(axis, "not known")
    span = max(last - first, LEAST_SPAN)

    def scale_to_pixels(value: float) -> float:
        return EDGE + (min(last, max(first, value)) - first) / span * (WIDTH - 2 * EDGE)

    mark = "" if tick is None else f'<path d="M{scale_to_pixels(tick):.1f} 1v12" stroke="var(--line-2)"/>'
    line = f'<path d="M{scale_to_pixels(low):.1f} 7H{scale_to_pixels(high):.1f}" stroke="var(--c1)" stroke-width="2"/>'
    dot = f'<circle cx="{scale_to_pixels(value):.1f}" cy="7" r="3.5" fill="var(--c1)"/>'
    return _wrap_in_svg(
        f"{axis}{mark}{line}{dot}", f"{format_number(value, 3)}, {format_number(low, 3)} to {format_number(high, 3)}"
    )


def draw_share_bar(share: float, low: float, high: float) -> Markup:
    """Draw a share as a bar from nothing, its interval as a whisker over it."""
    if not math.isfinite(share):
        return _wrap_in_svg(f'<path d="M{EDGE} 7H{WIDTH - EDGE}" stroke="var(--line)"/>', "not known")
    x = [EDGE + min(1.0, max(0.0, v)) * (WIDTH - 2 * EDGE) if math.isfinite(v) else None for v in (share, low, high)]
    bar = f'<rect x="{EDGE}" y="3" width="{(x[0] or EDGE) - EDGE:.1f}" height="8" fill="var(--over-2)"/>'
    ends = "" if x[1] is None or x[2] is None else f"M{x[1]:.1f} 7H{x[2]:.1f}M{x[1]:.1f} 4v6M{x[2]:.1f} 4v6"
    whisker = f'<path d="{ends}" stroke="var(--ink-2)" stroke-width="1.2" fill="none"/>'
    edge = f'<path d="M{EDGE} 1v12" stroke="var(--line-2)"/>'
    return _wrap_in_svg(
        f"{edge}{bar}{whisker}", f"{format_number(share, 3)}, {format_number(low, 3)} to {format_number(high, 3)}"
    )


def draw_progress_bar(accepted: int, rejected: int, planned: int) -> Markup:
    """Draw how much of what was planned is accepted; what was rejected follows, hollow, in grey."""
    whole = max(planned, accepted + rejected, 1)
    done, lost = ((WIDTH - 2 * EDGE) * count / whole for count in (accepted, rejected))
    track = f'<rect x="{EDGE}" y="4" width="{WIDTH - 2 * EDGE}" height="6" fill="var(--sunken)"/>'
    bar = f'<rect x="{EDGE}" y="4" width="{done:.1f}" height="6" fill="var(--c1)"/>'
    hollow = (
        f'<rect x="{EDGE + done:.1f}" y="4.5" width="{lost:.1f}" height="5" fill="none" stroke="var(--ink-3)"/>'
        if rejected
        else ""
    )
    return _wrap_in_svg(f"{track}{bar}{hollow}", f"{accepted} of {planned} accepted, {rejected} rejected")


def _wrap_in_svg(svg_content: str, label: str) -> Markup:
    return Markup(f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{label}">{svg_content}</svg>')

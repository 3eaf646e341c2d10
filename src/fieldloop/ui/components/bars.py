"""Numbers with their interval, drawn small enough for a table row."""

from fieldloop.report import bars
from fieldloop.say.html import Markup, tag
from fieldloop.say.numbers import format_interval, format_points


def draw_interval_bar(
    low: float, value: float, high: float, *, first: float = 0.0, last: float = 1.0, tick: float | None = None
) -> Markup:
    """Draw a value on its interval between two ends; `tick` marks a limit or zero."""
    return bars.draw_interval_bar(low, value, high, first=first, last=last, tick=tick)


def draw_gain_bar(low: float, gain: float, high: float, *, largest: float) -> Markup:
    """Draw an expected gain in points with its interval, zero marked, its number beside it."""
    bar = draw_interval_bar(low, gain, high, first=min(0.0, low), last=max(largest, high, bars.LEAST_SPAN), tick=0.0)
    return tag(
        "span", bar, tag("span", format_points(gain), title=f"{format_interval(low, high)} points"), class_="bars"
    )


def draw_share_bar(share: float, low: float, high: float) -> Markup:
    """Draw a share of the whole as a bar, its interval over it."""
    return bars.draw_share_bar(share, low, high)


def draw_meter(share: float, level: str = "") -> Markup:
    """Draw a share as a bar without a number of its own."""
    held = min(1.0, max(0.0, share))
    return tag("span", tag("i", style=f"width:{100 * held:.1f}%"), class_=f"meter {level}".strip(), aria_hidden="true")

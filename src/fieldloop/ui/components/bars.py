"""Numbers with their interval, drawn small enough for a table row."""

from fieldloop.ui.markup import Html, tag

WIDTH, HEIGHT, EDGE = 140, 14, 4


def interval_bar(
    low: float, value: float, high: float, *, first: float = 0.0, last: float = 1.0, tick: float | None = None
) -> Html:
    """Draw a value on its interval between two ends; `tick` marks a limit or zero."""
    drawn = _whisker(low, value, high, first, last, tick)
    return tag("svg", drawn, width=WIDTH, height=HEIGHT, role="img", aria_label=f"{value:.3g}, {low:.3g} to {high:.3g}")


def gain_bar(low: float, gain: float, high: float, *, largest: float) -> Html:
    """Draw an expected gain in points with its interval, zero marked, its number beside it."""
    ends = {"first": min(0.0, low), "last": max(largest, high, 1e-9)}
    bar = interval_bar(low, gain, high, tick=0.0, **ends)
    said = f"{100 * gain:+.1f}"
    return tag("span", bar, tag("span", said, title=f"{100 * low:.1f} to {100 * high:.1f} points"), class_="bars")


def meter(share: float, level: str = "") -> Html:
    """Draw a share as a bar without a number of its own."""
    held = min(1.0, max(0.0, share))
    return tag("span", tag("i", style=f"width:{100 * held:.1f}%"), class_=f"meter {level}".strip(), aria_hidden="true")


def _whisker(low: float, value: float, high: float, first: float, last: float, tick: float | None) -> Html:
    span = (last - first) or 1.0

    def x(v: float) -> float:
        return EDGE + (min(last, max(first, v)) - first) / span * (WIDTH - 2 * EDGE)

    axis = f'<path d="M{EDGE} 7H{WIDTH - EDGE}" stroke="var(--line)"/>'
    mark = "" if tick is None else f'<path d="M{x(tick):.1f} 1v12" stroke="var(--line-2)"/>'
    line = f'<path d="M{x(low):.1f} 7H{x(high):.1f}" stroke="var(--c1)" stroke-width="2"/>'
    return Html(f'{axis}{mark}{line}<circle cx="{x(value):.1f}" cy="7" r="3.5" fill="var(--c1)"/>')

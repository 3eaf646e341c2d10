"""Incident clocks as bars: the time that has passed, the limit as a tick, and whether it was met."""

from collections.abc import Sequence

from fieldloop.model.incident import IncidentClock
from fieldloop.say.html import Markup, join, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import format_duration

ROOM = 1.25  # a bar reaches a quarter past its limit, so that a late one shows


def draw_incident_clocks(deadlines: Sequence[IncidentClock]) -> Markup:
    """Draw the clocks of one incident under each other."""
    return tag("div", *(_draw_clock(clock) for clock in deadlines), class_="clocks")


def _draw_clock(clock: IncidentClock) -> Markup:
    late = clock.elapsed_s > clock.limit_s
    level = {True: "good", False: "bad", None: "bad" if late else "run"}[clock.met]
    word = {True: "met", False: "missed", None: "late" if late else "running"}[clock.met]
    filled = min(1.0, clock.elapsed_s / (clock.limit_s * ROOM))
    track = tag(
        "span",
        tag("i", style=f"width:{100 * filled:.1f}%"),
        tag("u", style=f"left:{100 / ROOM:.0f}%"),
        class_=f"track {level}",
    )
    reading = f"{format_duration(clock.elapsed_s)} of {format_duration(clock.limit_s)}, {word}"
    return join(
        tag("span", clock.step.value),
        track,
        tag("span", draw_level_mark(level, word), tag("span", reading), class_="st"),
        tag("span", clock.owner.replace("_", " "), class_="dim who"),
    )

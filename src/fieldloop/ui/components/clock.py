"""Incident clocks: one bar each, with its limit as a tick, what has elapsed, and whether it was met."""

from collections.abc import Sequence

from fieldloop.model.incident import IncidentClock
from fieldloop.ui.components.marks import status_mark
from fieldloop.ui.markup import Html, join, tag
from fieldloop.ui.said import span

ROOM = 1.25  # a bar reaches a quarter past its limit, so that a late one is seen to be late


def clocks(given: Sequence[IncidentClock]) -> Html:
    """Draw the clocks of one incident under each other."""
    return tag("div", *(_clock(clock) for clock in given), class_="clocks")


def _clock(clock: IncidentClock) -> Html:
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
    said = f"{span(clock.elapsed_s)} of {span(clock.limit_s)}, {word}"
    return join(
        tag("span", clock.step.value),
        track,
        tag("span", status_mark(level, word), tag("span", said), class_="st"),
        tag("span", clock.owner.replace("_", " "), class_="dim who"),
    )

"""Status marks, the same for terminal, report and page: the shape carries the meaning, a word names it."""

from dataclasses import dataclass

from markupsafe import Markup

from fieldloop.model.finding import Status
from fieldloop.say.html import tag

GOOD, WARN, BAD, RUN, IDLE = "good", "warn", "bad", "run", "idle"


@dataclass(frozen=True, slots=True)
class Mark:
    """How one status looks: its level, its word, its sign in a terminal and that sign's style."""

    level: str
    word: str
    sign: str
    style: str


MARKS = {
    Status.FAILED: Mark(BAD, "failed", "✗", "bold red"),
    Status.ERRORED: Mark(BAD, "errored", "✗", "bold red"),
    Status.CANNOT_TELL: Mark(WARN, "cannot tell", "▲", "yellow"),
    Status.NOT_APPLICABLE: Mark(IDLE, "not applicable", "–", "dim"),
    Status.PASSED: Mark(GOOD, "passed", "✓", "green"),
}
WORDS = {GOOD: "good", WARN: "needs a look", BAD: "failed", RUN: "running", IDLE: "not started"}
SHAPES = {
    GOOD: '<circle cx="6" cy="6" r="5" fill="currentColor"/><path d="M3.6 6.2 5.3 7.9 8.5 4.4" class="cut"/>',
    WARN: '<path d="M6 .8 11.6 11H.4Z" fill="currentColor"/><path d="M6 4.3v3.2M6 8.6v1.2" class="cut"/>',
    BAD: '<path d="M3.5.5h5l3 3v5l-3 3h-5l-3-3v-5Z" fill="currentColor"/><path d="m4 4 4 4m0-4-4 4" class="cut"/>',
    RUN: '<circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.6"/>'
    '<path d="M6 1.4a4.6 4.6 0 0 1 0 9.2Z" fill="currentColor"/>',
    IDLE: '<circle cx="6" cy="6" r="4.4" fill="none" stroke="currentColor" stroke-width="1.6" class="dashed"/>',
}


def get_status_level(finding_status: Status) -> str:
    """Return the level of a status: good, warn, bad or idle."""
    return MARKS[finding_status].level


def draw_level_mark(level: str, word: str = "") -> Markup:
    """Draw one of the five marks; `word` is what a screen reader reads out."""
    drawn = Markup(SHAPES[level])  # noqa: S704 - a constant of this file
    return tag("svg", drawn, viewBox="0 0 12 12", class_=f"mark {level}", role="img", aria_label=word or WORDS[level])


def draw_status(finding_status: Status, word: str = "") -> Markup:
    """Write a status as mark and word."""
    shown = word or MARKS[finding_status].word
    return tag("span", draw_level_mark(get_status_level(finding_status), shown), tag("span", shown), class_="st")

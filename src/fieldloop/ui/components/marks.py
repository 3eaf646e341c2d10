"""Status marks: the shape carries the meaning, a word says it, colour only repeats it."""

from fieldloop.model.finding import Status
from fieldloop.ui.markup import Html, join, tag

SHAPES = {
    "good": '<circle cx="6" cy="6" r="5" fill="currentColor"/>'
    '<path d="M3.6 6.2 5.3 7.9 8.5 4.4" stroke="var(--surface)" stroke-width="1.5" fill="none"/>',
    "warn": '<path d="M6 .8 11.6 11H.4Z" fill="currentColor"/>'
    '<path d="M6 4.3v3.2M6 8.6v1.2" stroke="var(--surface)" stroke-width="1.4"/>',
    "bad": '<path d="M3.5.5h5l3 3v5l-3 3h-5l-3-3v-5Z" fill="currentColor"/>'
    '<path d="m4 4 4 4m0-4-4 4" stroke="var(--surface)" stroke-width="1.5"/>',
    "run": '<circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.6"/>'
    '<path d="M6 1.4a4.6 4.6 0 0 1 0 9.2Z" fill="currentColor"/>',
    "idle": '<circle cx="6" cy="6" r="4.4" fill="none" stroke="currentColor" stroke-width="1.6" '
    'stroke-dasharray="2.2 1.6"/>',
}
WORDS = {"good": "good", "warn": "needs a look", "bad": "failed", "run": "running", "idle": "not started"}
LEVELS = {
    Status.PASSED: "good",
    Status.FAILED: "bad",
    Status.ERRORED: "bad",
    Status.CANNOT_TELL: "warn",
    Status.NOT_APPLICABLE: "idle",
}


def status_mark(level: str, word: str = "") -> Html:
    """Draw one of the five marks; `word` is what a screen reader says."""
    return tag(
        "svg",
        Html(SHAPES[level]),
        viewBox="0 0 12 12",
        class_=f"mark {level}",
        role="img",
        aria_label=word or WORDS[level],
    )


def level_of(status: Status) -> str:
    """Return the mark of a status."""
    return LEVELS[status]


def status(given: Status, word: str = "") -> Html:
    """Write a status as mark and word."""
    said = word or given.value.replace("_", " ")
    return tag("span", status_mark(LEVELS[given], said), tag("span", join(said)), class_="st")

"""The rollout ladder: which rung, what is below, and whether it came back."""

from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import shape
from fieldloop.say.numbers import percent

RUNGS = [rung for rung in Rung if rung is not Rung.BACK]


def ladder(climb: Rollout) -> Markup:
    """Draw the rungs, lowest first, with the candidate's place."""
    at = RUNGS.index(climb.rung) if climb.rung in RUNGS else -1
    steps = [_step(rung, place, at, climb) for place, rung in enumerate(RUNGS)]
    if climb.rung is Rung.BACK:
        steps.append(tag("li", tag("b", shape("bad"), "back"), tag("span", "rolled back"), class_="here"))
    return tag("ol", *steps, class_="ladder")


def _step(rung: Rung, place: int, at: int, climb: Rollout) -> Markup:
    state = "here" if place == at else "past" if place < at else ""
    # with nothing in production to be compared with, the first version never stood on the lower rungs
    climbed = climb.incumbent is not None and rung is not Rung.SHADOW
    mark = shape({"here": "run", "past": "good" if climbed else "idle"}.get(state, "idle"))
    below = "passed" if climbed else "skipped"
    word = f"{percent(climb.share, 0)} of tasks" if state == "here" else {"past": below}.get(state, "to come")
    return tag(
        "li",
        tag("b", mark, rung.value),
        tag("span", word),
        class_=state or None,
        aria_current="step" if state == "here" else None,
    )

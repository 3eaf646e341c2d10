"""The rollout ladder: which rung, what is below, and whether it came back."""

from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say.html import Markup, tag
from fieldloop.say.marks import draw_level_mark
from fieldloop.say.numbers import percent

RUNGS = [rung for rung in Rung if rung is not Rung.BACK]


def draw_rollout_ladder(rollout: Rollout) -> Markup:
    """Draw the rungs, lowest first, with the candidate's place."""
    at = RUNGS.index(rollout.rung) if rollout.rung in RUNGS else -1
    steps = [_draw_rung(rung, place, at, rollout) for place, rung in enumerate(RUNGS)]
    if rollout.rung is Rung.BACK:
        steps.append(tag("li", tag("b", draw_level_mark("bad"), "back"), tag("span", "rolled back"), class_="here"))
    return tag("ol", *steps, class_="ladder")


def _draw_rung(rung: Rung, rung_index: int, current_index: int, rollout: Rollout) -> Markup:
    state = "here" if rung_index == current_index else "past" if rung_index < current_index else ""
    # with nothing in production to be compared with, the first version never stood on the lower rungs
    climbed = rollout.incumbent is not None and rung is not Rung.SHADOW
    mark = draw_level_mark({"here": "run", "past": "good" if climbed else "idle"}.get(state, "idle"))
    below = "passed" if climbed else "skipped"
    word = f"{percent(rollout.share, 0)} of tasks" if state == "here" else {"past": below}.get(state, "to come")
    return tag(
        "li",
        tag("b", mark, rung.value),
        tag("span", word),
        class_=state or None,
        aria_current="step" if state == "here" else None,
    )

"""What the signals of a grasp show beyond phases: contact, whether the item was held, the type of grasp."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fieldloop.annotate.columns import split_words
from fieldloop.annotate.grips import Hold
from fieldloop.annotate.limbs import Limb
from fieldloop.annotate.motion import Floats, find_true_spans

THUMB, OTHERS = "thumb", ("index", "middle", "ring", "pinky", "little")
WHOLE_HAND = 3
"""The thumb and so many other fingers enclose an item."""


class Held(StrEnum):
    """What the signals show about the item between closing and opening."""

    UNTIL_RELEASE = "until release"
    LOST = "lost"
    EMPTY = "empty"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Grasped:
    """Whether an item was held in a hold, from which signal, and from where to where it was touched."""

    held: Held
    signal: str = ""
    touched: tuple[float, float] | None = None


def judge_hold(limb: Limb, hold: Hold, numbers: Mapping[str, float], *, high_is_open: bool) -> Grasped:
    """Judge whether an item was held: by the effort of the fingers, else by how far they stay from their command."""
    if limb.effort is not None and (by_effort := _judge_by_effort(limb, limb.effort, hold, numbers)) is not None:
        return by_effort
    if limb.gap is not None and hold.opening is not None:
        return _judge_by_gap(limb.gap, hold, numbers, sign=1.0 if high_is_open else -1.0)
    return Grasped(Held.UNKNOWN)


def _judge_by_effort(limb: Limb, effort: Floats, hold: Hold, numbers: Mapping[str, float]) -> Grasped | None:
    """Judge by effort, against its scatter before the fingers close; None where that scatter cannot be known."""
    before = effort[: max(int(hold.closing) - 1, 0)]
    last = len(effort) - 1 if hold.opening is None else int(hold.opening)
    if len(before) < numbers["effort_rest_s"] * limb.hz or last <= int(hold.closing) + 1:
        return None
    rest, scatter = float(np.median(before)), float(np.median(np.abs(before - np.median(before)))) * 1.4826
    during = effort[int(hold.closing) : last + 1] - rest
    top = float(np.quantile(during, 0.9))
    if top < numbers["effort_over_scatter"] * max(scatter, 1e-9):
        return Grasped(Held.EMPTY, "effort")
    pressed = find_true_spans(during > numbers["effort_share"] * top)
    begin, end = int(hold.closing) + pressed[0][0], int(hold.closing) + pressed[-1][1]
    if hold.opening is None:
        return Grasped(Held.UNKNOWN, "effort", (begin, min(end, last)))
    lost = last - end > numbers["lost_before_s"] * limb.hz
    return Grasped(Held.LOST if lost else Held.UNTIL_RELEASE, "effort", (begin, min(end, last)))


def _judge_by_gap(gap: Floats, hold: Hold, numbers: Mapping[str, float], *, sign: float) -> Grasped:
    """Judge by the gap to the command: an item keeps the fingers from going where they were sent."""
    assert hold.opening is not None
    middle = sign * gap[hold.closed : max(int(hold.opening) - 1, hold.closed + 1)]
    if len(middle) < 3:  # noqa: PLR2004 - a median of fewer is one sample
        return Grasped(Held.UNKNOWN)
    blocked = float(np.median(middle[len(middle) // 2 :]))
    if blocked >= numbers["gap_held"]:
        return Grasped(Held.UNTIL_RELEASE, "command")
    return Grasped(Held.UNKNOWN)


def find_grasp_type(limb: Limb, hold: Hold, numbers: Mapping[str, float]) -> str:
    """Return the type of grasp from the joints of a hand whose fingers are named; '' where they do not state it."""
    moved: dict[str, float] = {}
    for name, opening in (limb.fingers or {}).items():
        finger = next((word for word in split_words(name) if word in (THUMB, *OTHERS)), None)
        if finger is not None:
            travel = abs(float(opening[min(hold.closed, len(opening) - 1)] - opening[int(hold.closing)]))
            moved[finger] = max(moved.get(finger, 0.0), travel)
    if len(moved) < len((THUMB, *OTHERS)) - 1:
        return ""
    return name_grasp_type([finger for finger, travel in moved.items() if travel >= numbers["finger_takes_part"]])


def name_grasp_type(fingers: Sequence[str]) -> str:
    """Name a grasp by the fingers that closed; '' where that leaves it open.

    >>> name_grasp_type(["thumb", "index", "middle", "ring"]), name_grasp_type(["thumb", "index"])
    ('power', 'precision-pinch')
    >>> name_grasp_type(["thumb", "index", "middle"]), name_grasp_type(["index", "ring"])
    ('tripod', '')
    """
    others = {finger for finger in fingers if finger != THUMB}
    if THUMB not in fingers:
        return ""
    if len(others) >= WHOLE_HAND:
        return "power"
    return {frozenset(("index",)): "precision-pinch", frozenset(("index", "middle")): "tripod"}.get(
        frozenset(others), ""
    )

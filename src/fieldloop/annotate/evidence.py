"""What the signals of a grasp show beyond phases: contact, whether the item was held, the type of grasp."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fieldloop.annotate.columns import split_words
from fieldloop.annotate.grips import Hold
from fieldloop.annotate.limbs import Limb
from fieldloop.annotate.motion import find_true_spans

SHORTEST = 5
"""A hold of fewer samples shows nothing about its item."""
NORMAL = 1.4826
"""Median absolute deviation to standard deviation, for normal noise."""
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
    """Judge whether an item was held.

    An item keeps fingers from shutting, or from going where they were sent. Fingers that shut on the way have lost it.
    Effort shows when something was touched; fingers press each other, too, so it shows no more than that.
    """
    touched = _find_touch(limb, hold, numbers)
    if hold.opening is None or limb.opening is None or int(hold.opening) - hold.closed < SHORTEST:
        return Grasped(Held.UNKNOWN, touched=touched)
    end = int(hold.opening)
    inside = (limb.opening if high_is_open else 1 - limb.opening)[hold.closed : end]
    part = max(1, len(inside) // 5)
    early, late = float(np.median(inside[:part])), float(np.median(inside[-part:]))
    if limb.shut is not None and float(np.std(inside[-3 * part :])) < numbers["stand_still_share"]:
        least = (limb.shut if high_is_open else 1 - limb.shut) + numbers["shut_share"]
        if late >= least:
            return Grasped(Held.UNTIL_RELEASE, "opening", touched)
        if early < least:
            return Grasped(Held.EMPTY, "opening")
        fell = hold.closed + int(np.argmax(inside < (early + late) / 2))
        return Grasped(Held.LOST, "opening", (touched[0] if touched else hold.gripped, float(fell)))
    if limb.gap is not None:
        blocked = float(np.median((limb.gap if high_is_open else -limb.gap)[(hold.closed + end) // 2 : end]))
        if blocked >= numbers["gap_held"]:
            return Grasped(Held.UNTIL_RELEASE, "command", touched)
    return Grasped(Held.UNKNOWN, touched=touched)


def _find_touch(limb: Limb, hold: Hold, numbers: Mapping[str, float]) -> tuple[float, float] | None:
    """Return from where to where the fingers press, against their scatter before they close; None where unknown."""
    if limb.effort is None:
        return None
    before = limb.effort[: max(int(hold.closing) - 1, 0)]
    last = len(limb.effort) - 1 if hold.opening is None else int(hold.opening)
    if len(before) < numbers["effort_rest_s"] * limb.hz or last <= int(hold.closing) + 1:
        return None
    rest = float(np.median(before))
    scatter = NORMAL * float(np.median(np.abs(before - rest)))
    during = limb.effort[int(hold.closing) : last + 1] - rest
    top = float(np.quantile(during, 0.9))
    if top < numbers["effort_over_scatter"] * max(scatter, 1e-9):
        return None
    pressed = find_true_spans(during > numbers["effort_share"] * top)
    return float(int(hold.closing) + pressed[0][0]), float(min(int(hold.closing) + pressed[-1][1], last))


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

"""Moments at which the signals of an episode change: what boundaries on the annotation page may snap to."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.annotate.grips import find_finger_moves
from fieldloop.annotate.limbs import Limb, find_limbs
from fieldloop.annotate.measures import load_proposal_measures
from fieldloop.annotate.motion import MIN_SAMPLES, Floats, find_move_end, find_move_onset
from fieldloop.model.episode import Recording


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """A moment at which signals change: what changes (`arm starts`, `fingers move` …), on which side, how strongly."""

    at_ns: int
    what: str
    strength: float
    side: str = ""


def find_change_points(recording: Recording, measures: Mapping[str, float] | None = None) -> tuple[ChangePoint, ...]:
    """Find the moments at which the arm starts, stops or turns, and at which the fingers start and stop to move.

    They come in order of time; strength is 0 to 1. Nothing is assumed about the task, so an episode without a grasp has
    them too.
    """
    numbers = measures or load_proposal_measures()
    limbs, _ = find_limbs(recording, numbers)
    points = [point for limb in limbs for point in (*_find_finger_changes(limb, numbers), *_find_turns(limb, numbers))]
    return tuple(sorted(points, key=lambda point: (point.at_ns, point.what)))


def _find_finger_changes(limb: Limb, numbers: Mapping[str, float]) -> list[ChangePoint]:
    points = []
    for move in find_finger_moves(limb, numbers):
        strength = min(1.0, abs(move.travel))
        points.append(ChangePoint(limb.time_ns(move.begin), "fingers move", strength, limb.side))
        points.append(ChangePoint(limb.time_ns(move.end), "fingers stop", strength, limb.side))
    return points


def _find_turns(limb: Limb, numbers: Mapping[str, float]) -> list[ChangePoint]:
    """Find where the arm starts and stops, and the dips between two moves that it does not pause between."""
    still, moving = numbers["still_share"], limb.speed > numbers["still_share"]
    reach = max(MIN_SAMPLES, round(numbers["rise_s"] * limb.hz))
    points = []
    for k in map(int, np.flatnonzero(np.diff(moving))):
        starts = bool(moving[k + 1])
        begin, end = (max(k - reach // 2, 0), k + reach) if starts else (max(k + 1 - reach, 0), k + 1 + reach // 2)
        near = limb.speed[begin : end + 1]
        strength = float(np.clip(near.max() - near.min(), 0, 1))
        at = (find_move_onset if starts else find_move_end)(limb.speed, begin, end, numbers)
        if strength >= numbers["snap_least"] and at is not None:
            points.append(ChangePoint(limb.time_ns(at), "arm starts" if starts else "arm stops", strength, limb.side))
    return points + [
        ChangePoint(limb.time_ns(k), "arm slows", depth, limb.side)
        for k, depth in find_dips(limb.speed, numbers["snap_least"])
        if limb.speed[k] > still
    ]


def find_dips(speed: Floats, least: float) -> list[tuple[int, float]]:
    """Return local minima with their depth below the lower of the two peaks around them, where that is large enough.

    >>> find_dips(np.array([0, 1, 0.4, 1, 0.9, 1, 0]), 0.2)
    [(2, 0.6)]
    """
    from scipy.signal import find_peaks

    found, more = find_peaks(-speed, prominence=least)
    return [(int(k), round(float(depth), 3)) for k, depth in zip(found, more["prominences"], strict=True)]

"""Rejection of bad pose pairs, each with its reason: mirrored target, wrong timestamp, or an outlier."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.hand_eye.methods import CLOSED_FORM, closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, residuals
from fieldloop.calibrate.hand_eye.refine import Refined, refine
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.note import Note, note

DRAWS, DRAWN = 60, 5
"""Small sets to start from besides the whole: with a third of the pairs bad, 60 draws of five include a clean one with
probability 99.98 %."""
ROUNDS = 6  # it stops when no pose is rejected any more


@dataclass(frozen=True, slots=True)
class Rejected:
    """A pair that was left out, and why."""

    pose: str
    reason: Note


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """The pairs that agree, the answer they give, and those left out."""

    pairs: Pairs
    refined: Refined
    rejected: tuple[Rejected, ...]


def sound_pairs(given: Pairs, level: float) -> Sound | None:
    """Fit to the pairs that agree with each other; None where no start can be found.

    A pair is left out if a sound pair would be as far off with a probability below `level`.
    """
    from scipy.special import chdtri

    start = _start(given)
    if start is None:
        return None
    gate = math.sqrt(float(chdtri(6, level)))
    refined, kept = refine(given, start), np.ones(len(given), bool)
    for _ in range(ROUNDS):
        inside = _lengths(refined, given) <= gate
        if inside.sum() < DRAWN:
            return None
        settled = bool((inside == kept).all())
        kept = inside
        if settled:
            break
        refined = refine(given.only(kept), refined.answer)
    rejected = tuple(Rejected(given.names[n], _reason(int(n), given, refined, gate)) for n in np.flatnonzero(~kept))
    return Sound(given.only(kept), refined, rejected)


def _start(given: Pairs) -> Answer | None:
    """The closed-form answer under which the middle pair is least off, from all pairs and from small sets of them."""
    answers = [closed_form(given, method) for method in CLOSED_FORM]
    if len(given) > DRAWN:
        chance = np.random.default_rng(0)  # the same pairs give the same answer every time
        draws = (chance.choice(len(given), DRAWN, replace=False) for _ in range(DRAWS))
        answers += [closed_form(given.only(drawn), "park") for drawn in draws]
    solved = [answer for answer in answers if answer is not None]
    return min(solved, key=lambda answer: middle_residual(answer, given), default=None)


def middle_residual(answer: Answer, given: Pairs) -> float:
    """Return the median residual as an angle: turn and shift over distance together."""
    left = residuals(answer, given)
    away = np.median(np.linalg.norm(given.camera_from_target[:, :3, 3], axis=-1))
    off = np.hypot(np.linalg.norm(left[:, :3], axis=-1), np.linalg.norm(left[:, 3:], axis=-1) / max(away, 1e-9))
    return float(np.median(off))


def _lengths(refined: Refined, given: Pairs) -> NDArray[np.float64]:
    left = residuals(refined.answer, given)
    turn = np.linalg.norm(left[:, :3], axis=-1) / refined.turn_noise_rad
    return np.asarray(np.hypot(turn, np.linalg.norm(left[:, 3:], axis=-1) / refined.shift_noise_m))


def _reason(row: int, given: Pairs, refined: Refined, gate: float) -> Note:
    pair = given.only(np.array([row]))
    if _lengths(refined, Pairs(pair.world_from_mount, mirror_tilt(pair.camera_from_target), pair.names))[0] <= gate:
        return note("calibrate.mirrored_target")
    seen = np.repeat(pair.camera_from_target, len(given), axis=0)
    elsewhere = _lengths(refined, Pairs(given.world_from_mount, seen, given.names))
    if elsewhere.min() <= gate:
        return note("calibrate.other_row", other=given.names[int(elsewhere.argmin())])
    left = residuals(refined.answer, pair)[0]
    return note(
        "calibrate.pose_off",
        off_mm=1e3 * float(np.linalg.norm(left[3:])),
        off_deg=math.degrees(float(np.linalg.norm(left[:3]))),
        usual_mm=1e3 * math.sqrt(3) * refined.shift_noise_m,
        usual_deg=math.degrees(math.sqrt(3) * refined.turn_noise_rad),
    )


def mirror_tilt(camera_from_target: Floats) -> Floats:
    """Return the other pose in which a flat target looks the same from afar: its tilt mirrored at the line of sight."""
    place = camera_from_target[..., :3, 3]
    sight = place / np.maximum(np.linalg.norm(place, axis=-1, keepdims=True), 1e-12)
    half_turn = 2 * sight[..., :, None] * sight[..., None, :] - np.eye(3)
    return tf.make(half_turn @ camera_from_target[..., :3, :3] @ np.diag([-1.0, -1.0, 1.0]), place)

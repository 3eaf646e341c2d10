"""Rejection of bad pose pairs, each with its reason: mirrored target, wrong timestamp, or an outlier."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.hand_eye.methods import CLOSED_FORM, solve_closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, compute_residuals
from fieldloop.calibrate.hand_eye.refine import Refined, refine_answer
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


def fit_without_outliers(pose_pairs: Pairs, level: float) -> Sound | None:
    """Fit to the pairs that agree with each other; None where no start can be found.

    A pair is left out if a sound pair would be as far off with a probability below `level`.
    """
    from scipy.special import chdtri

    start = _find_start_answer(pose_pairs)
    if start is None:
        return None
    gate = math.sqrt(float(chdtri(6, level)))
    refined, kept = refine_answer(pose_pairs, start), np.ones(len(pose_pairs), bool)
    for _ in range(ROUNDS):
        inside = _compute_scaled_residuals(refined, pose_pairs) <= gate
        if inside.sum() < DRAWN:
            return None
        settled = bool((inside == kept).all())
        kept = inside
        if settled:
            break
        refined = refine_answer(pose_pairs.select_pairs(kept), refined.answer)
    rejected = tuple(
        Rejected(pose_pairs.names[n], _explain_rejection(int(n), pose_pairs, refined, gate))
        for n in np.flatnonzero(~kept)
    )
    return Sound(pose_pairs.select_pairs(kept), refined, rejected)


def _find_start_answer(pose_pairs: Pairs) -> Answer | None:
    """The closed-form answer under which the middle pair is least off, from all pairs and from small sets of them."""
    answers = [solve_closed_form(pose_pairs, method) for method in CLOSED_FORM]
    if len(pose_pairs) > DRAWN:
        chance = np.random.default_rng(0)  # the same pairs give the same answer every time
        draws = (chance.choice(len(pose_pairs), DRAWN, replace=False) for _ in range(DRAWS))
        answers += [solve_closed_form(pose_pairs.select_pairs(drawn), "park") for drawn in draws]
    solved = [answer for answer in answers if answer is not None]
    return min(solved, key=lambda answer: compute_median_residual(answer, pose_pairs), default=None)


def compute_median_residual(answer: Answer, pose_pairs: Pairs) -> float:
    """Return the median residual as an angle: turn and shift over distance together."""
    left = compute_residuals(answer, pose_pairs)
    away = np.median(np.linalg.norm(pose_pairs.camera_from_target[:, :3, 3], axis=-1))
    off = np.hypot(np.linalg.norm(left[:, :3], axis=-1), np.linalg.norm(left[:, 3:], axis=-1) / max(away, 1e-9))
    return float(np.median(off))


def _compute_scaled_residuals(refined: Refined, pose_pairs: Pairs) -> NDArray[np.float64]:
    left = compute_residuals(refined.answer, pose_pairs)
    turn = np.linalg.norm(left[:, :3], axis=-1) / refined.turn_noise_rad
    return np.asarray(np.hypot(turn, np.linalg.norm(left[:, 3:], axis=-1) / refined.shift_noise_m))


def _explain_rejection(row: int, pose_pairs: Pairs, refined: Refined, max_residual: float) -> Note:
    pair = pose_pairs.select_pairs(np.array([row]))
    if (
        _compute_scaled_residuals(
            refined, Pairs(pair.world_from_mount, mirror_tilt(pair.camera_from_target), pair.names)
        )[0]
        <= max_residual
    ):
        return note("calibrate.mirrored_target")
    seen = np.repeat(pair.camera_from_target, len(pose_pairs), axis=0)
    elsewhere = _compute_scaled_residuals(refined, Pairs(pose_pairs.world_from_mount, seen, pose_pairs.names))
    if elsewhere.min() <= max_residual:
        return note("calibrate.other_row", other=pose_pairs.names[int(elsewhere.argmin())])
    left = compute_residuals(refined.answer, pair)[0]
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
    return tf.make_transform(half_turn @ camera_from_target[..., :3, :3] @ np.diag([-1.0, -1.0, 1.0]), place)

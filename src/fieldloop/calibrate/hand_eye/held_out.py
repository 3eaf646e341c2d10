"""The error of each hand-eye method on held-out pairs."""

import math
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.hand_eye.methods import CLOSED_FORM, solve_closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, compute_residuals
from fieldloop.calibrate.hand_eye.refine import refine_answer
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

REFINED = "refined"
METHODS = (REFINED, *CLOSED_FORM)


@dataclass(frozen=True, slots=True)
class Residual:
    """Root mean square distance and angle between the predicted and the seen target."""

    translation_mm: float
    rotation_deg: float

    def score(self, max_mm: float, max_deg: float) -> float:
        """Return one number to compare by: both residuals as shares of their limits."""
        return math.hypot(self.translation_mm / max_mm, self.rotation_deg / max_deg)


def measure_in_sample_residual(answer: Answer, pose_pairs: Pairs) -> Residual:
    """Return the residual on the pairs themselves."""
    return _compute_rms_residual(compute_residuals(answer, pose_pairs))


def measure_held_out_residuals(pose_pairs: Pairs, start: Answer, folds: int) -> dict[str, Residual]:
    """Fit without each fold in turn and predict it, by every method that always finds an answer."""
    fold = np.arange(len(pose_pairs)) % min(folds, len(pose_pairs))
    left: dict[str, list[Floats]] = {method: [] for method in METHODS}
    for n in range(int(fold.max()) + 1):
        seen, unseen = pose_pairs.select_pairs(fold != n), pose_pairs.select_pairs(fold == n)
        for method in METHODS:
            answer = refine_answer(seen, start).answer if method == REFINED else solve_closed_form(seen, method)
            if answer is not None:
                left[method].append(compute_residuals(answer, unseen))
    whole = {method: np.concatenate(rows) for method, rows in left.items() if len(rows) == fold.max() + 1}
    return {method: _compute_rms_residual(rows) for method, rows in whole.items()}


def estimate_jackknife_covariance(pose_pairs: Pairs, method: str, answer_from_all: Answer | None) -> Floats | None:
    """Return the covariance of a closed form's camera by the jackknife; None where it fails without some pair.

    A closed form does not weigh the noises, so the refined answer's covariance does not apply to it.
    """
    if answer_from_all is None:
        return None
    steps, count = [], len(pose_pairs)
    for n in range(count):
        answer = solve_closed_form(pose_pairs.select_pairs(np.arange(count) != n), method)
        if answer is None:
            return None
        step = tf.invert_transform(answer_from_all.mount_from_camera) @ answer.mount_from_camera
        steps.append(np.concatenate([tf.vector_from_rotation(step[:3, :3]), step[:3, 3]]))
    centred = np.array(steps) - np.mean(steps, axis=0)
    return np.asarray((count - 1) / count * centred.T @ centred)


def _compute_rms_residual(residual_vectors: Floats) -> Residual:
    turn, shift = np.sum(residual_vectors[:, :3] ** 2, axis=-1), np.sum(residual_vectors[:, 3:] ** 2, axis=-1)
    return Residual(1e3 * math.sqrt(float(shift.mean())), math.degrees(math.sqrt(float(turn.mean()))))

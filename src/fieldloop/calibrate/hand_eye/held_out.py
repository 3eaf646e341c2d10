"""The error of each hand-eye method on held-out pairs."""

import math
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.hand_eye.methods import CLOSED_FORM, closed_form
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, residuals
from fieldloop.calibrate.hand_eye.refine import refine
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


def in_sample(answer: Answer, given: Pairs) -> Residual:
    """Return the residual on the pairs themselves."""
    return _rms_residual(residuals(answer, given))


def held_out(given: Pairs, start: Answer, folds: int) -> dict[str, Residual]:
    """Fit without each fold in turn and predict it, by every method that always finds an answer."""
    fold = np.arange(len(given)) % min(folds, len(given))
    left: dict[str, list[Floats]] = {method: [] for method in METHODS}
    for n in range(int(fold.max()) + 1):
        seen, unseen = given.only(fold != n), given.only(fold == n)
        for method in METHODS:
            answer = refine(seen, start).answer if method == REFINED else closed_form(seen, method)
            if answer is not None:
                left[method].append(residuals(answer, unseen))
    whole = {method: np.concatenate(rows) for method, rows in left.items() if len(rows) == fold.max() + 1}
    return {method: _rms_residual(rows) for method, rows in whole.items()}


def jackknife_covariance(given: Pairs, method: str, whole: Answer | None) -> Floats | None:
    """Return the covariance of a closed form's camera by the jackknife; None where it fails without some pair.

    A closed form does not weigh the noises, so the refined answer's covariance does not apply to it.
    """
    if whole is None:
        return None
    steps, count = [], len(given)
    for n in range(count):
        answer = closed_form(given.only(np.arange(count) != n), method)
        if answer is None:
            return None
        step = tf.invert(whole.mount_from_camera) @ answer.mount_from_camera
        steps.append(np.concatenate([tf.vector_from_rotation(step[:3, :3]), step[:3, 3]]))
    centred = np.array(steps) - np.mean(steps, axis=0)
    return np.asarray((count - 1) / count * centred.T @ centred)


def _rms_residual(left: Floats) -> Residual:
    turn, shift = np.sum(left[:, :3] ** 2, axis=-1), np.sum(left[:, 3:] ** 2, axis=-1)
    return Residual(1e3 * math.sqrt(float(shift.mean())), math.degrees(math.sqrt(float(turn.mean()))))

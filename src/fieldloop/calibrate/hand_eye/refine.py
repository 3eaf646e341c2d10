"""The refined answer: twelve parameters on SE(3), both noises estimated from the pairs.

Levenberg-Marquardt on the pose of the camera and of the target at once. A pair's residual is its rotation vector and
its shift in the camera's frame, each divided by its noise; Huber's weight applies to the whole pair, because a pose is
good or bad as a whole. The noises are not known beforehand: they are estimated from the residuals and the fit is
repeated.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, compute_residuals, predict_target_poses
from fieldloop.geometry.se3 import apply_small_motion, make_skew_matrix
from fieldloop.geometry.transforms import Floats

HUBER = 3.55
"""The length that a sound pair of six unit noises exceeds once in twenty: the root of the 95 % point of chi²(6)."""
ROUNDS, STEPS = 4, 20  # of the noises and of the fit; the fit stops when it has converged
PARAMETERS = 12  # two poses
LEAST_TURN_RAD, LEAST_SHIFT_M = 1e-7, 1e-8
"""Below this a residual is rounding error, not noise."""
CONVERGED = 1e-10  # relative change of the error, near the precision of floats
GAIN_ON_FAILURE, GAIN_ON_SUCCESS = 10.0, 0.3  # usual damping of Levenberg and Marquardt


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """The answer, the noise of one axis of one pair that it implies, and the covariance of the twelve parameters."""

    answer: Answer
    turn_noise_rad: float
    shift_noise_m: float
    covariance: Floats
    freedom: int

    @property
    def camera_covariance(self) -> Floats:
        """Of a small step of the camera in its own frame: three rotations (rad), three shifts (m)."""
        return self.covariance[:6, :6]


def refine_answer(pose_pairs: Pairs, start: Answer) -> Refined:
    """Improve an answer until nothing is gained; needs at least three pairs."""
    answer = start
    turn, shift = estimate_noises(compute_residuals(start, pose_pairs))
    for _ in range(ROUNDS):
        answer = _minimise_residuals(answer, pose_pairs, turn, shift)
        turn, shift = estimate_noises(compute_residuals(answer, pose_pairs))
    slopes = _compute_jacobian(answer, pose_pairs) / _make_noise_scale(turn, shift)[None, :, None]
    weights = _compute_huber_weights(compute_residuals(answer, pose_pairs) / _make_noise_scale(turn, shift))
    normal = np.einsum("n,nki,nkj->ij", weights, slopes, slopes)
    return Refined(answer, turn, shift, np.linalg.pinv(normal, hermitian=True), 6 * len(pose_pairs) - PARAMETERS)


def estimate_noises(residual_vectors: Floats) -> tuple[float, float]:
    """Read the noise of one axis off residuals: rotation (rad) and shift (m), bad pairs bounded in what they say.

    The spread of all pairs, each counted no further out than a sound one would lie; six of the twelve parameters are
    taken to be spent on each half.
    """
    return (
        max(_estimate_noise(residual_vectors[:, :3]), LEAST_TURN_RAD),
        max(_estimate_noise(residual_vectors[:, 3:]), LEAST_SHIFT_M),
    )


def _estimate_noise(residual_vectors: Floats) -> float:
    squares = np.sum(residual_vectors**2, axis=-1)
    usual = float(np.median(squares))
    kept = squares[squares <= 9.0 * usual] if usual > 0 else squares  # of sound pairs, 1 in 10 000 lies outside
    freedom = max(3 * len(kept) - PARAMETERS / 2, 1.0)
    return float(np.sqrt(kept.sum() / freedom))


def _minimise_residuals(answer: Answer, pose_pairs: Pairs, turn_noise: float, shift_noise: float) -> Answer:
    scale, damping = _make_noise_scale(turn_noise, shift_noise), 1e-4
    left = compute_residuals(answer, pose_pairs) / scale
    cost = _compute_huber_cost(left)
    for _ in range(STEPS):
        slopes = _compute_jacobian(answer, pose_pairs) / scale[None, :, None]
        weights = _compute_huber_weights(left)
        normal = np.einsum("n,nki,nkj->ij", weights, slopes, slopes)
        downhill = -np.einsum("n,nki,nk->i", weights, slopes, left)
        improved = False
        while damping < 1e8:  # noqa: PLR2004  beyond this a step is too short to change a float
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), downhill)
            tried = Answer(
                apply_small_motion(answer.mount_from_camera, step[:6]),
                apply_small_motion(answer.world_from_target, step[6:]),
            )
            left_then = compute_residuals(tried, pose_pairs) / scale
            cost_then = _compute_huber_cost(left_then)
            if cost_then <= cost:
                gained, improved = cost - cost_then, True
                answer, left, cost = tried, left_then, cost_then
                damping = max(damping * GAIN_ON_SUCCESS, 1e-12)
                break
            damping *= GAIN_ON_FAILURE
        if not improved or gained <= CONVERGED * max(cost, 1.0):
            break
    return answer


def _make_noise_scale(turn_noise: float, shift_noise: float) -> Floats:
    return np.repeat([turn_noise, shift_noise], 3)


def _compute_huber_weights(residual_vectors: Floats) -> NDArray[np.float64]:
    return np.asarray(np.minimum(1.0, HUBER / np.maximum(np.linalg.norm(residual_vectors, axis=-1), 1e-12)))


def _compute_huber_cost(residual_vectors: Floats) -> float:
    length = np.linalg.norm(residual_vectors, axis=-1)
    return float(np.where(length <= HUBER, length**2, 2 * HUBER * length - HUBER**2).sum())


def _compute_jacobian(answer: Answer, pose_pairs: Pairs) -> Floats:
    """How each residual changes with a step of the camera (six) and of the target (six), each in its own frame."""
    seen = predict_target_poses(answer, pose_pairs)
    turn, place = seen[:, :3, :3], seen[:, :3, 3]
    slopes = np.zeros((len(pose_pairs), 6, PARAMETERS))
    slopes[:, :3, :3] = -np.swapaxes(turn, -1, -2)
    slopes[:, 3:, :3] = make_skew_matrix(place)
    slopes[:, 3:, 3:6] = -np.eye(3)
    slopes[:, :3, 6:9] = np.eye(3)
    slopes[:, 3:, 9:] = turn
    return slopes

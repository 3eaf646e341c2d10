"""Tests for a moved camera: one on all six degrees of freedom, and one for slow drift.

A small step of the camera in its own frame shifts every view by a known linear amount (a rotation shifts it by the
marker's distance). The step is estimated by generalised least squares and compared with its covariance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import make_skew_matrix
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration
from fieldloop.model.verification import Drift
from fieldloop.protocol import CollectionProtocol

FREEDOMS = 6  # of a rigid body
LEAST_TURN_RAD, LEAST_SHIFT_M = 1e-7, 1e-8  # noise-free poses must not divide by zero


def measure_drift(
    calibration: Calibration,
    expected: Floats,
    observed: Floats,
    protocol: CollectionProtocol,
    *,
    earlier_drift: Drift | None = None,
) -> Drift | None:
    """Test whether the camera moved, from n poses of the marker as predicted by the calibration and as seen.

    With `earlier_drift`, an earlier result under the same calibration, it tests movement between the two, and the
    calibration's
    own error cancels. Without it, and where that error is unknown, the step is estimated but not tested. None where
    neither the views nor the calibration give the noise.
    """
    left, slopes = _compute_residuals(expected, observed), _compute_jacobian(expected)
    known = _Noise.from_calibration(calibration)
    noise = known or _Noise(math.radians(0.1), 1e-3, 1)
    if len(observed) >= int(protocol.setting("calibration.drift_own_noise_views")):
        level = float(protocol.setting("calibration.drift_noise_differs"))
        for _ in range(3):  # the estimate hardly depends on the noise, so this settles at once
            views_noise = _Noise.from_views(left + slopes @ _estimate_step(left, slopes, noise)[0])
            noise = views_noise.pool_with(known, level) if known else views_noise
    elif known is None or len(observed) == 0:
        return None
    step, covariance = _estimate_step(left, slopes, noise)
    away = step - np.asarray(earlier_drift.twist) if earlier_drift else step
    if earlier_drift:
        p_value: float | None = _compute_p_value(away, covariance + np.asarray(earlier_drift.covariance), noise.freedom)
    elif (
        calibration.covariance is not None
    ):  # its own error does not count as movement, though a first verification shows it
        error = np.asarray(calibration.covariance)
        p_value = _compute_p_value(
            away, covariance + error, _estimate_freedom(covariance, noise.freedom, error, calibration.points)
        )
    else:
        p_value = None
    return Drift(
        twist=tuple(map(float, step)),
        covariance=tuple(tuple(map(float, row)) for row in covariance),
        shift_mm=1e3 * float(np.linalg.norm(away[3:])),
        turn_deg=math.degrees(float(np.linalg.norm(away[:3]))),
        p_value=p_value,
        moved=p_value is not None and p_value < float(protocol.setting("calibration.drift_alarm")),
        own_noise=noise is not known,
    )


def measure_slow_drift(history: Sequence[Drift], protocol: CollectionProtocol) -> tuple[float, ...]:
    """Return the slow drift after each verification, as a share of the alarm threshold (alarm at 1 or more).

    Crosier's multivariate CUSUM (1988) on recursive residuals: each estimate is compared with the mean of those before,
    so the calibration's own constant error does not count as drift.
    """
    slack = float(protocol.setting("calibration.drift_slack"))
    height = float(protocol.setting("calibration.drift_height"))
    summed, shares = np.zeros(FREEDOMS), []
    mean, precision = np.zeros(FREEDOMS), np.zeros((FREEDOMS, FREEDOMS))
    for number, each in enumerate(history):
        covariance = np.asarray(each.covariance)
        if number:
            root = np.linalg.cholesky(covariance + np.linalg.inv(precision))
            leap = summed + np.linalg.solve(root, np.asarray(each.twist) - mean)
            length = float(np.linalg.norm(leap))
            summed = leap * max(0.0, 1.0 - slack / length) if length > 0 else leap
        own_precision = np.linalg.inv(covariance)
        mean = np.linalg.solve(precision + own_precision, precision @ mean + own_precision @ np.asarray(each.twist))
        precision = precision + own_precision
        shares.append(float(np.linalg.norm(summed)) / height)
    return tuple(shares)


def _compute_residuals(expected: Floats, observed: Floats) -> Floats:
    turn = tf.vector_from_rotation(np.swapaxes(observed[:, :3, :3], -1, -2) @ expected[:, :3, :3])
    return np.concatenate([turn, expected[:, :3, 3] - observed[:, :3, 3]], axis=-1)


def _compute_jacobian(expected: Floats) -> Floats:
    """Return how a residual changes with a step of the camera in its own frame."""
    slopes = np.zeros((len(expected), FREEDOMS, FREEDOMS))
    slopes[:, :3, :3] = -np.swapaxes(expected[:, :3, :3], -1, -2)
    slopes[:, 3:, :3] = make_skew_matrix(expected[:, :3, 3])
    slopes[:, 3:, 3:] = -np.eye(3)
    return slopes


@dataclass(frozen=True, slots=True)
class _Noise:
    """The noise of one axis of one view, and the degrees of freedom behind each of the two numbers."""

    turn_rad: float
    shift_m: float
    freedom: int

    @classmethod
    def from_calibration(cls, calibration: Calibration) -> "_Noise | None":
        """Return the noise on held-out poses of the calibration."""
        if calibration.residual_mm is None or calibration.residual_deg is None:
            return None
        turn, shift = math.radians(calibration.residual_deg), 1e-3 * calibration.residual_mm
        return cls(
            max(turn / math.sqrt(3), LEAST_TURN_RAD),
            max(shift / math.sqrt(3), LEAST_SHIFT_M),
            max(3 * calibration.points - FREEDOMS, 1),
        )

    @classmethod
    def from_views(cls, residuals: Floats) -> "_Noise":
        """Return the scatter of the views about the camera's new pose."""
        freedom = max(3 * len(residuals) - 3, 1)
        turn, shift = (math.sqrt(float(np.sum(half**2)) / freedom) for half in (residuals[:, :3], residuals[:, 3:]))
        return cls(max(turn, LEAST_TURN_RAD), max(shift, LEAST_SHIFT_M), freedom)

    def pool_with(self, known: "_Noise", level: float) -> "_Noise":
        """Pool both noises, unless they differ significantly at `level`; then use the views' own."""
        from scipy.special import fdtr

        ratios = (self.turn_rad / known.turn_rad) ** 2, (self.shift_m / known.shift_m) ** 2
        if any(not level / 2 < float(fdtr(self.freedom, known.freedom, ratio)) < 1 - level / 2 for ratio in ratios):
            return self
        both = self.freedom + known.freedom
        share = self.freedom / both
        turn = math.sqrt(share * self.turn_rad**2 + (1 - share) * known.turn_rad**2)
        shift = math.sqrt(share * self.shift_m**2 + (1 - share) * known.shift_m**2)
        return _Noise(turn, shift, both)


def _estimate_step(residuals: Floats, jacobian: Floats, noise: _Noise) -> tuple[Floats, Floats]:
    scale = np.repeat([noise.turn_rad, noise.shift_m], 3)
    weighed = jacobian / scale[None, :, None]
    covariance = np.linalg.inv(np.einsum("nki,nkj->ij", weighed, weighed))
    return -covariance @ np.einsum("nki,nk->i", weighed, residuals / scale), covariance


def _estimate_freedom(views: Floats, views_freedom: int, calibration: Floats, points: int) -> float:
    """Degrees of freedom behind a sum of two estimated covariances, by Satterthwaite; each counts by its share."""
    share = float(np.trace(np.linalg.solve(views + calibration, views))) / FREEDOMS
    return 1.0 / (share**2 / views_freedom + (1.0 - share) ** 2 / max(points - 2, 1))


def _compute_p_value(step: Floats, covariance: Floats, freedom: float) -> float:
    """Return Hotelling's p-value for an estimated covariance; two estimated scales cost degrees of freedom."""
    from scipy.special import fdtrc

    return float(fdtrc(FREEDOMS, freedom, float(step @ np.linalg.solve(covariance, step)) / FREEDOMS))

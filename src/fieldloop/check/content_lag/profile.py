"""Likelihood of every searched lag, and its highest lobe."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.basis import Basis, Matrix
from fieldloop.check.content_lag.evidence import Sight

RIDGE = 3e-3  # shrinkage for nearly collinear columns, in units of a scaled column's variance
FLOOR = 1e-4
"""Shrinkage that keeps a covariance from being singular, in units of a scaled column's variance."""

DEGREES = 4.0
"""Degrees of freedom of Student's t: rows that fit badly (a person walks by) count for little."""

FINE = 20
"""Interpolated points between two searched lags, to locate the maximum."""


@dataclass(frozen=True, slots=True)
class Lobe:
    """The highest lobe: its lag, its lead over the next one, and whether it lies inside the search."""

    lag_s: float
    lead: float
    inside: bool


def fit_ridge_regression(x: Matrix, y: Matrix, weights: Matrix | None = None) -> Matrix:
    """Regress y on x with a little shrinkage, for nearly collinear columns."""
    weighted = x if weights is None else x * weights[:, None]
    gram = weighted.T @ x
    return np.asarray(np.linalg.solve(gram + RIDGE * len(x) * np.eye(len(gram)), weighted.T @ y), np.float64)


def compute_log_likelihood(sights: Sequence[Sight], basis: Basis, lags: NDArray[np.float64]) -> Matrix:
    """Return the log-likelihood of each lag, with the regression refitted at each."""
    seen = np.vstack([basis.scale_flow(s) for s in sights]) @ basis.flow_axes
    total = seen.T @ seen
    return np.array([_compute_log_likelihood_at(sights, basis, seen, total, float(lag)) for lag in lags])


def _compute_log_likelihood_at(
    sights: Sequence[Sight], basis: Basis, scaled_flow: Matrix, total_scatter: Matrix, lag: float
) -> float:
    moved = np.vstack([basis.compute_joint_motion(s, np.full(len(s), lag)) for s in sights])
    left = (total_scatter - fit_ridge_regression(moved, scaled_flow).T @ (moved.T @ scaled_flow)) / len(scaled_flow)
    return -len(scaled_flow) / 2 * float(np.linalg.slogdet((left + left.T) / 2 + FLOOR * np.eye(len(left)))[1])


def compute_log_likelihood_under_model(
    sight: Sight, basis: Basis, slopes: Matrix, whitening: Matrix, lags: NDArray[np.float64]
) -> Matrix:
    """Return the log-likelihood of each lag under a given regression."""
    seen = basis.scale_flow(sight)
    curve = []
    for lag in lags:
        error = (seen - basis.compute_joint_motion(sight, np.full(len(sight), float(lag))) @ slopes) @ whitening
        degrees = DEGREES + error.shape[1]
        curve.append(-degrees / 2 * float(np.log1p((error**2).sum(axis=1) / DEGREES).sum()))
    return np.array(curve)


def find_highest_lobe(lags: NDArray[np.float64], log_likelihoods: Matrix, min_distance_s: float) -> Lobe:
    """Find the highest lobe, and its lead over the next one at least `min_distance_s` away."""
    from scipy.interpolate import make_interp_spline

    fine = np.linspace(lags[0], lags[-1], FINE * (len(lags) - 1) + 1)
    height = make_interp_spline(lags, log_likelihoods, k=3)(fine)
    best = int(height.argmax())
    peaks = np.flatnonzero((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])) + 1
    ends = np.array([0, len(fine) - 1])
    rivals = np.concatenate([peaks, ends])
    rivals = rivals[np.abs(fine[rivals] - fine[best]) > min_distance_s]
    lead = float(height[best] - height[rivals].max()) if len(rivals) else 0.0
    return Lobe(float(fine[best]), lead, 0 < best < len(fine) - 1)

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


def ridge(x: Matrix, y: Matrix, weights: Matrix | None = None) -> Matrix:
    """Regress y on x with a little shrinkage, for nearly collinear columns."""
    weighted = x if weights is None else x * weights[:, None]
    gram = weighted.T @ x
    return np.asarray(np.linalg.solve(gram + RIDGE * len(x) * np.eye(len(gram)), weighted.T @ y), np.float64)


def likelihood(sights: Sequence[Sight], basis: Basis, lags: NDArray[np.float64]) -> Matrix:
    """Return the log-likelihood of each lag, with the regression refitted at each."""
    seen = np.vstack([basis.seen(s) for s in sights]) @ basis.flow_axes
    total = seen.T @ seen
    return np.array([_log_likelihood_at(sights, basis, seen, total, float(lag)) for lag in lags])


def _log_likelihood_at(sights: Sequence[Sight], basis: Basis, seen: Matrix, total: Matrix, lag: float) -> float:
    moved = np.vstack([basis.moved(s, np.full(len(s), lag)) for s in sights])
    left = (total - ridge(moved, seen).T @ (moved.T @ seen)) / len(seen)
    return -len(seen) / 2 * float(np.linalg.slogdet((left + left.T) / 2 + FLOOR * np.eye(len(left)))[1])


def likelihood_under(
    sight: Sight, basis: Basis, slopes: Matrix, whitening: Matrix, lags: NDArray[np.float64]
) -> Matrix:
    """Return the log-likelihood of each lag under a given regression."""
    seen = basis.seen(sight)
    curve = []
    for lag in lags:
        error = (seen - basis.moved(sight, np.full(len(sight), float(lag))) @ slopes) @ whitening
        degrees = DEGREES + error.shape[1]
        curve.append(-degrees / 2 * float(np.log1p((error**2).sum(axis=1) / DEGREES).sum()))
    return np.array(curve)


def highest_lobe(lags: NDArray[np.float64], curve: Matrix, apart_s: float) -> Lobe:
    """Find the highest lobe, and its lead over the next one at least `apart_s` away."""
    from scipy.interpolate import make_interp_spline

    fine = np.linspace(lags[0], lags[-1], FINE * (len(lags) - 1) + 1)
    height = make_interp_spline(lags, curve, k=3)(fine)
    best = int(height.argmax())
    peaks = np.flatnonzero((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])) + 1
    ends = np.array([0, len(fine) - 1])
    rivals = np.concatenate([peaks, ends])
    rivals = rivals[np.abs(fine[rivals] - fine[best]) > apart_s]
    lead = float(height[best] - height[rivals].max()) if len(rivals) else 0.0
    return Lobe(float(fine[best]), lead, 0 < best < len(fine) - 1)

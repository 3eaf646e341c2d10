"""The lag to a fraction of a frame: Gauss–Newton on how the flow would change if time were shifted.

Every timing fault is a shift of time with a shape. Some shapes vary by picture: constant (lag), growing with time
(drift), starting at a moment (step). Two vary by place in the picture and are fitted along with them: *readout*,
because a rolling shutter takes lower rows later, and *drag*, because compression keeps the old picture where little
moves, so that slow places seem late. The lag is that of places that move fast enough. Where the regression is fitted on
the same rows, the part of a shape that it could imitate is projected out first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.basis import Basis, Matrix
from fieldloop.check.content_lag.evidence import Sight
from fieldloop.check.content_lag.flow import CELLS, HEIGHT_OF_CELL
from fieldloop.check.content_lag.profile import DEGREES, fit_ridge_regression
from fieldloop.check.content_lag.spread import Spread, compute_shift_covariances

FLOOR = 1e-3
"""Least variance of a scaled axis of flow, so that no axis gets unbounded weight."""

ROUNDS = 8  # the fit has converged by then
NUDGE_S = 2e-3  # step of the numerical derivative, far below the smoothing
STRIDE_S = 0.02  # largest change of a shift in one round: one step of the coarse search
PLACES = 2
"""Number of shapes that vary by place: drag and readout, after those that vary by picture."""


@dataclass(frozen=True, slots=True)
class Belief:
    """The prior of a shift: mean and standard deviation (s)."""

    mean_s: float
    sd_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The regression of flow on joint motion, fitted on some episodes and used on others."""

    slopes: Matrix
    whitening: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Best-fitting shifts of time (those by picture, then drag, then readout), their covariance, and the model.

    `explained` is the share of the flow that the joints account for. `pace` is how fast that flow, and the joints' own
    speed, change relative to their size (1/s, the lesser of the two): slow motion hides a lag.
    """

    shifts: Matrix
    spread: Spread
    explained: float
    pace: float
    model: Model
    gains: Matrix
    scores: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What to fit: episodes on one basis, a row of shapes per pair of pictures, blocks of correlated errors, priors."""

    sights: Sequence[Sight]
    basis: Basis
    shapes: Matrix
    blocks: NDArray[np.int64]
    drag: Belief
    readout: Belief
    drag_px_s: float
    undragged_px_s: float

    @property
    def scaled_flow(self) -> Matrix:
        """The scaled flow of all episodes."""
        return np.vstack([self.basis.scale_flow(s) for s in self.sights])

    def compute_joint_motion(self, lags: Matrix) -> tuple[Matrix, Matrix]:
        """Return the joints' motion at these lags, and its derivative by the lag."""
        ends = np.cumsum([len(s) for s in self.sights])[:-1]
        lags_by_sight = list(zip(self.sights, np.split(lags, ends), strict=True))
        moved, later, sooner = (
            np.vstack([self.basis.compute_joint_motion(sight, lag + nudge) for sight, lag in lags_by_sight])
            for nudge in (0.0, NUDGE_S, -NUDGE_S)
        )
        return moved, (later - sooner) / (2 * NUDGE_S)

    def compute_place_shapes(self, expected_flow: Matrix) -> tuple[Matrix, Matrix]:
        """Return the shapes that vary by place: expected slowness of each place, and its distance below the centre."""
        flow = expected_flow * self.basis.flow_scale
        speed = np.tile(np.hypot(flow[:, :CELLS], flow[:, CELLS:]), 2)
        none = self.drag_px_s / (self.drag_px_s + self.undragged_px_s)
        return self.drag_px_s / (self.drag_px_s + speed) - none, np.broadcast_to(HEIGHT_OF_CELL, speed.shape)


def fit_timing(task: Task, initial_shifts: Matrix, model: Model | None = None) -> Fit:
    """Fit shifts starting from `initial_shifts`, one per shape by picture; a given model is not refitted."""
    seen, weights = task.scaled_flow, np.ones(len(task.shapes))
    shifts = np.append(initial_shifts, [task.drag.mean_s, task.readout.mean_s])
    means = np.append(np.zeros_like(initial_shifts), shifts[-PLACES:])
    pull = np.append(np.zeros_like(initial_shifts), [task.drag.sd_s**-2, task.readout.sd_s**-2])
    for _ in range(ROUNDS):
        moved, change = task.compute_joint_motion(task.shapes @ shifts[:-PLACES])
        slopes = fit_ridge_regression(moved, seen, weights) if model is None else model.slopes
        places = task.compute_place_shapes(moved @ slopes)
        by_place = sum(shift * place for shift, place in zip(shifts[-PLACES:], places, strict=True))
        if model is None:
            slopes = fit_ridge_regression(moved, seen - by_place * (change @ slopes), weights)
        by_shift = change @ slopes
        left = seen - moved @ slopes - by_place * by_shift
        whitening = (
            _compute_whitening(left @ task.basis.flow_axes, weights, task.basis) if model is None else model.whitening
        )
        directions = [*(by_shift * column[:, None] for column in task.shapes.T), *(by_shift * p for p in places)]
        if model is None:
            directions = [d - moved @ fit_ridge_regression(moved, d, weights) for d in directions]
        error, aims = left @ whitening, np.stack([d @ whitening for d in directions], axis=2)
        weights = (DEGREES + error.shape[1]) / (DEGREES + (error**2).sum(axis=1))
        gains = np.einsum("n,nrm,nrk->nmk", weights, aims, aims)
        scores = np.einsum("n,nrm,nr->nm", weights, aims, error)
        inverse = np.linalg.pinv(gains.sum(axis=0) + np.diag(pull))
        step = inverse @ (scores.sum(axis=0) + pull * (means - shifts))
        shifts = shifts + np.clip(step, -STRIDE_S, STRIDE_S)
    hat = None if model is not None else moved
    spread = compute_shift_covariances(aims, error, weights, task.blocks, inverse, pull, hat)
    steady = (moved - moved.mean(axis=0)) @ slopes @ whitening
    seen_pace = float(np.sqrt(((by_shift @ whitening) ** 2).sum() / max((steady**2).sum(), FLOOR)))
    axes = task.basis.flow_axes
    return Fit(
        shifts=shifts,
        spread=spread,
        explained=1.0 - float((left @ axes).var(axis=0).sum() / max((seen @ axes).var(axis=0).sum(), FLOOR)),
        pace=min(seen_pace, float(np.median([s.pace for s in task.sights]))),
        model=Model(slopes, whitening),
        gains=gains,
        scores=scores,
    )


def _compute_whitening(residuals: Matrix, weights: Matrix, basis: Basis) -> Matrix:
    covariance = (residuals * weights[:, None]).T @ residuals / weights.sum() + FLOOR * np.eye(residuals.shape[1])
    return np.asarray(basis.flow_axes @ np.linalg.inv(np.linalg.cholesky(covariance)).T)

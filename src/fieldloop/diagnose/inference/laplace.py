"""Log evidence (marginal likelihood) of a set of explanations by Laplace's approximation, with days as random effects.

Inherent difficulty and most faults act on the log-odds: a logistic regression. Some faults multiply success instead: a
late answer misses on a long way however easy the attempt is. On the log-odds a worn gripper and a late answer would
seem to compensate each other. The attempts of one day share a random effect; that part of the curvature is diagonal, so
days cost next to nothing (Schur complement).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.explanations.inherent import InherentDifficulty
from fieldloop.diagnose.inference.expectation import logistic
from fieldloop.diagnose.inference.table import Counted, Floats

Mask = NDArray[np.bool_]

STEPS = 15  # of Newton's method; it stops when it has converged
CLOSE = 1e-2  # gain in log-posterior at which it has converged
LONGEST = 1.5  # largest change of an effect in one step (log-odds), against overshooting
EDGE = 1e-5  # a rate of 0 or 1 has no finite log-likelihood
LEAST_DAY = 0.02
"""Smallest standard deviation of days: without any spread there would be nothing to divide by."""


@dataclass(frozen=True)
class Fitted:
    """The mode of the posterior: coefficients, day effects, covariance with days integrated out, and log evidence.

    `difficulty_rates` are success rates by log-odds alone, `rates` those with the multiplicative faults as well.
    """

    coefficients: Floats
    days: Floats
    covariance: Floats
    evidence: float
    difficulty_rates: Floats
    rates: Floats


@dataclass(frozen=True)
class FitPoint:
    """The posterior at given coefficients: its logarithm, residuals by row, and its curvature with and of days."""

    at: Floats
    days: Floats
    difficulty_rates: Floats
    rates: Floats
    log_posterior: float
    residual: Floats
    """Derivative of the log-likelihood by the logarithm of each row's rate."""
    acting: Floats
    """Columns as they act on that logarithm."""
    flatness: Floats
    """Derivative of the logarithm of each row's rate by its log-odds."""
    curvature: Floats
    day_curvature: Floats
    cross: Floats


class LaplaceModel:
    """All rows, ordered by day once, so that sums by day are quick."""

    def __init__(self, inherent: InherentDifficulty) -> None:
        """Number the days."""
        self.inherent = inherent
        self.order = np.argsort(inherent.clusters, kind="stable")
        days, self.first = np.unique(inherent.clusters[self.order], return_index=True)
        self.day: Counted = np.empty(len(inherent.clusters), dtype=np.int64)
        self.day[self.order] = np.repeat(np.arange(len(days)), np.diff(np.append(self.first, len(self.order))))
        self.precision = 1.0 / max(inherent.day_spread, LEAST_DAY) ** 2

    def by_day(self, values: Floats) -> Floats:
        """Sum values (rows down) by day."""
        return np.asarray(np.add.reduceat(values[self.order], self.first, axis=0))

    def fit(
        self,
        columns: Floats,
        multiplicative: Mask,
        mean: Floats,
        spread: Floats,
        start: tuple[Floats, Floats] | None = None,
    ) -> Fitted:
        """Find the posterior mode of inherent difficulty plus these columns, whose effects have these priors.

        `multiplicative` marks columns that multiply success. `start` are coefficients and day effects to begin with.
        """
        inherent = self.inherent
        prior_mean, precision = np.append(inherent.mean, mean), 1.0 / np.append(inherent.spread, spread) ** 2
        at, days = (prior_mean, np.zeros(len(self.first))) if start is None else start
        point = self._evaluate(columns, multiplicative, at, days, prior_mean, precision)
        for _ in range(STEPS):
            slope = point.acting.T @ point.residual - precision * (point.at - prior_mean)
            day_slope = self.by_day(point.flatness * point.residual) - self.precision * point.days
            step = np.linalg.solve(point.curvature, slope - point.cross.T @ (day_slope / point.day_curvature))
            day_step = (day_slope - point.cross @ step) / point.day_curvature
            longest = max(float(np.abs(step).max()), float(np.abs(day_step).max(initial=0.0)))
            scale = min(1.0, LONGEST / max(longest, CLOSE))
            moved = point
            for _ in range(4):
                moved = self._evaluate(
                    columns, multiplicative, point.at + scale * step, point.days + scale * day_step, prior_mean,
                    precision,
                )  # fmt: skip
                if moved.log_posterior >= point.log_posterior - CLOSE:
                    break
                scale /= 4.0
            gained = moved.log_posterior - point.log_posterior
            point = moved if gained > 0.0 else point
            if gained < CLOSE:
                break
        logdet = np.linalg.slogdet(point.curvature)[1] + np.log(point.day_curvature).sum()
        evidence = point.log_posterior - 0.5 * logdet
        evidence += 0.5 * (np.log(precision).sum() + len(point.days) * np.log(self.precision))
        covariance = np.asarray(np.linalg.inv(point.curvature))
        return Fitted(point.at, point.days, covariance, float(evidence), point.difficulty_rates, point.rates)

    def _evaluate(
        self,
        columns: Floats,
        multiplicative: Mask,
        at: Floats,
        days: Floats,
        prior_mean: Floats,
        precision: Floats,
    ) -> FitPoint:
        size = len(self.inherent.mean)
        effects = at[size:]
        odds = self.inherent.columns @ at[:size] + columns[:, ~multiplicative] @ effects[~multiplicative]
        odds = odds + days[self.day]
        difficulty_rates = np.clip(logistic(odds), EDGE, 1.0 - EDGE)
        factor = np.exp(columns[:, multiplicative] @ effects[multiplicative])
        rates = np.clip(difficulty_rates * factor, EDGE, 1.0 - EDGE)
        success = self.inherent.success
        likelihood = success @ np.log(rates) + (1.0 - success) @ np.log(1.0 - rates)
        prior = -0.5 * (precision @ (at - prior_mean) ** 2 + self.precision * (days @ days))
        flatness = 1.0 - difficulty_rates
        acting = self._columns_on_log_rates(columns, multiplicative, flatness)
        weight = rates / (1.0 - rates)
        weighted = acting * weight[:, None]
        cross = self.by_day(weighted * flatness[:, None])
        day_curvature = self.by_day(weight * flatness**2) + self.precision
        curvature = acting.T @ weighted - cross.T @ (cross / day_curvature[:, None])
        curvature[np.diag_indices(len(at))] += precision
        return FitPoint(
            at, days, difficulty_rates, rates, float(likelihood + prior), (success - rates) / (1.0 - rates), acting,
            flatness, curvature, day_curvature, cross,
        )  # fmt: skip

    def _columns_on_log_rates(self, columns: Floats, multiplicative: Mask, flatness: Floats) -> Floats:
        """Return columns as they act on the logarithm of the rates."""
        return np.column_stack([self.inherent.columns * flatness[:, None], columns * _scale(multiplicative, flatness)])

    def score_and_information(
        self,
        fitted: Fitted,
        columns: Floats,
        multiplicative: Mask,
        candidates: Floats,
        candidates_multiplicative: Mask,
    ) -> tuple[Floats, Floats]:
        """Return the derivative of the log-likelihood along each candidate column, and the information about it."""
        flatness = 1.0 - fitted.difficulty_rates
        present = self._columns_on_log_rates(columns, multiplicative, flatness)
        weight = fitted.rates / (1.0 - fitted.rates)
        acting = candidates * _scale(candidates_multiplicative, flatness)
        weighted = acting * weight[:, None]
        day_curvature = self.by_day(weight * flatness**2) + self.precision
        days = self.by_day(weighted * flatness[:, None])
        present_days = self.by_day(present * (weight * flatness)[:, None])
        cross = present.T @ weighted - present_days.T @ (days / day_curvature[:, None])
        unadjusted = np.einsum("ij,ij->j", acting, weighted) - np.einsum(
            "ij,ij->j", days, days / day_curvature[:, None]
        )
        information = unadjusted - np.einsum("ij,ij->j", cross, fitted.covariance @ cross)
        residual = (self.inherent.success - fitted.rates) / (1.0 - fitted.rates)
        return acting.T @ residual, np.maximum(information, EDGE)


def _scale(multiplicative: Mask, flatness: Floats) -> Floats:
    """Return by how much a unit of each column changes the logarithm of each row's rate."""
    return np.where(multiplicative[None, :], 1.0, flatness[:, None])

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
from fieldloop.diagnose.inference.columns import Columns, Counted, Floats
from fieldloop.diagnose.inference.expectation import logistic

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
    """The posterior at given coefficients: its logarithm, its slopes, and its curvature with and of days."""

    at: Floats
    days: Floats
    difficulty_rates: Floats
    rates: Floats
    log_posterior: float
    slope: Floats
    day_slope: Floats
    curvature: Floats
    day_curvature: Floats
    cross: Floats


@dataclass(frozen=True)
class Acting:
    """Columns by how they act: on the log-odds, or on the logarithm of success; with their places among all."""

    odds: Columns
    times: Columns
    odds_at: Counted
    times_at: Counted

    @property
    def size(self) -> int:
        """Return the number of columns."""
        return len(self.odds_at) + len(self.times_at)

    def sum(self, weights: Floats, flatness: Floats) -> Floats:
        """Add up columns as they act on the logarithm of the rates, weighted."""
        made = np.zeros(self.size)
        made[self.odds_at] = self.odds.sum(weights * flatness)
        made[self.times_at] = self.times.sum(weights)
        return made

    def by_day(self, day: Counted, size: int, weights: Floats, flatness: Floats) -> Floats:
        """Add up columns as they act on the logarithm of the rates, weighted, by day."""
        made = np.zeros((size, self.size))
        made[:, self.odds_at] = self.odds.by_group(day, size, weights * flatness)
        made[:, self.times_at] = self.times.by_group(day, size, weights)
        return made

    def products(self, other: "Acting", weights: Floats, flatness: Floats) -> Floats:
        """Add up products of columns as they act on the logarithm of the rates, weighted."""
        made = np.zeros((self.size, other.size))
        flat = weights * flatness
        made[np.ix_(self.odds_at, other.odds_at)] = self.odds.products(other.odds, flat * flatness)
        if other.times.size:
            made[np.ix_(self.odds_at, other.times_at)] = self.odds.products(other.times, flat)
        if self.times.size:
            made[np.ix_(self.times_at, other.odds_at)] = self.times.products(other.odds, flat)
            made[np.ix_(self.times_at, other.times_at)] = self.times.products(other.times, weights)
        return made

    def squares(self, weights: Floats, flatness: Floats) -> Floats:
        """Add up squares of columns as they act on the logarithm of the rates, weighted."""
        made = np.zeros(self.size)
        made[self.odds_at] = self.odds.squares(weights * flatness**2)
        made[self.times_at] = self.times.squares(weights)
        return made


def divide_by_action(columns: Columns, multiplicative: Mask) -> Acting:
    """Divide columns into those that act on the log-odds and those that multiply success."""
    odds_at, times_at = np.flatnonzero(~multiplicative), np.flatnonzero(multiplicative)
    return Acting(columns.take(odds_at.tolist()), columns.take(times_at.tolist()), odds_at, times_at)


class LaplaceModel:
    """All rows, with their days numbered."""

    def __init__(self, inherent: InherentDifficulty) -> None:
        """Number the days."""
        self.inherent = inherent
        self.day: Counted = np.unique(inherent.clusters, return_inverse=True)[1].ravel().astype(np.int64)
        self.days = int(self.day.max(initial=-1)) + 1
        self.precision = 1.0 / max(inherent.day_spread, LEAST_DAY) ** 2

    def by_day(self, values: Floats) -> Floats:
        """Sum values by day."""
        return np.bincount(self.day, values, self.days).astype(np.float64, copy=False)

    def fit(
        self,
        columns: Columns,
        multiplicative: Mask,
        mean: Floats,
        spread: Floats,
        start: tuple[Floats, Floats] | None = None,
    ) -> Fitted:
        """Find the posterior mode of inherent difficulty plus these columns, whose effects have these priors.

        `multiplicative` marks columns that multiply success. `start` are coefficients and day effects to begin with.
        """
        inherent, acting = self.inherent, self.act(columns, multiplicative)
        prior_mean, precision = np.append(inherent.mean, mean), 1.0 / np.append(inherent.spread, spread) ** 2
        at, days = (prior_mean, np.zeros(self.days)) if start is None else start
        point = self._evaluate(acting, at, days, prior_mean, precision)
        for _ in range(STEPS):
            slope, day_slope = point.slope, point.day_slope
            step = np.linalg.solve(point.curvature, slope - point.cross.T @ (day_slope / point.day_curvature))
            day_step = (day_slope - point.cross @ step) / point.day_curvature
            longest = max(float(np.abs(step).max()), float(np.abs(day_step).max(initial=0.0)))
            scale = min(1.0, LONGEST / max(longest, CLOSE))
            moved = point
            for _ in range(4):
                moved = self._evaluate(
                    acting, point.at + scale * step, point.days + scale * day_step, prior_mean, precision
                )
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

    def act(self, columns: Columns, multiplicative: Mask) -> Acting:
        """Return inherent difficulty and these columns by how they act."""
        inherent = self.inherent.columns
        nothing = np.zeros(inherent.size, dtype=bool)
        return divide_by_action(inherent.beside(columns), np.append(nothing, multiplicative))

    def _evaluate(self, acting: Acting, at: Floats, days: Floats, prior_mean: Floats, precision: Floats) -> FitPoint:
        odds = acting.odds @ at[acting.odds_at] + days[self.day]
        difficulty_rates = np.clip(logistic(odds), EDGE, 1.0 - EDGE)
        factor = np.exp(acting.times @ at[acting.times_at]) if acting.times.size else 1.0
        rates = np.clip(difficulty_rates * factor, EDGE, 1.0 - EDGE)
        success, failing = self.inherent.success, 1.0 - rates
        likelihood = success @ np.log(rates) + (1.0 - success) @ np.log(failing)
        prior = -0.5 * (precision @ (at - prior_mean) ** 2 + self.precision * (days @ days))
        flatness = 1.0 - difficulty_rates
        residual, weight = (success - rates) / failing, rates / failing
        flat = weight * flatness
        cross = acting.by_day(self.day, self.days, flat, flatness)
        day_curvature = self.by_day(flat * flatness) + self.precision
        curvature = acting.products(acting, weight, flatness) - cross.T @ (cross / day_curvature[:, None])
        curvature[np.diag_indices(len(at))] += precision
        slope = acting.sum(residual, flatness) - precision * (at - prior_mean)
        day_slope = self.by_day(flatness * residual) - self.precision * days
        return FitPoint(
            at, days, difficulty_rates, rates, float(likelihood + prior), slope, day_slope, curvature, day_curvature,
            cross,
        )  # fmt: skip

    def score_and_information(self, fitted: Fitted, present: Acting, candidates: Acting) -> tuple[Floats, Floats]:
        """Return the derivative of the log-likelihood along each candidate column, and the information about it."""
        flatness, failing = 1.0 - fitted.difficulty_rates, 1.0 - fitted.rates
        weight = fitted.rates / failing
        flat = weight * flatness
        day_curvature = self.by_day(flat * flatness) + self.precision
        days = candidates.by_day(self.day, self.days, flat, flatness)
        present_days = present.by_day(self.day, self.days, flat, flatness)
        cross = present.products(candidates, weight, flatness) - present_days.T @ (days / day_curvature[:, None])
        unadjusted = candidates.squares(weight, flatness)
        unadjusted -= np.einsum("ij,ij->j", days, days / day_curvature[:, None])
        information = unadjusted - np.einsum("ij,ij->j", cross, fitted.covariance @ cross)
        residual = (self.inherent.success - fitted.rates) / failing
        return candidates.sum(residual, flatness), np.maximum(information, EDGE)

"""Log evidence (marginal likelihood) of a set of explanations by Laplace's approximation, with days as random effects.

Inherent difficulty and most faults act on the log-odds: a logistic regression. Some faults multiply success instead: a
late answer misses on a long way however easy the attempt is. On the log-odds a worn gripper and a late answer would
seem to compensate each other. The attempts of one day share a random effect; that part of the curvature is diagonal, so
days cost next to nothing (Schur complement).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.explanations.inherent import InherentDifficulty
from fieldloop.diagnose.inference.columns import CodedColumns, Counted, Floats, nothing_plain, one_hot
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
    """The mode of the posterior: coefficients, day effects, covariance with days integrated out, and log evidence."""

    coefficients: Floats
    days: Floats
    covariance: Floats
    evidence: float


@dataclass(frozen=True)
class Rates:
    """Success rates of all rows: by log-odds alone, and with the multiplicative faults as well."""

    difficulty: Floats
    all: Floats

    @cached_property
    def flatness(self) -> Floats:
        """Return the derivative of the logarithm of each row's rate by its log-odds."""
        return np.asarray(1.0 - self.difficulty)

    @cached_property
    def weight(self) -> Floats:
        """Return the curvature of the log-likelihood by the logarithm of each row's rate."""
        return np.asarray(self.all / (1.0 - self.all))


@dataclass(frozen=True)
class FitPoint:
    """The posterior at given coefficients: its logarithm, its slopes, and its curvature with and of days."""

    at: Floats
    days: Floats
    log_posterior: float
    slope: Floats
    day_slope: Floats
    curvature: Floats
    day_curvature: Floats
    cross: Floats


@dataclass(frozen=True)
class Acting:
    """CodedColumns by how they act: on the log-odds, or on the logarithm of success; with their places among all."""

    odds: CodedColumns
    times: CodedColumns
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
        made[self.times_at] = self.times.sum(weights) if self.times.size else 0.0
        return made

    def products(self, other: "Acting", rates: Rates) -> Floats:
        """Add up products of columns as they act on the logarithm of the rates, weighted by the curvature."""
        made = np.zeros((self.size, other.size))
        flat = rates.weight * rates.flatness
        made[np.ix_(self.odds_at, other.odds_at)] = self.odds.products(other.odds, flat * rates.flatness)
        if other.times.size:
            made[np.ix_(self.odds_at, other.times_at)] = self.odds.products(other.times, flat)
        if self.times.size:
            made[np.ix_(self.times_at, other.odds_at)] = self.times.products(other.odds, flat)
            made[np.ix_(self.times_at, other.times_at)] = self.times.products(other.times, rates.weight)
        return made

    def squares(self, rates: Rates) -> Floats:
        """Add up squares of columns as they act on the logarithm of the rates, weighted by the curvature."""
        made = np.zeros(self.size)
        made[self.odds_at] = self.odds.squares(rates.weight * rates.flatness**2)
        made[self.times_at] = self.times.squares(rates.weight)
        return made


def divide_by_action(columns: CodedColumns, multiplicative: Mask) -> Acting:
    """Divide columns into those that act on the log-odds and those that multiply success."""
    odds_at, times_at = np.flatnonzero(~multiplicative), np.flatnonzero(multiplicative)
    return Acting(columns.take(odds_at.tolist()), columns.take(times_at.tolist()), odds_at, times_at)


class LaplaceModel:
    """All rows, with their days numbered. `base` are the columns of every fit: inherent difficulty, then the days."""

    def __init__(self, inherent: InherentDifficulty) -> None:
        """Number the days."""
        self.inherent = inherent
        self.day: Counted = np.unique(inherent.clusters, return_inverse=True)[1].ravel().astype(np.int64)
        self.days = int(self.day.max(initial=-1)) + 1
        self.precision = 1.0 / max(inherent.day_spread, LEAST_DAY) ** 2
        days = CodedColumns(len(self.day), self.days, (one_hot(self.day, self.days),), *nothing_plain(len(self.day)))
        both = inherent.columns.beside(days)
        every, none = np.arange(both.size), np.empty(0, np.int64)
        self.base = Acting(both.widen(), both.take([]), every, none)

    def fit(
        self,
        columns: CodedColumns,
        multiplicative: Mask,
        mean: Floats,
        spread: Floats,
        start: tuple[Floats, Floats] | None = None,
    ) -> Fitted:
        """Find the posterior mode of inherent difficulty plus these columns, whose effects have these priors.

        `multiplicative` marks columns that multiply success. `start` are coefficients and day effects to begin with.
        """
        inherent, members = self.inherent, divide_by_action(columns, multiplicative)
        prior_mean, precision = np.append(inherent.mean, mean), 1.0 / np.append(inherent.spread, spread) ** 2
        at, days = (prior_mean, np.zeros(self.days)) if start is None else start
        point = self._evaluate(members, at, days, prior_mean, precision)
        for _ in range(STEPS):
            slope, day_slope = point.slope, point.day_slope
            step = np.linalg.solve(point.curvature, slope - point.cross.T @ (day_slope / point.day_curvature))
            day_step = (day_slope - point.cross @ step) / point.day_curvature
            longest = max(float(np.abs(step).max()), float(np.abs(day_step).max(initial=0.0)))
            scale = min(1.0, LONGEST / max(longest, CLOSE))
            moved = point
            for _ in range(4):
                moved = self._evaluate(
                    members, point.at + scale * step, point.days + scale * day_step, prior_mean, precision
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
        return Fitted(point.at, point.days, np.asarray(np.linalg.inv(point.curvature)), float(evidence))

    def _rates(self, members: Acting, at: Floats, days: Floats) -> Rates:
        size = len(self.inherent.mean)
        effects = at[size:]
        odds = self.base.odds @ np.append(at[:size], days) + members.odds @ effects[members.odds_at]
        difficulty = np.clip(logistic(odds), EDGE, 1.0 - EDGE)
        if not members.times.size:
            return Rates(difficulty, difficulty)
        factor = np.exp(members.times @ effects[members.times_at])
        return Rates(difficulty, np.clip(difficulty * factor, EDGE, 1.0 - EDGE))

    def _evaluate(self, members: Acting, at: Floats, days: Floats, prior_mean: Floats, precision: Floats) -> FitPoint:
        rates, success, size = self._rates(members, at, days), self.inherent.success, len(self.inherent.mean)
        likelihood = success @ np.log(rates.all) + (1.0 - success) @ np.log(1.0 - rates.all)
        prior = -0.5 * (precision @ (at - prior_mean) ** 2 + self.precision * (days @ days))
        residual, flatness = (success - rates.all) / (1.0 - rates.all), rates.flatness
        slopes = self.base.sum(residual, flatness)
        cross, day_curvature, curvature = self._curvature(members, rates)
        curvature -= cross.T @ (cross / day_curvature[:, None])
        curvature[np.diag_indices(len(at))] += precision
        slope = np.append(slopes[:size], members.sum(residual, flatness)) - precision * (at - prior_mean)
        day_slope = slopes[size:] - self.precision * days
        return FitPoint(at, days, float(likelihood + prior), slope, day_slope, curvature, day_curvature, cross)

    def _curvature(self, members: Acting, rates: Rates) -> tuple[Floats, Floats, Floats]:
        """Return the curvature of coefficients with days, of days, and of coefficients at given days."""
        size, base = len(self.inherent.mean), self.base.products(self.base, rates)
        beside = self.base.products(members, rates)
        day_curvature = base.diagonal()[size:] + self.precision
        cross = np.column_stack([base[size:, :size], beside[size:]])
        own = members.products(members, rates)
        return cross, day_curvature, np.block([[base[:size, :size], beside[:size]], [beside[:size].T, own]])

    def score_and_information(self, fitted: Fitted, present: Acting, candidates: Acting) -> tuple[Floats, Floats]:
        """Return the derivative of the log-likelihood along each candidate column, and the information about it."""
        rates, size = self._rates(present, fitted.coefficients, fitted.days), len(self.inherent.mean)
        present_days, day_curvature, _ = self._curvature(present, rates)
        base = self.base.products(candidates, rates)
        days = base[size:]
        cross = np.vstack([base[:size], present.products(candidates, rates)])
        cross -= present_days.T @ (days / day_curvature[:, None])
        unadjusted = candidates.squares(rates) - np.einsum("ij,ij->j", days, days / day_curvature[:, None])
        information = unadjusted - np.einsum("ij,ij->j", cross, fitted.covariance @ cross)
        residual = (self.inherent.success - rates.all) / (1.0 - rates.all)
        return candidates.sum(residual, rates.flatness), np.maximum(information, EDGE)

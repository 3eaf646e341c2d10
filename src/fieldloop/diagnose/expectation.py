"""What the baseline lets one expect under given conditions: a ridge logistic regression, fitted by Newton's method."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition

Floats = NDArray[np.float64]

STEPS = 25
CLOSE = 1e-8
LEAST_WEIGHT = 1e-9


@dataclass(frozen=True)
class Expectation:
    """Coefficients for the conditions the baseline knows, and how uncertain they are.

    A condition it never met changes nothing: such an episode is expected to go like the average, and what it loses
    against that is the cost of not having known.
    """

    conditions: tuple[Condition, ...]
    coefficients: Floats
    covariance: Floats

    def design(self, table: Table) -> Floats:
        """Intercept and known conditions of every row."""
        return np.column_stack([np.ones(len(table)), table.indicators(self.conditions)])

    def rates(self, design: Floats) -> Floats:
        """Return the success expected of every row."""
        return logistic(design @ self.coefficients)


class Merged:
    """A baseline whose rows with the same conditions are one, so that it can be fitted again and again cheaply."""

    def __init__(self, baseline: Table, penalty: float) -> None:
        """Find the distinct rows."""
        design = np.column_stack([np.ones(len(baseline)), baseline.indicators(baseline.conditions)])
        self.patterns, where = np.unique(design, axis=0, return_inverse=True)
        self._where, self._success, self._penalty = where.ravel(), baseline.success, penalty

    def fit(self, weights: Floats) -> tuple[Floats, Floats]:
        """Fit with rows repeated by weight; return coefficients and their covariance."""
        size = len(self.patterns)
        tried = np.bincount(self._where, weights, size).astype(np.float64)
        good = np.bincount(self._where, weights * self._success, size).astype(np.float64)
        return fit(self.patterns, tried, good, self._penalty)


def expect(baseline: Table, penalty: float) -> Expectation:
    """Fit success on all conditions of the baseline."""
    return Expectation(baseline.conditions, *Merged(baseline, penalty).fit(np.ones(len(baseline))))


def fit(design: Floats, tried: Floats, good: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Fit counts by row; half a success and half a failure are spread over them, so that a perfect record is finite.

    The penalty is that of a prior: at 1 a condition changes the log-odds by about one either way.
    """
    prior = np.diag([0.0] + [penalty] * (design.shape[1] - 1))
    tried, good = tried + 1.0 / len(tried), good + 0.5 / len(tried)
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        rate = logistic(design @ coefficients)
        slope = design.T @ (good - tried * rate) - prior @ coefficients
        step = np.linalg.solve(_information(design, tried, rate) + prior, slope)
        coefficients = coefficients + step
        if np.abs(step).max() < CLOSE:
            break
    bend = _information(design, tried, logistic(design @ coefficients)) + prior
    return coefficients, np.asarray(np.linalg.inv(bend), dtype=np.float64)


def logistic(x: Floats) -> Floats:
    """Turn log-odds into rates without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def _information(design: Floats, tried: Floats, rate: Floats) -> Floats:
    weight = np.maximum(tried * rate * (1.0 - rate), LEAST_WEIGHT)
    return np.asarray(design.T @ (weight[:, None] * design))

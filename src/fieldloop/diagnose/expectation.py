"""What the baseline lets one expect under given conditions: a ridge logistic regression, fitted by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition

Floats = NDArray[np.float64]

PENALTY = 1.0
"""Prior: a condition changes the log-odds by about one either way; a few rows then move it, one row hardly."""
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
        return _logistic(design @ self.coefficients)


def expect(
    baseline: Table, weights: Floats | None = None, conditions: Sequence[Condition] | None = None
) -> Expectation:
    """Fit success on conditions; `weights` repeat rows, as a bootstrap does."""
    known = tuple(baseline.conditions if conditions is None else conditions)
    design = np.column_stack([np.ones(len(baseline)), baseline.indicators(known)])
    amount = np.ones(len(baseline)) if weights is None else weights
    coefficients, covariance = fit(*_merged(design, baseline.success, amount))
    return Expectation(known, coefficients, covariance)


def fit(design: Floats, tried: Floats, good: Floats) -> tuple[Floats, Floats]:
    """Fit counts by row; half a success and half a failure are added, so that a perfect record stays finite."""
    prior = np.diag([0.0] + [PENALTY] * (design.shape[1] - 1))
    tried, good = tried + 1.0 / len(tried), good + 0.5 / len(tried)
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        rate = _logistic(design @ coefficients)
        slope = design.T @ (good - tried * rate) - prior @ coefficients
        bend = _information(design, tried, rate) + prior
        step = np.linalg.solve(bend, slope)
        coefficients = coefficients + step
        if np.abs(step).max() < CLOSE:
            break
    rate = _logistic(design @ coefficients)
    return coefficients, np.linalg.inv(_information(design, tried, rate) + prior)


def _information(design: Floats, tried: Floats, rate: Floats) -> Floats:
    weight = np.maximum(tried * rate * (1.0 - rate), LEAST_WEIGHT)
    return np.asarray(design.T @ (weight[:, None] * design))


def _merged(design: Floats, success: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Rows with the same conditions become one, which makes the bootstrap cheap."""
    patterns, where = np.unique(design, axis=0, return_inverse=True)
    where = where.ravel()
    tried = np.bincount(where, weights, len(patterns))
    return patterns, tried, np.bincount(where, weights * success, len(patterns))


def _logistic(x: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))

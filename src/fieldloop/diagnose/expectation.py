"""What the baseline lets one expect under given conditions: a ridge logistic regression, fitted by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition

Floats = NDArray[np.float64]

STEPS = 30
CLOSE = 1e-8
LONGEST = 2.0
"""Log-odds that a coefficient moves at most in one step: far out the curve is flat, and Newton's steps overshoot."""
LEAST_WEIGHT = 1e-9
EDGE = 1e-4


@dataclass(frozen=True)
class Expectation:
    """Coefficients for the conditions the baseline knows.

    A condition it never met changes nothing: such an episode is expected to go like the average, and what it loses
    against that is the cost of not having known.
    """

    conditions: tuple[Condition, ...]
    usual: Floats
    coefficients: Floats

    def design(self, table: Table) -> Floats:
        """Intercept and known conditions of every row."""
        return design(table, self.conditions, self.usual)

    def rates(self, design: Floats) -> Floats:
        """Return the success expected of every row."""
        return logistic(design @ self.coefficients)


def expect(baseline: Table, penalty: float) -> Expectation:
    """Fit success on all conditions of the baseline."""
    usual = usual_shares(baseline)
    patterns, where = np.unique(design(baseline, baseline.conditions, usual), axis=0, return_inverse=True)
    tried = np.bincount(where.ravel(), minlength=len(patterns)).astype(np.float64)
    good = np.bincount(where.ravel(), baseline.success, len(patterns)).astype(np.float64)
    return Expectation(baseline.conditions, usual, fit(patterns, tried, good, penalty))


def usual_shares(baseline: Table) -> Floats:
    """How often each condition holds where its factor is spoken of."""
    return np.array(
        [
            float(np.mean([row[c.factor] == c.level for row in baseline.rows if c.factor in row]))
            for c in baseline.conditions
        ]
    )


def design(table: Table, conditions: Sequence[Condition], usual: Floats) -> Floats:
    """Intercept and conditions around their usual shares; nothing where a row is at a level that is not known.

    Around their shares, so that the intercept is the average row: were it the row without any known level, a site
    that the baseline never left would make everything elsewhere uncertain.
    """
    found = table.indicators(conditions)
    factors = np.array([c.factor for c in conditions])
    for factor in set(factors.tolist()):
        own = factors == factor
        found[:, own] = np.where(found[:, own].any(axis=1, keepdims=True), found[:, own] - usual[own], 0.0)
    return np.column_stack([np.ones(len(table)), found])


def fit(design: Floats, tried: Floats, good: Floats, penalty: float) -> Floats:
    """Fit counts by row; half a success and half a failure are spread over them, so that a perfect record is finite.

    The penalty is that of a prior: at 1 a condition changes the log-odds by about one either way.
    """
    pull = np.array([0.0] + [penalty] * (design.shape[1] - 1))
    tried, good = tried + 1.0 / len(tried), good + 0.5 / len(tried)
    return peak(design, tried, good, pull, np.zeros(len(tried)))


def peak(design: Floats, tried: Floats, good: Floats, pull: Floats, offset: Floats) -> Floats:
    """Coefficients at the peak, each pulled to 0 by its own strength; rows start from their offsets (log-odds)."""
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        rate = logistic(offset + design @ coefficients)
        slope = design.T @ (good - tried * rate) - pull * coefficients
        step = np.linalg.solve(_information(design, tried, rate) + np.diag(pull), slope)
        coefficients = coefficients + np.clip(step, -LONGEST, LONGEST)
        if np.abs(step).max() < CLOSE:
            break
    return coefficients


def logistic(x: Floats) -> Floats:
    """Turn log-odds into rates without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def log_odds(rates: Floats) -> Floats:
    """Rates as log-odds, kept away from certainty."""
    kept = np.clip(rates, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)))


def _information(design: Floats, tried: Floats, rate: Floats) -> Floats:
    weight = np.maximum(tried * rate * (1.0 - rate), LEAST_WEIGHT)
    return np.asarray(design.T @ (weight[:, None] * design))

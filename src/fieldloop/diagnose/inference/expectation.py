"""Success that the baseline predicts under given conditions: ridge logistic regression, fitted by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Condition

Floats = NDArray[np.float64]

STEPS = 30  # of Newton's method; it stops when it has converged
CLOSE = 1e-8  # change of a coefficient at which it has converged
LONGEST = 2.0
"""Largest change of a coefficient in one step (log-odds): where the curve is flat, Newton's steps overshoot."""
LEAST_WEIGHT = 1e-9  # a rate of 0 or 1 has no variance to divide by
EDGE = 1e-4  # a rate of 0 or 1 has no finite log-odds


@dataclass(frozen=True)
class Expectation:
    """Coefficients for the conditions that occur in the baseline.

    A condition that does not occur there has no effect: such an episode is expected to succeed like the average.
    """

    conditions: tuple[Condition, ...]
    usual: Floats
    coefficients: Floats

    def design(self, table: Table) -> Floats:
        """Return intercept and known conditions of every row."""
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
    """Return how often each condition holds among rows that log its factor."""
    return np.array(
        [
            float(np.mean([row[c.factor] == c.level for row in baseline.rows if c.factor in row]))
            for c in baseline.conditions
        ]
    )


def design(table: Table, conditions: Sequence[Condition], usual: Floats) -> Floats:
    """Return intercept and conditions centred on their usual shares; 0 where a row has an unknown level.

    Centred, so that the intercept is the average row: were it a row without any known level, a baseline from a single
    site would make every other site uncertain.
    """
    centred = table.indicators(conditions)
    factors = np.array([c.factor for c in conditions])
    for factor in set(factors.tolist()):
        of_factor = factors == factor
        centred[:, of_factor] = np.where(
            centred[:, of_factor].any(axis=1, keepdims=True), centred[:, of_factor] - usual[of_factor], 0.0
        )
    return np.column_stack([np.ones(len(table)), centred])


def fit(design: Floats, tried: Floats, good: Floats, penalty: float) -> Floats:
    """Fit counts by row; half a success and half a failure are spread over them, so that a perfect record stays finite.

    The ridge penalty is a normal prior: at 1 a condition changes the log-odds by about one either way.
    """
    penalties = np.array([0.0] + [penalty] * (design.shape[1] - 1))
    tried, good = tried + 1.0 / len(tried), good + 0.5 / len(tried)
    return posterior_mode(design, tried, good, penalties, np.zeros(len(tried)))


def posterior_mode(design: Floats, tried: Floats, good: Floats, penalties: Floats, offset: Floats) -> Floats:
    """Return the posterior mode: each coefficient has its own ridge penalty, each row its offset (log-odds)."""
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        rate = logistic(offset + design @ coefficients)
        slope = design.T @ (good - tried * rate) - penalties * coefficients
        step = np.linalg.solve(_information(design, tried, rate) + np.diag(penalties), slope)
        coefficients = coefficients + np.clip(step, -LONGEST, LONGEST)
        if np.abs(step).max() < CLOSE:
            break
    return coefficients


def logistic(x: Floats) -> Floats:
    """Turn log-odds into rates without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def log_odds(rates: Floats) -> Floats:
    """Turn rates into log-odds, kept away from certainty."""
    kept = np.clip(rates, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)))


def _information(design: Floats, tried: Floats, rate: Floats) -> Floats:
    weight = np.maximum(tried * rate * (1.0 - rate), LEAST_WEIGHT)
    return np.asarray(design.T @ (weight[:, None] * design))

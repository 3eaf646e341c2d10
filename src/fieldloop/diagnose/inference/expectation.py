"""Success that the baseline predicts under given conditions: ridge logistic regression, fitted by Newton's method."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.inference.columns import CodedColumns, Floats
from fieldloop.diagnose.inference.factor_columns import arrange, centred_blocks, constant_block
from fieldloop.diagnose.inference.table import Table
from fieldloop.model.condition import Condition

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

    def rates(self, table: Table) -> Floats:
        """Return the success expected of every row."""
        return logistic(design((table,), self.conditions, self.usual) @ self.coefficients)


def expect(baseline: Table, penalty: float) -> Expectation:
    """Fit success on all conditions of the baseline."""
    usual = usual_shares(baseline)
    first, where = baseline.different_rows
    tried = np.bincount(where, minlength=len(first)).astype(np.float64)
    good = np.bincount(where, baseline.success, len(first)).astype(np.float64)
    patterns = design((baseline,), baseline.conditions, usual).among(first)
    return Expectation(baseline.conditions, usual, fit(patterns, tried, good, penalty))


def usual_shares(baseline: Table) -> Floats:
    """Return how often each condition holds among rows that log its factor."""
    shares = [level.counts[1:] / level.counts[1:].sum() for _, level in sorted(baseline.levels.items())]
    return np.concatenate([np.empty(0), *shares])


def design(tables: Sequence[Table], conditions: Sequence[Condition], usual: Floats) -> CodedColumns:
    """Return intercept and conditions of all rows, centred on their usual shares."""
    rows = [len(table) for table in tables]
    intercept = constant_block([1.0] * len(rows), rows, 0)
    blocks = [intercept, *centred_blocks(tables, conditions, usual, 1)]
    return arrange(sum(rows), 1 + len(conditions), blocks)


def fit(design: CodedColumns, tried: Floats, good: Floats, penalty: float) -> Floats:
    """Fit counts by row; half a success and half a failure are spread over them, so that a perfect record stays finite.

    The ridge penalty is a normal prior: at 1 a condition changes the log-odds by about one either way.
    """
    penalties = np.array([0.0] + [penalty] * (design.size - 1))
    tried, good = tried + 1.0 / len(tried), good + 0.5 / len(tried)
    return posterior_mode(design, tried, good, penalties, np.zeros(len(tried)))


def posterior_mode(design: CodedColumns, tried: Floats, good: Floats, penalties: Floats, offset: Floats) -> Floats:
    """Return the posterior mode: each coefficient has its own ridge penalty, each row its offset (log-odds)."""
    coefficients = np.zeros(design.size)
    for _ in range(STEPS):
        rate = logistic(offset + design @ coefficients)
        slope = design.sum(good - tried * rate) - penalties * coefficients
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


def _information(design: CodedColumns, tried: Floats, rate: Floats) -> Floats:
    return design.products(design, np.maximum(tried * rate * (1.0 - rate), LEAST_WEIGHT))

"""A few columns at once: a logistic regression around the baseline's expectation."""

from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.expectation import logistic
from fieldloop.diagnose.table import Floats

STEPS = 30
CLOSE = 1e-7
LEAST_WEIGHT = 1e-6
EDGE = 1e-4
PRIOR = 0.05
"""A very weak pull to no effect, which keeps a slice without a single success finite."""


@dataclass(frozen=True)
class Joint:
    """Coefficients on the log-odds of success, and the fitted rates."""

    coefficients: Floats
    rates: Floats

    @property
    def weights(self) -> Floats:
        """How much each row tells."""
        return np.maximum(self.rates * (1.0 - self.rates), LEAST_WEIGHT)


def log_odds(rates: Floats) -> Floats:
    """Rates as log-odds, kept away from certainty."""
    kept = np.clip(rates, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(kept / (1.0 - kept)))


def fit_jointly(columns: Floats, success: Floats, expected: Floats) -> Joint:
    """Fit success on the columns with the expectation as the starting point of every row."""
    offset = log_odds(expected)
    size = columns.shape[1]
    coefficients, prior = np.zeros(size), PRIOR * np.eye(size)
    for _ in range(STEPS):
        rates = logistic(offset + columns @ coefficients)
        weight = np.maximum(rates * (1.0 - rates), LEAST_WEIGHT)
        bend = columns.T @ (weight[:, None] * columns) + prior
        step = np.linalg.solve(bend, columns.T @ (success - rates) - prior @ coefficients)
        coefficients = coefficients + np.clip(step, -2.0, 2.0)
        if size == 0 or np.abs(step).max() < CLOSE:
            break
    return Joint(coefficients, logistic(offset + columns @ coefficients))

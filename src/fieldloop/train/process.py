"""Gaussian process regression: one number as a smooth function of a row of inputs, with its uncertainty.

The kernel is a straight line plus a smooth bump with a length of its own for every input (Rasmussen and Williams 2006,
chapters 2 and 5). Marginal likelihood chooses amplitudes, lengths and noise; leave-one-out errors are exact.
"""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats
from fieldloop.protocol import Section

JITTER = 1e-6  # keeps the matrix invertible when two rows are equal
LINE, BUMP, NOISE, LENGTHS = 0, 1, 2, 3
"""Order of the logarithms that are fitted: three amplitudes, then a length for each input."""


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """What was learnt of one output: kernel, inverse of the rows' covariance, and the rows' shares of the answer."""

    line: float
    bump: float
    noise: float
    lengths: Floats
    inverse: Floats
    coefficients: Floats

    def predict(self, rows: Floats, inputs: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance of the output for every row of inputs; `rows` are those that were learnt from."""
        near = self.compute_kernel(inputs, rows)
        prior = self.line * ((inputs**2).mean(axis=1) + 1 / inputs.shape[1]) + self.bump
        return near @ self.coefficients, prior - ((near @ self.inverse) * near).sum(axis=1) + self.noise

    def predict_leave_one_out(self) -> tuple[Floats, Floats]:
        """Return error and variance for every row, as if it had not been learnt from."""
        precision = np.diag(self.inverse)
        return self.coefficients / precision, 1 / precision

    def compute_kernel(self, first_rows: Floats, second_rows: Floats) -> Floats:
        """Return the covariance of every first row with every second row."""
        line, bump = _compute_kernel_parts(first_rows, second_rows, self.lengths)
        return self.line * line + self.bump * bump


def fit_process(rows: Floats, targets: Floats, weights: Floats, settings: Section) -> Process:
    """Learn one output of unit spread; a row of weight 2 counts as if it had been seen twice."""
    from scipy.optimize import minimize

    usual_length, usual_noise = settings.number("process_length"), settings.number("process_noise")
    centre = np.log(np.r_[0.5, 0.5, usual_noise, np.full(rows.shape[1], usual_length)])
    width = np.r_[np.inf, np.inf, settings.number("process_noise_width"), np.ones(rows.shape[1])]
    found = minimize(
        _compute_fit_cost, centre, args=(rows, targets, 1 / weights, centre, width), jac=True, method="L-BFGS-B",
        options={"maxiter": int(settings["process_steps"])},
    )  # fmt: skip
    line, bump, noise = (float(part) for part in np.exp(found.x[:LENGTHS]))
    lengths = np.exp(found.x[LENGTHS:])
    kernels = _compute_kernel_parts(rows, rows, lengths)
    covariance = line * kernels[0] + bump * kernels[1] + np.diag(noise / weights + JITTER)
    inverse = np.asarray(np.linalg.inv(covariance), dtype=np.float64)
    return Process(line, bump, noise, lengths, inverse, inverse @ targets)


def _compute_kernel_parts(first_rows: Floats, second_rows: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """Return the straight and the smooth part of the kernel, each of amplitude 1."""
    a, b = first_rows / lengths, second_rows / lengths
    squared = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return (first_rows @ second_rows.T + 1) / first_rows.shape[1], np.exp(-0.5 * np.maximum(squared, 0.0))


def _compute_fit_cost(
    log_parameters: Floats, rows: Floats, targets: Floats, spread: Floats, prior_mean: Floats, prior_spread: Floats
) -> tuple[float, Floats]:
    """Return the negative log of likelihood times prior, and its slopes."""
    from scipy.linalg import LinAlgError, cho_solve, cholesky

    scales = np.exp(log_parameters)
    line, bump = _compute_kernel_parts(rows, rows, scales[LENGTHS:])
    line, bump = scales[LINE] * line, scales[BUMP] * bump
    try:
        root = cholesky(line + bump + np.diag(scales[NOISE] * spread + JITTER), lower=True, check_finite=False)
    except LinAlgError:
        return 1e10, np.zeros_like(log_parameters)
    inverse = cho_solve((root, True), np.eye(len(rows)), check_finite=False)
    shares = inverse @ targets
    off = np.where(np.isinf(prior_spread), 0.0, (log_parameters - prior_mean) / prior_spread)
    cost = 0.5 * targets @ shares + np.log(np.diag(root)).sum() + 0.5 * (off**2).sum()
    pull = 0.5 * (inverse - np.outer(shares, shares))
    slopes = np.where(np.isinf(prior_spread), 0.0, off / prior_spread)
    slopes[LINE] += (pull * line).sum()
    slopes[BUMP] += (pull * bump).sum()
    slopes[NOISE] += scales[NOISE] * (np.diag(pull) * spread).sum()
    bent = pull * bump
    apart = 2 * (bent.sum(axis=1) @ rows**2) - 2 * (rows * (bent @ rows)).sum(axis=0)
    slopes[LENGTHS:] += apart / scales[LENGTHS:] ** 2
    return float(cost), slopes

"""Covariance of the fitted shifts: with independent rows, and with errors correlated within blocks of rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.basis import Matrix
from fieldloop.check.content_lag.profile import RIDGE


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Covariances of the shifts (s²): `plain` assumes independent rows, `robust` correlated errors within blocks."""

    plain: Matrix
    robust: Matrix
    blocks: int

    @property
    def inflation(self) -> float:
        """Ratio of the lag's robust variance to that with independent rows."""
        return float(max(self.robust[0, 0] / max(self.plain[0, 0], 1e-18), 1.0))


def compute_shift_covariances(
    whitened_derivatives: NDArray[np.float64],
    whitened_residuals: Matrix,
    weights: Matrix,
    blocks: NDArray[np.int64],
    inverse_information: Matrix,
    prior_precisions: Matrix,
    joint_motion: Matrix | None,
) -> Spread:
    """Return both covariances.

    `inverse_information` is the inverse of the information, priors (`prior_precisions`) included. Where a regression
    on `joint_motion` was fitted on the same rows, each block's errors are replaced by its leave-one-out errors.
    """
    if joint_motion is not None:
        whitened_residuals = _compute_leave_block_out_errors(whitened_residuals, weights, blocks, joint_motion)
    score = np.einsum("n,nrm,nr->nm", weights, whitened_derivatives, whitened_residuals)
    _, number = np.unique(blocks, return_inverse=True)
    count = int(number.max()) + 1
    sums = np.zeros((count, score.shape[1]))
    np.add.at(sums, number, score)
    between = sums.T @ sums * count / max(count - 1, 1)
    return Spread(
        inverse_information, inverse_information @ (between + np.diag(prior_precisions)) @ inverse_information, count
    )


def _compute_leave_block_out_errors(
    error: Matrix, weights: Matrix, blocks: NDArray[np.int64], joint_motion: Matrix
) -> Matrix:
    inverse = np.linalg.inv(
        (joint_motion * weights[:, None]).T @ joint_motion + RIDGE * len(joint_motion) * np.eye(joint_motion.shape[1])
    )
    out = np.empty_like(error)
    for block in np.unique(blocks):
        rows = np.flatnonzero(blocks == block)
        hat = joint_motion[rows] @ inverse @ (joint_motion[rows] * weights[rows, None]).T
        out[rows] = np.linalg.solve(np.eye(len(rows)) - hat, error[rows])
    return out

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


def spread_of(
    aims: NDArray[np.float64],
    error: Matrix,
    weights: Matrix,
    blocks: NDArray[np.int64],
    inverse: Matrix,
    pull: Matrix,
    moved: Matrix | None,
) -> Spread:
    """Return both covariances.

    `inverse` is the inverse of the information, priors (`pull`) included. Where a regression on `moved` was fitted on
    the same rows, each block's errors are replaced by its leave-one-out errors.
    """
    if moved is not None:
        error = _leave_block_out_errors(error, weights, blocks, moved)
    score = np.einsum("n,nrm,nr->nm", weights, aims, error)
    _, number = np.unique(blocks, return_inverse=True)
    count = int(number.max()) + 1
    sums = np.zeros((count, score.shape[1]))
    np.add.at(sums, number, score)
    between = sums.T @ sums * count / max(count - 1, 1)
    return Spread(inverse, inverse @ (between + np.diag(pull)) @ inverse, count)


def _leave_block_out_errors(error: Matrix, weights: Matrix, blocks: NDArray[np.int64], moved: Matrix) -> Matrix:
    inverse = np.linalg.inv((moved * weights[:, None]).T @ moved + RIDGE * len(moved) * np.eye(moved.shape[1]))
    out = np.empty_like(error)
    for block in np.unique(blocks):
        rows = np.flatnonzero(blocks == block)
        hat = moved[rows] @ inverse @ (moved[rows] * weights[rows, None]).T
        out[rows] = np.linalg.solve(np.eye(len(rows)) - hat, error[rows])
    return out

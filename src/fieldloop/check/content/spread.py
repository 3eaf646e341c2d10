"""How well shifts of time are known: by rows that err independently, and by blocks of rows that err together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content.basis import Matrix
from fieldloop.check.content.profile import RIDGE


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Covariances of the shifts (s²): `plain` trusts rows to err independently, `robust` lets each block err as one."""

    plain: Matrix
    robust: Matrix
    blocks: int

    @property
    def inflation(self) -> float:
        """By how much the lag varies more than independent rows would let it: a ratio of variances."""
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

    `inverse` is that of the information, beliefs (`pull`) included. Where a regression on `moved` was fitted on these
    very rows, each block's errors are replaced by those it would have, had the regression been fitted without it.
    """
    if moved is not None:
        error = _unseen(error, weights, blocks, moved)
    score = np.einsum("n,nrm,nr->nm", weights, aims, error)
    _, number = np.unique(blocks, return_inverse=True)
    count = int(number.max()) + 1
    sums = np.zeros((count, score.shape[1]))
    np.add.at(sums, number, score)
    between = sums.T @ sums * count / max(count - 1, 1)
    return Spread(inverse, inverse @ (between + np.diag(pull)) @ inverse, count)


def _unseen(error: Matrix, weights: Matrix, blocks: NDArray[np.int64], moved: Matrix) -> Matrix:
    inverse = np.linalg.inv((moved * weights[:, None]).T @ moved + RIDGE * len(moved) * np.eye(moved.shape[1]))
    out = np.empty_like(error)
    for block in np.unique(blocks):
        own = np.flatnonzero(blocks == block)
        hat = moved[own] @ inverse @ (moved[own] * weights[own, None]).T
        out[own] = np.linalg.solve(np.eye(len(own)) - hat, error[own])
    return out

"""Influence: how much would a loss change if some rows had not been learnt from?

Exactly, for predictions that are linear in the targets (ridge regression, Gaussian processes of fixed kernel), and to
first order, from gradients, for anything else that is differentiable (Koh and Liang 2017).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def predict_without_each_row(inverse: Floats, coefficients: Floats, kernel: Floats) -> Floats:
    """Return the predictions (new × learnt) when each learnt row is left out in turn, without learning again.

    `inverse` is that of the learnt rows' kernel with noise, `coefficients` its product with the targets, and `kernel`
    lies between new rows and learnt rows. The result is exact as long as the kernel stays as it is.
    """
    lost = coefficients / np.diag(inverse)
    return np.asarray((kernel @ coefficients)[:, None] - (kernel @ inverse) * lost)


def estimate_loss_change(learnt: Floats, judged: Floats, damping: float) -> Floats:
    """Return to first order how much each judged loss rises when each learnt row is left out (learnt × judged).

    Both are tables of gradients of the loss at the learnt weights, a row each. The curvature is that of the learnt
    gradients (empirical Fisher) plus `damping` times its mean over weights; it is solved in the space of rows, so
    that the number of weights may be large.
    """
    overlap = learnt @ learnt.T
    ridge = damping * max(float(np.trace(overlap)) / len(overlap), np.finfo(float).tiny)
    # (GᵀG + r)⁻¹ Gᵀ = Gᵀ (GGᵀ + r)⁻¹
    solved = np.linalg.solve(overlap + ridge * np.eye(len(overlap)), learnt @ judged.T)
    return np.asarray(solved)

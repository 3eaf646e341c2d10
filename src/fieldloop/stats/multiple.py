"""Multiple testing: p-values adjusted for the number of tests."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput


def adjust_by_benjamini_hochberg(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Return adjusted p-values: rejecting all at or below q keeps the false discovery rate at or below q.

    >>> adjust_by_benjamini_hochberg([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _check_p_values(p_values)
    order = np.argsort(p)[::-1]
    scaled = p[order] * len(p) / np.arange(len(p), 0, -1)
    return _restore_order(np.minimum.accumulate(scaled), order)


def adjust_by_holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Return adjusted p-values: rejecting all at or below alpha keeps the family-wise error rate at or below alpha.

    >>> adjust_by_holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _check_p_values(p_values)
    order = np.argsort(p)
    scaled = p[order] * np.arange(len(p), 0, -1)
    return _restore_order(np.maximum.accumulate(scaled), order)


def _check_p_values(p_values: Sequence[float]) -> NDArray[np.float64]:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0.0) & (p <= 1.0)):
        raise BadInput("p-values are a list of numbers between 0 and 1.")
    return p


def _restore_order(ordered: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    adjusted = np.empty(len(ordered))
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted

"""Ranks, without the weight of a library of statistics."""

import numpy as np

from fieldloop.diagnose.table import Floats


def ranks(values: Floats) -> Floats:
    """Ranks from 1, those of equal values averaged.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2.0)[where.ravel()])

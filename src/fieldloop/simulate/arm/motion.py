"""Minimum-jerk motion between two states."""

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.geometry.transforms import Floats


def compute_move_progress(times_s: ArrayLike, start_s: float, end_s: float) -> Floats:
    """Return how far along a minimum-jerk move is, 0 to 1 (Flash and Hogan 1985); still outside its span.

    >>> compute_move_progress([-1.0, 0.0, 0.5, 1.0, 2.0], 0.0, 1.0)
    array([0. , 0. , 0.5, 1. , 1. ])
    """
    share = np.clip((np.asarray(times_s, dtype=float) - start_s) / max(end_s - start_s, 1e-9), 0.0, 1.0)
    return np.asarray(share**3 * (10 + share * (6 * share - 15)))

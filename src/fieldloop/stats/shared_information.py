"""Mutual information of two tables of numbers by nearest neighbours (Kraskov et al. 2004, eq. 8)."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

Floats = NDArray[np.float64]


def estimate_information_by_row(first: Floats, second: Floats, neighbours: int) -> Floats:
    """Return each row's share of the mutual information, in nats; the mean over rows is the estimate.

    Rows that are equal in a whole table have distance 0; add a little noise where values repeat.
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    if first.ndim != 2 or second.ndim != 2 or len(first) != len(second):  # noqa: PLR2004 - tables
        raise BadInput(f"Tables of {first.shape} and {second.shape} need two dimensions and the same number of rows.")
    count = len(first)
    if not 0 < neighbours < count:
        raise BadInput(f"{neighbours} neighbours of each row need more than {neighbours} rows; there are {count}.")
    away, _ = cKDTree(np.hstack([first, second])).query(np.hstack([first, second]), k=neighbours + 1, p=np.inf)
    radius = np.nextafter(away[:, -1], 0)  # strictly nearer than the neighbour
    near = [cKDTree(part).query_ball_point(part, radius, p=np.inf, return_length=True) for part in (first, second)]
    shares = digamma(neighbours) + digamma(count) - digamma(np.maximum(near[0], 1)) - digamma(np.maximum(near[1], 1))
    return np.asarray(shares, dtype=np.float64)

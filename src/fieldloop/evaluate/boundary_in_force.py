"""The boundary and the margin of a comparison: from the computed ones, or computed now if that takes seconds."""

import math
from functools import cache

from fieldloop.errors import BadInput
from fieldloop.protocol.boundaries import read_boundaries
from fieldloop.stats.sequential import Boundary, Margin, Scenes, calibrate_boundary

COMPUTED_AT_ONCE = 200
"""Up to this many pairs a boundary takes seconds."""


@cache
def find_boundary(scenes: Scenes, max_pairs: int, alpha: float) -> Boundary:
    """Return the boundary of at most so many pairs whose verdicts each err with at most alpha."""
    computed = read_boundaries()
    for row in computed.rows:
        if row.scenes == scenes and row.max_pairs == max_pairs and math.isclose(row.alpha, alpha, rel_tol=1e-9):
            return Boundary(scenes, max_pairs, row.shape, row.at, row.heights)
    if not 1 < max_pairs <= COMPUTED_AT_ONCE:
        known = sorted({row.max_pairs for row in computed.rows})
        raise BadInput(
            f"gate.compare_max_pairs = {max_pairs} has no boundary at this confidence. Set one of {known} with a "
            f"confidence of 0.95, or any number from 2 to {COMPUTED_AT_ONCE}."
        )
    return calibrate_boundary(scenes, max_pairs, computed.shape, alpha, computed.at[scenes])


def find_margin(scenes: Scenes) -> Margin:
    """Return by how much the interval of the difference is wider than the boundary."""
    return Margin(*read_boundaries().margins[scenes])

"""Sequential tests of two success rates, valid at every look, with exact operating characteristics.

Attempts come in pairs, one of each version. After t of at most n pairs the test is a walk: d is how many more pairs the
candidate won, s is what the variance depends on. Unpaired: s counts the successes of both arms. Paired scenes: s counts
the pairs with different results, so whatever makes scenes easy or hard for both cancels.
A boundary ends the walk where |d| ≥ C(q)·(t/n)^(shape − ½)·√V, with the estimates q and V from s and t (a group-
sequential test by Wang and Tsiatis 1987; C depends on q, as the score test alone is not exact in small samples).

Given s, the walk does not depend on the unknown rate if both arms have the same one. So one forward recursion over
(s, d) gives the size as a polynomial of that rate: no simulation, no grid in the recursion. `bound_size` bounds it for
every rate, also between grid points.
"""

from fieldloop.stats.sequential.boundary import Boundary, Scenes
from fieldloop.stats.sequential.calibrate import calibrate_boundary
from fieldloop.stats.sequential.chances import (
    Operating,
    compute_operating_characteristics,
    pair_with_correlation,
)
from fieldloop.stats.sequential.futility import Futility
from fieldloop.stats.sequential.interval import Margin, compute_interval, compute_miss_chances
from fieldloop.stats.sequential.size import bound_size, compute_sizes
from fieldloop.stats.sequential.walk import Pair

__all__ = [
    "Boundary",
    "Futility",
    "Margin",
    "Operating",
    "Pair",
    "Scenes",
    "bound_size",
    "calibrate_boundary",
    "compute_interval",
    "compute_miss_chances",
    "compute_operating_characteristics",
    "compute_sizes",
    "pair_with_correlation",
]

"""When to stop waiting: the chance of an answer has become small. Going on nevertheless does not change the size."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.stats.sequential.boundary import Boundary, Ints
from fieldloop.stats.sequential.interval import Margin, compute_half_widths


@dataclass(frozen=True, slots=True)
class Futility:
    """Stop where a true difference of `worth` is refuted, or would hardly be found with the pairs that are left.

    It is refuted where the interval with this `margin` excludes it; it would hardly be found where it would reach the
    last boundary with a chance below `least_chance`. `direction` is 1 for 'is the candidate better', −1 for 'is it
    worse'. It is not binding: the size of the boundary is computed without it, and holds if the operator goes on.
    """

    worth: float
    least_chance: float
    margin: Margin
    direction: int = 1

    def find_futile(self, boundary: Boundary, pairs: int, s: Ints, d: Ints) -> NDArray[np.bool_]:
        """Return where waiting is futile after so many pairs."""
        if pairs >= boundary.max_pairs:
            return np.ones(np.broadcast_shapes(s.shape, d.shape), dtype=bool)
        width = compute_half_widths(boundary, self.margin, pairs, s, np.array(self.worth))
        refuted = self.worth * pairs - self.direction * d > width
        return np.asarray(refuted | self._find_hopeless(boundary, pairs, s, d))

    def _find_hopeless(self, boundary: Boundary, pairs: int, s: Ints, d: Ints) -> NDArray[np.bool_]:
        """Return where the difference would hardly be found (stochastic curtailment)."""
        from scipy.special import ndtri

        left = 1 - pairs / boundary.max_pairs
        least = self.worth if boundary.steps == 1 else 0.0  # a gain needs pairs with different results
        deviation = np.sqrt(np.maximum(boundary.estimate_variance(pairs, s), least))
        height = boundary.interpolate_heights(boundary.estimate_rate(pairs, s))
        lead = self.direction * d / (deviation * math.sqrt(boundary.max_pairs))
        drift = self.worth * math.sqrt(boundary.max_pairs) / deviation * left
        return np.asarray((lead + drift - height) / math.sqrt(left) < ndtri(self.least_chance))

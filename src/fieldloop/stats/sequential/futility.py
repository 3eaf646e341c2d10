"""When to stop waiting: the chance of an answer has become small. Going on nevertheless does not change the size."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.stats.sequential.boundary import Boundary, Ints


@dataclass(frozen=True, slots=True)
class Futility:
    """Stop where a true difference of `worth` would reach the last boundary with a chance below `least_chance`.

    `direction` is 1 for 'is the candidate better', −1 for 'is it worse'. It is not binding: the size of the boundary
    is computed without it, so it also holds if the operator goes on.
    """

    worth: float
    least_chance: float
    direction: int = 1

    def find_futile(self, boundary: Boundary, pairs: int, s: Ints, d: Ints) -> NDArray[np.bool_]:
        """Return where waiting is futile after so many pairs."""
        from scipy.special import ndtri

        left = 1 - pairs / boundary.max_pairs
        if left <= 0:
            return np.ones(np.broadcast_shapes(s.shape, d.shape), dtype=bool)
        least = np.full(s.shape, self.worth) if boundary.steps == 1 else 0.0  # a gain needs different results
        deviation = np.sqrt(np.maximum(boundary.estimate_variance(pairs, s), least))
        height = boundary.interpolate_heights(boundary.estimate_rate(pairs, s))
        lead = self.direction * d / (deviation * math.sqrt(boundary.max_pairs))
        drift = self.worth * math.sqrt(boundary.max_pairs) / deviation * left
        return np.asarray((lead + drift - height) / math.sqrt(left) < ndtri(self.least_chance))

"""The boundary of a sequential test: by how many pairs an arm must lead after t pairs to end it."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDING = 1e-9
"""A lead that reaches the boundary up to this rounding error ends the test."""


class Scenes(StrEnum):
    """Whether the two attempts of a pair share a scene."""

    UNPAIRED = "unpaired"
    PAIRED = "paired"


@dataclass(frozen=True, slots=True)
class Boundary:
    """A test of at most `max_pairs` pairs: its shape, and the heights C at some values of q, linear between them.

    q is the pooled success rate or failure rate, whichever is smaller; with paired scenes it is the share of pairs
    with different results.
    """

    scenes: Scenes
    max_pairs: int
    shape: float
    at: tuple[float, ...]
    heights: tuple[float, ...]

    @property
    def steps(self) -> int:
        """By how much s can grow with a pair."""
        return 2 if self.scenes is Scenes.UNPAIRED else 1

    def estimate_variance(self, pairs: int, s: Ints) -> Floats:
        """Return the estimated variance of one pair's difference, with half a pair added so that none is zero."""
        rate = self.estimate_rate(pairs, s)
        return np.asarray(2 * rate * (1 - rate)) if self.scenes is Scenes.UNPAIRED else rate

    def estimate_rate(self, pairs: int, s: Ints) -> Floats:
        """Return the pooled rate, or the share of different results, with half a pair added."""
        return np.asarray((s + self.steps / 2) / (self.steps * (pairs + 1)))

    def interpolate_heights(self, rate: Floats) -> Floats:
        """Return C at these rates."""
        q = np.minimum(rate, 1 - rate) if self.scenes is Scenes.UNPAIRED else rate
        return np.interp(q, self.at, self.heights)

    def compute_reach(self, pairs: int) -> float:
        """Return (t/n)^(shape − ½): how much higher the boundary is than after the last pair."""
        return float((pairs / self.max_pairs) ** (self.shape - 0.5))

    def compute_leads(self, pairs: int) -> Ints:
        """Return the smallest lead that ends the test after this many pairs, for every s from 0 on."""
        s = np.arange(self.steps * pairs + 1)
        height = self.interpolate_heights(self.estimate_rate(pairs, s)) * self.compute_reach(pairs)
        lead = height * np.sqrt(pairs * self.estimate_variance(pairs, s))
        return np.maximum(1, np.ceil(lead - ROUNDING)).astype(np.int64)

    def list_leads(self) -> tuple[Ints, ...]:
        """Return the leads after 1, 2, … pairs."""
        return _list_leads(self)

    def compute_widest_lead(self) -> int:
        """Return the largest lead at which the test goes on, plus one: beyond it no walk needs a place."""
        widest = 1
        for pairs, leads in enumerate(self.list_leads(), start=1):
            s = np.arange(len(leads))
            possible = np.minimum(np.minimum(s, self.steps * pairs - s) if self.steps > 1 else s, pairs)
            widest = max(widest, int(np.minimum(leads, possible + 1).max()))
        return widest + 1


@cache
def _list_leads(boundary: Boundary) -> tuple[Ints, ...]:
    return tuple(boundary.compute_leads(pairs) for pairs in range(1, boundary.max_pairs + 1))

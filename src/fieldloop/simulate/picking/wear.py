"""What a gripper's cycles do to it: pads lose friction, the drive gains backlash. Nothing else."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking.sites import PLACES, ROBOTS_PER_SITE

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

SERVICE_CYCLES = 50_000
CYCLES_PER_WEEK = 1_500.0
NEWEST, OLDEST = 1_000.0, 9_000.0


def fleet(rng: np.random.Generator) -> Floats:
    """Draw how many cycles each robot of each site has behind it in week 0."""
    return rng.uniform(NEWEST, OLDEST, (len(PLACES), ROBOTS_PER_SITE))


def pad_friction(cycles: Floats) -> Floats:
    """How much of a new pad's friction is left.

    >>> [round(float(k), 2) for k in pad_friction(np.array([0.0, 50_000.0]))]
    [1.0, 0.7]
    """
    return np.clip(1 - 0.30 * cycles / SERVICE_CYCLES, 0.4, 1.0)


def backlash_m(cycles: Floats) -> Floats:
    """How far the jaws may be from where the encoder says."""
    return np.asarray(0.0003 + 0.0025 * cycles / SERVICE_CYCLES)

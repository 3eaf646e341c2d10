"""Wear of a gripper by its cycles: pads lose friction and the drive gains backlash, nothing else."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking.sites import PLACES, ROBOTS_PER_SITE

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

SERVICE_CYCLES = 50_000
CYCLES_PER_WEEK = 1_500.0
NEWEST, OLDEST = 1_000.0, 9_000.0


def draw_fleet_cycles(rng: np.random.Generator) -> Floats:
    """Draw how many cycles each robot of each site has behind it in week 0."""
    return rng.uniform(NEWEST, OLDEST, (len(PLACES), ROBOTS_PER_SITE))


def compute_pad_friction(cycles: Floats) -> Floats:
    """Return the share of a new pad's friction that is left.

    >>> [round(float(k), 2) for k in compute_pad_friction(np.array([0.0, 50_000.0]))]
    [1.0, 0.7]
    """
    return np.clip(1 - 0.30 * cycles / SERVICE_CYCLES, 0.4, 1.0)


def compute_backlash_m(cycles: Floats) -> Floats:
    """Return how far the jaws may be from their encoder position."""
    return np.asarray(0.0003 + 0.0025 * cycles / SERVICE_CYCLES)

"""What differs between sites besides what is picked there: camera mounts, shelves, walls, air, people, robots."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

ROBOTS_PER_SITE = 3


@dataclass(frozen=True, slots=True)
class Place:
    """One site: its wrist cameras' mounts (radians, and apparent size), shelves (m), walls and air."""

    pitch_x: float
    pitch_y: float
    camera_yaw: float
    camera_scale: float
    shelf_m: tuple[float, float]
    wall_share: float
    temperature_c: tuple[float, float]
    humidity: tuple[float, float]


PLACES = (
    Place(0.000, 0.000, 0.00, 1.00, (0.08, 0.16), 0.15, (6, 28), (0.35, 0.65)),
    Place(0.011, -0.008, 0.04, 1.03, (0.10, 0.21), 0.30, (4, 30), (0.50, 0.90)),
    Place(-0.009, -0.011, -0.05, 0.97, (0.04, 0.12), 0.25, (1, 6), (0.60, 0.85)),
    Place(0.013, 0.008, 0.06, 1.05, (0.13, 0.23), 0.35, (10, 36), (0.30, 0.60)),
    Place(-0.024, 0.024, 0.09, 0.93, (0.05, 0.28), 0.30, (5, 30), (0.40, 0.80)),
    Place(0.010, 0.030, -0.10, 1.00, (0.05, 0.28), 0.30, (5, 30), (0.40, 0.80)),
)


def get_property_of_sites(name: str, site: Ints) -> Floats:
    """Return one number of each site named by code."""
    return np.array([getattr(place, name) for place in PLACES], dtype=float)[site]


def draw_between(name: str, site: Ints, rng: np.random.Generator) -> Floats:
    """Draw from the range that each site has."""
    ends = get_property_of_sites(name, site)
    return rng.uniform(ends[:, 0], ends[:, 1])


def compute_cold_friction(temperature_c: Floats) -> Floats:
    """How much of its friction at room temperature a pad keeps: rubber hardens in the cold.

    >>> [round(float(k), 3) for k in compute_cold_friction(np.array([21.0, 3.0]))]
    [1.0, 0.604]
    """
    return np.clip(1 + 0.022 * (temperature_c - 21), 0.5, 1.05)


def compute_damp_friction(humidity: Floats) -> Floats:
    """How much friction is left on a damp surface.

    >>> float(compute_damp_friction(np.array(0.5)))
    1.0
    """
    return np.asarray(1 - 0.5 * np.clip(humidity - 0.65, 0, None))

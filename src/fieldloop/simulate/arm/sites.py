"""Sites: what differs from one facility to the next in mounts, bins, air and colours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.simulate.arm.boxes import Colour

LAB = "lab"


@dataclass(frozen=True, slots=True)
class Facility:
    """One site. Mount errors are against the drawing: shift in m, turn in degrees (x, y, z)."""

    id: str
    mount_shift_m: tuple[float, float, float]
    mount_turn_deg: tuple[float, float, float]
    bin_floor_m: float
    bin_rim_m: float
    friction_factor: float
    temperature_c: tuple[float, float]
    humidity_percent: tuple[float, float]
    surface: str
    bin_colour: Colour
    bench_colour: Colour
    gap_m: tuple[float, float]
    """Free room between the item and its neighbours."""


FACILITIES: Mapping[str, Facility] = {
    site.id: site
    for site in (
        Facility(
            id=LAB,
            mount_shift_m=(0.0, 0.0, 0.0),
            mount_turn_deg=(0.0, 0.0, 0.0),
            bin_floor_m=0.10,
            bin_rim_m=0.22,
            friction_factor=1.0,
            temperature_c=(20.0, 23.0),
            humidity_percent=(40.0, 50.0),
            surface="laboratory bench",
            bin_colour=(0.62, 0.63, 0.65),
            bench_colour=(0.80, 0.80, 0.78),
            gap_m=(0.040, 0.070),
        ),
        Facility(
            id="leipzig",
            mount_shift_m=(0.0025, -0.003, 0.0),
            mount_turn_deg=(0.12, 0.08, 0.9),
            bin_floor_m=0.091,
            bin_rim_m=0.22,
            friction_factor=0.96,
            temperature_c=(14.0, 24.0),
            humidity_percent=(35.0, 55.0),
            surface="sealed concrete",
            bin_colour=(0.47, 0.52, 0.58),
            bench_colour=(0.60, 0.60, 0.60),
            gap_m=(0.036, 0.060),
        ),
        Facility(
            id="gdansk",
            mount_shift_m=(-0.003, 0.004, 0.0),
            mount_turn_deg=(-0.2, 0.15, -1.4),
            bin_floor_m=0.09,
            bin_rim_m=0.23,
            friction_factor=0.84,
            temperature_c=(2.0, 7.0),
            humidity_percent=(60.0, 85.0),
            surface="epoxy",
            bin_colour=(0.50, 0.44, 0.40),
            bench_colour=(0.66, 0.70, 0.68),
            gap_m=(0.034, 0.056),
        ),
    )
}


def get_facility(name: str) -> Facility:
    """Return a site by name."""
    if name not in FACILITIES:
        raise UnknownName("site of the simulated floor", name, FACILITIES)
    return FACILITIES[name]


def draw_mount_errors(site: Facility, rng: np.random.Generator) -> Facility:
    """Return the site as it was built: no two floors have the same mount errors.

    The laboratory was built to the drawing; elsewhere each error is up to a fifth more or less than planned.
    """
    if site.id == LAB:
        return site
    scale = rng.uniform(0.8, 1.2, 7)
    shift, turn = site.mount_shift_m * scale[:3], site.mount_turn_deg * scale[3:6]
    friction = site.friction_factor * (1 + 0.1 * (float(scale[6]) - 1))
    return replace(
        site,
        mount_shift_m=(float(shift[0]), float(shift[1]), float(shift[2])),
        mount_turn_deg=(float(turn[0]), float(turn[1]), float(turn[2])),
        friction_factor=friction,
    )

"""Calibration markers: what the overhead camera sees of points whose places in the base frame are known."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.rig import Rig, base_from_overhead
from fieldloop.simulate.sites import Facility

CORNER_PX = 0.06
"""How well a corner is found in one picture of the camera's calibration mode, in pixels of the small picture."""
DEPTH_M = 0.0015
EXPOSURES = 16
"""Pictures averaged: nothing moves while markers are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkerViews:
    """The same points in the base frame (known) and in the camera's (seen), n × 3 each."""

    robot: str
    sensor: str
    points_base: Floats
    points_camera: Floats


def look(site: Facility, rig: Rig, rng: np.random.Generator, count: int = 20) -> MarkerViews:
    """Look at `count` markers that the arm holds up over the bench, each at a known place."""
    camera = rig.overhead
    known = rng.uniform([0.30, -0.30, 0.02], [0.66, 0.24, 0.40], (count, 3))
    true = tf.apply(tf.invert(base_from_overhead(site)), known)
    pixels = camera.project(true)[:, None] + rng.normal(0, CORNER_PX, (count, EXPOSURES, 2))
    depths = true[:, None, 2] + rng.normal(0, DEPTH_M, (count, EXPOSURES)) * true[:, None, 2] ** 2
    seen = camera.back_project(pixels, depths).mean(axis=1)
    return MarkerViews(f"arm-{site.id}-1", f"camera-overhead-{site.id}-1", known, seen)

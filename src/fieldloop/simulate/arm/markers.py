"""Calibration markers: what the overhead camera sees of points whose places in the base frame are known."""

from dataclasses import dataclass, replace

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.rig import Rig, get_base_from_overhead, get_tool_from_wrist
from fieldloop.simulate.arm.sites import Facility

CORNER_PX = 0.06
"""How well a corner is found in one picture of the camera's calibration mode, in pixels of the small picture."""
DEPTH_M = 0.0015
EXPOSURES = 16
"""Pictures averaged: nothing moves while markers are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkerViews:
    """The same points in a known frame (the base, or the tool that carries the camera) and in the camera's, n × 3."""

    robot: str
    sensor: str
    points_base: Floats
    points_camera: Floats
    parent: str = "base"


def take_marker_views(site: Facility, rig: Rig, rng: np.random.Generator, count: int = 20) -> MarkerViews:
    """Look at `count` markers that the arm holds up over the bench, each at a known place."""
    known = rng.uniform([0.30, -0.30, 0.02], [0.66, 0.24, 0.40], (count, 3))
    seen = _observe_points(
        rig.overhead, tf.transform_points(tf.invert_transform(get_base_from_overhead(site)), known), rng
    )
    return MarkerViews(f"arm-{site.id}-1", "camera/overhead", known, seen)


def take_views_with_all_cameras(
    site: Facility, rig: Rig, rng: np.random.Generator, count: int = 20
) -> tuple[MarkerViews, ...]:
    """Look at markers with every camera of a station; the wrist camera is known against the tool that carries it."""
    overhead = take_marker_views(site, rig, rng, count)
    depth = replace(take_marker_views(site, rig, rng, count), sensor="depth/overhead")
    true = rng.uniform([-0.06, -0.05, 0.16], [0.06, 0.05, 0.34], (count, 3))
    known = tf.transform_points(get_tool_from_wrist(), true)
    seen = _observe_points(rig.wrist, true, rng)
    return overhead, depth, MarkerViews(f"arm-{site.id}-1", "camera/wrist", known, seen, parent="tool")


def _observe_points(camera: Pinhole, true_points: Floats, rng: np.random.Generator) -> Floats:
    """Return points as a camera and its depth see them, averaged over several exposures."""
    pixels = camera.project(true_points)[:, None] + rng.normal(0, CORNER_PX, (len(true_points), EXPOSURES, 2))
    depths = (
        true_points[:, None, 2] + rng.normal(0, DEPTH_M, (len(true_points), EXPOSURES)) * true_points[:, None, 2] ** 2
    )
    return np.asarray(camera.back_project(pixels, depths).mean(axis=1))

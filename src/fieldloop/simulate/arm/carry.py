"""Carrying: how long a hold carries the load, where a held item is, and where it comes to rest when let go."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.controller import STEP_S, Path
from fieldloop.simulate.arm.grip import Grip
from fieldloop.simulate.arm.scene import BIN_CENTRE, BIN_SIZE, TOTE_CENTRE, TOTE_FLOOR_M, TOTE_SIZE, Item, Scene

GRAVITY = 9.81

Rest = tuple[float, float, float, float]
"""Where an item lies: x, y, height of its bottom, yaw."""


def find_slip_time(item: Item, path: Path, grip: Grip) -> float | None:
    """When does the load first exceed what friction can hold? Weight and inertia pull; off-centre weight turns it."""
    begin, end = path.find_step_index(path.phases["lift"][0]), path.find_step_index(path.phases["release"][0])
    pull = np.gradient(np.gradient(path.xyz, STEP_S, axis=0), STEP_S, axis=0)[begin:end] + np.array([0, 0, GRAVITY])
    load = item.mass_kg * np.linalg.norm(pull, axis=1) / max(grip.bears_n, 1e-9)
    twist = item.mass_kg * np.abs(pull[:, 2]) * abs(grip.along_m) / max(grip.bears_nm, 1e-9)
    over = np.flatnonzero(load**2 + twist**2 > 1.0)  # the limit surface of a soft finger is close to an ellipse
    return float(path.times_s[begin + over[0]]) if len(over) else None


def locate_held_item(path: Path, grip: Grip, steps: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return centres and yaws of a held item: the jaws have centred it between them."""
    yaw = path.yaw_rad[steps]
    along = np.stack([np.cos(yaw), np.sin(yaw)], axis=-1) * grip.along_m
    return path.xyz[steps, :2] + along, yaw + grip.turn_rad


def compute_item_bottom(item: Item, path: Path, at_s: float) -> float:
    """Return how high the bottom of a held item is."""
    return float(item.bottom + path.xyz[path.find_step_index(at_s), 2] - path.grasp.z)


def find_resting_place(scene: Scene, path: Path, grip: Grip, at_s: float) -> Rest:
    """Return where an item comes to rest that is let go at a time: on the surface below it."""
    centres, yaws = locate_held_item(path, grip, np.array([path.find_step_index(at_s)]))
    x, y = float(centres[0, 0]), float(centres[0, 1])
    floor = 0.0
    if _is_above_rectangle(x, y, BIN_CENTRE, BIN_SIZE):
        floor = scene.site.bin_floor_m
    elif _is_above_rectangle(x, y, TOTE_CENTRE, TOTE_SIZE):
        floor = TOTE_FLOOR_M
    return x, y, floor, float(yaws[0])


def is_in_tote(item: Item, resting_place: Rest) -> bool:
    """Does the whole footprint lie inside the tote's walls?"""
    x, y, _, yaw = resting_place
    cosine, sine = abs(np.cos(yaw)), abs(np.sin(yaw))
    long = item.length * cosine + item.width * sine
    wide = item.length * sine + item.width * cosine
    return _is_above_rectangle(x, y, TOTE_CENTRE, (TOTE_SIZE[0] - long, TOTE_SIZE[1] - wide))


def _is_above_rectangle(x: float, y: float, centre: tuple[float, float], size: tuple[float, float]) -> bool:
    return bool(abs(x - centre[0]) <= size[0] / 2 and abs(y - centre[1]) <= size[1] / 2)

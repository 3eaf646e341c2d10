"""The result of a grasp by deterministic rules: collision, contact, crushing, slipping, turning, falling."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking.catalogue import GRAVITY
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.shapes import compute_distance_outside, compute_half_extent, turn_points

ENDS = (
    "succeeded", "hit_neighbour", "hit_item", "hit_floor", "missed", "crushed", "slipped", "turned_in_hand", "dropped",
)  # fmt: skip
STEP_OF_END = (4, 0, 0, 0, 1, 1, 2, 2, 3)
"""Step of STEPS in which an attempt with each result stopped; 4: none."""
STEPS = ("approach", "grasp", "lift", "place")
FINGER_M, FINGER_HALF_M = 0.006, 0.010
"""Thickness of a finger, and half its width."""
WIDEST_M = 0.14
CLEARANCE_M = 0.003
"""A finger slides past what stands no higher than this above its tip."""
FLAT_ENOUGH = 0.8
"""Jaws hold only where the surface faces them: this share of the half extent across."""


@dataclass(frozen=True, slots=True, eq=False)
class Grasp:
    """Pose of the tool when it closes, and its commands: metres, radians, newtons, m/s²."""

    x: Floats
    y: Floats
    yaw: Floats
    depth: Floats
    width: Floats
    force: Floats
    acceleration: Floats
    release: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """How each attempt ended (a row of ENDS), and how far each step ended from where it should: n × STEPS, metres."""

    end: Ints
    deviation: Floats


def find_blocked_grasps(
    scenes: Scenes, x: Floats, y: Floats, yaw: Floats, width: Floats, fingertip_height: Floats, margin: float = 0.0
) -> Bools:
    """Would a finger run into a neighbour or a wall?"""
    along = np.tile(np.repeat([0.15, 0.5, 0.85], 3), 2) * FINGER_M
    side = np.repeat([1.0, -1.0], 9)
    across = np.tile([-0.85, 0.0, 0.85], 6) * FINGER_HALF_M
    u = side * (width[:, None] / 2 + margin + along)
    px, py = turn_points(u, np.broadcast_to(across * (1 + 30 * margin), u.shape), yaw[:, None])
    px, py = px + x[:, None], py + y[:, None]
    high = fingertip_height[:, None] + CLEARANCE_M
    wall = px * np.cos(scenes.wall_angle)[:, None] + py * np.sin(scenes.wall_angle)[:, None]
    hit = (wall > scenes.wall_distance[:, None] + 0.001).any(axis=1)
    for k in range(scenes.other_x.shape[1]):
        rows = np.flatnonzero(scenes.other_top[:, k] > high[:, 0])
        other = [
            part[rows, k, None]
            for part in (
                scenes.other_x, scenes.other_y, scenes.other_yaw, scenes.other_long, scenes.other_short,
            )
        ]  # fmt: skip
        du, dv = turn_points(px[rows] - other[0], py[rows] - other[1], -other[2])
        inside = (np.abs(du) < other[3] - 0.0025) & (np.abs(dv) < other[4] - 0.0025)
        hit[rows] |= inside.any(axis=1)
    return np.asarray(hit)


def judge_grasps(scenes: Scenes, grasp: Grasp) -> Verdicts:
    """Follow a grasp through its steps; the first rule it breaks ends it."""
    closing_x, closing_y = np.cos(grasp.yaw), np.sin(grasp.yaw)
    miss_x, miss_y = grasp.x - scenes.x, grasp.y - scenes.y
    off = miss_x * closing_x + miss_y * closing_y
    turn = grasp.yaw - scenes.yaw
    extent = compute_half_extent(turn, scenes.long, scenes.short, scenes.radius)
    # closing centres the article between the jaws; what is left is the offset along the jaws
    held_x, held_y = miss_x - off * closing_x, miss_y - off * closing_y
    u, v = turn_points(held_x, held_y, -scenes.yaw)
    tip = scenes.top - grasp.depth
    shoulder = scenes.top - scenes.height * scenes.doming * 0.6 * np.clip(extent / scenes.long, 0, 1) ** 2
    shoulder = shoulder - compute_lean_height(scenes)
    overlap = shoulder - tip
    crooked = np.abs((turn + np.pi / 4) % (np.pi / 2) - np.pi / 4) * (1 - scenes.radius / scenes.short)
    grip = scenes.grip * np.cos(np.clip(1.3 * crooked, 0, 1.5))
    load = scenes.burden * scenes.mass * (GRAVITY + grasp.acceleration)
    hold = 2 * grip * grasp.force
    arm = np.abs(_compute_lever_arm(scenes, grasp, held_x, held_y))
    resist = hold * (0.009 + 0.35 * np.clip(overlap, 0, 0.02))
    let_go = grasp.release - scenes.shelf
    rules: tuple[Bools, ...] = (
        find_blocked_grasps(scenes, grasp.x, grasp.y, grasp.yaw, grasp.width, tip),
        np.abs(off) + extent > grasp.width / 2,
        tip < scenes.floor + 0.001,
        (compute_distance_outside(u, v, scenes.long, scenes.short, scenes.radius) > (FLAT_ENOUGH - 1) * scenes.short)
        | (overlap < np.minimum(0.007, 0.3 * scenes.height)),
        grasp.force * (1 + 80 * np.clip(0.009 - overlap, 0, 0.01)) > scenes.crush,
        hold < load,
        scenes.mass * GRAVITY * arm > resist,
        (let_go < 0) | (let_go > scenes.drop),
    )
    end = np.zeros(len(scenes), dtype=np.intp)
    for number, broken in enumerate(rules, start=1):
        end[(end == 0) & broken] = number
    creep = 0.004 * np.clip(1.5 - hold / load, 0, 1)
    deviation = np.column_stack(
        [np.abs(off), np.hypot(held_x, held_y), creep, np.hypot(let_go - scenes.drop / 2, creep)]
    )
    return Verdicts(end, deviation)


def compute_lean_height(scenes: Scenes) -> Floats:
    """Return how much lower the lower side of a tilted article is."""
    return np.asarray(0.4 * np.abs(scenes.tilt) * scenes.long)


def _compute_lever_arm(scenes: Scenes, grasp: Grasp, held_x: Floats, held_y: Floats) -> Floats:
    """Distance along the jaws between where the article is held and its centre of mass."""
    heavy = scenes.off_centre * scenes.long
    heavy_x, heavy_y = heavy * np.cos(scenes.yaw), heavy * np.sin(scenes.yaw)
    return np.asarray(-(held_x - heavy_x) * np.sin(grasp.yaw) + (held_y - heavy_y) * np.cos(grasp.yaw))


def get_step_reached(end: NDArray[np.intp]) -> Ints:
    """Return the number of the step in which each attempt stopped; len(STEPS) for one that went through."""
    return np.array(STEP_OF_END)[end]

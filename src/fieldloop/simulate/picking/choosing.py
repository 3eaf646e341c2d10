"""How a person decides: where to grasp an article, and which commands to send to the gripper and the lift."""

from dataclasses import dataclass

import numpy as np

from fieldloop.simulate.picking import operators, physics
from fieldloop.simulate.picking.catalogue import GRAVITY
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.shapes import fold_to_half_turn

ROUND = 0.7
"""An article whose corners are rounder than this share of its length is taken from any side."""
TOO_TIGHT = 100.0
"""Cost of a grasp that would collide, higher than any other."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The grasp a person decides on, and whether there was room for one."""

    x: Floats
    y: Floats
    yaw: Floats
    depth: Floats
    width: Floats
    has_room: Bools


def choose_grasps(scenes: Scenes, start_poses: Floats) -> Choice:
    """Choose a grasp: across the narrow side, over the centre of mass, wide and deep, unless something is in the way.

    `start_poses` is the yaw at which the tool comes in; what is as wide one way as the other is taken with less
    turning.
    """
    count = len(scenes)
    cost = np.full(count, np.inf)
    best = np.zeros((5, count))
    is_round = scenes.radius > ROUND * scenes.long
    for side, (extent, half) in enumerate(((scenes.short, scenes.long), (scenes.long, scenes.short))):
        jaws = scenes.yaw + side * np.pi / 2  # along the jaws; they close across it
        yaw = np.where(is_round, start_poses, jaws + np.pi / 2)
        turning = np.abs(fold_to_half_turn(yaw - start_poses))
        for tight, room in enumerate((0.017, 0.012, 0.008)):
            width = 2 * (extent + room)
            for aside in (0.0, 0.45, -0.45):
                along = (scenes.off_centre * (side == 0) + aside) * half
                x, y = scenes.x + along * np.cos(jaws), scenes.y + along * np.sin(jaws)
                for shallow, deep in enumerate((0.022, 0.013)):
                    depth = np.minimum(
                        deep + 0.5 * scenes.doming * scenes.height + physics.compute_lean_height(scenes),
                        scenes.height - 0.007,
                    )
                    tip = scenes.top - depth
                    bad = physics.find_blocked_grasps(scenes, x, y, yaw, width, tip, margin=0.0025)
                    bad |= (width > physics.WIDEST_M) | (tip < scenes.floor + 0.0025)
                    price = 10.0 * (extent / scenes.short - 1) + turning + tight + 1.5 * (aside != 0) + 0.7 * shallow
                    price = price + TOO_TIGHT * bad
                    better = price < cost
                    cost = np.where(better, price, cost)
                    best = np.where(better, np.stack([x, y, yaw, depth, width]), best)
    x, y, yaw, depth, width = best
    return Choice(x, y, yaw, depth, width, cost < TOO_TIGHT)


def draw_grasp_commands(scenes: Scenes, choice: Choice, person: Ints, rng: np.random.Generator) -> Floats:
    """Return a person's commands to gripper and lift: n × (depth, width, log force, acceleration, release)."""
    acceleration = operators.get_habit_of_people("acceleration", person) + rng.normal(0, 0.05, len(scenes))
    least = 1.08 * scenes.burden * scenes.mass * (GRAVITY + acceleration) / (2 * scenes.grip)
    window = np.log(np.maximum(scenes.crush / least, 1.02))
    force = np.log(least) + operators.get_habit_of_people("firmness", person) * window
    release = scenes.shelf + operators.get_habit_of_people("release", person) * scenes.drop
    clean = np.column_stack([choice.depth, choice.width, force, acceleration, release])
    return clean + rng.normal(0, 1, clean.shape) * np.array([0.0008, 0.0008, 0.03, 0.0, 0.001])

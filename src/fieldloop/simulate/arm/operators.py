"""Operators: pseudonymous people with habits, who see the item and grasp it by hand and eye."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fieldloop.errors import UnknownName
from fieldloop.simulate.arm import gripper
from fieldloop.simulate.arm.carry import GRAVITY
from fieldloop.simulate.arm.controller import Grasp, Style, clamp_grasp
from fieldloop.simulate.arm.scene import Item

LIFT_PULL = 4.5
"""Acceleration that a careful person allows for (m/s²)."""
FORCE_WINDOW_N = (6.0, 23.0)
"""What operators are trained to stay within."""
DEPTH_M = 0.030


@dataclass(frozen=True, slots=True)
class Habit:
    """How one operator works.

    `firmness` says where between slipping and crushing they press, `lapse` how often a hand goes wrong; the rest is as
    in `Style`, or standard deviations in metres and radians.
    """

    id: str
    tempo: float
    side_m: float
    firmness: float
    margin_m: float
    sloppy_m: float
    sloppy_rad: float
    lapse: float
    pause_s: float


OPERATORS: Mapping[str, Habit] = {
    habit.id: habit
    for habit in (
        Habit("op-amber", 1.00, 0.05, 0.20, 0.0110, 0.0015, 0.03, 0.02, 0.10),
        Habit("op-birch", 1.12, -0.05, 0.26, 0.0120, 0.0025, 0.05, 0.05, 0.00),
        Habit("op-cedar", 0.90, 0.06, 0.16, 0.0105, 0.0015, 0.03, 0.02, 0.20),
        Habit("op-delta", 1.05, -0.06, 0.24, 0.0110, 0.0020, 0.04, 0.04, 0.05),
        Habit("op-ember", 0.95, 0.00, 0.22, 0.0125, 0.0020, 0.04, 0.03, 0.10),
    )
}


def get_operator_habit(name: str) -> Habit:
    """Return an operator by pseudonym."""
    if name not in OPERATORS:
        raise UnknownName("operator", name, OPERATORS)
    return OPERATORS[name]


def choose_grasp_and_style(habit: Habit, item: Item, rng: np.random.Generator) -> tuple[Grasp, Style]:
    """Return an operator's grasp and style of motion, with occasional lapses."""
    dx, dy = rng.normal(0, habit.sloppy_m, 2)
    turn = rng.normal(0, habit.sloppy_rad)
    depth = min(DEPTH_M, item.height - 0.008) + rng.normal(0, 0.0015)
    margin = habit.margin_m + rng.normal(0, 0.0012)
    needed = item.mass_kg * (GRAVITY + LIFT_PULL) / (2 * item.friction)
    bearable = min(0.8 * item.crush_n, FORCE_WINDOW_N[1])
    force = needed + habit.firmness * max(bearable - needed, 0.0) * (1 + rng.normal(0, 0.06))
    wrong = rng.random()
    if wrong < habit.lapse:  # a lapse: past the item, or hardly gripping it
        if wrong < habit.lapse / 2:
            dx += rng.choice([-1, 1]) * rng.uniform(0.05, 0.08)
        else:
            force = 0.35 * needed
    else:
        force = float(np.clip(force, *FORCE_WINDOW_N))
    grasp = Grasp(
        x=float(item.x + dx),
        y=float(item.y + dy),
        z=float(item.top - depth),
        yaw_rad=float(item.yaw_rad + turn),
        width_m=float(min(item.width + 2 * margin, gripper.MAX_OPENING_M)),
        force_n=float(force),
    )
    style = Style(
        tempo=float(habit.tempo * (1 + rng.normal(0, 0.03))),
        side_m=float(habit.side_m * (1 + rng.normal(0, 0.1))),
        pause_s=float(max(habit.pause_s + rng.normal(0, 0.02), 0.0)),
    )
    return clamp_grasp(grasp), style

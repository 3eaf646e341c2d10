"""A pick, step by step at 20 Hz: look, answer, move; then close, lift and place with what was last answered."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking import sight
from fieldloop.simulate.picking.physics import WIDEST_M, Grasp
from fieldloop.simulate.picking.scenes import Floats, Scenes
from fieldloop.simulate.picking.shapes import turn_points

STEP_S = 0.05
ACTIONS = ("vx", "vy", "turn_rate", "depth", "width", "log_force", "acceleration", "release")
"""Speeds in the tool's frame (m/s, rad/s), then what holds when the jaws close (m, m, log N, m/s², m)."""
FASTEST = np.array([0.6, 0.6, 6.0])
TREMOR = np.array([0.0006, 0.0006, 0.004])
"""Standard deviation of a step's end from its target."""
SETTLED = np.array([0.0008, 0.0008, 0.006])
"""Standard deviation between the closing tool and its encoder position."""

Act = Callable[[NDArray[np.float32]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Pace:
    """How a line is run: speed as a multiple of what was demonstrated, steps of approach, distance to the next bin."""

    speed: float
    steps: int
    away_m: float
    turned_rad: float


LAB = Pace(speed=1.0, steps=22, away_m=0.014, turned_rad=0.10)
LINE = Pace(speed=1.25, steps=10, away_m=0.020, turned_rad=0.15)
SHOWN = Pace(speed=1.0, steps=14, away_m=0.026, turned_rad=0.20)
"""How people demonstrate: from further away than needed, so that every start of a line has been seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Flown:
    """The approaches as flown: poses before each step (steps + 1 × n × 3), answers (steps × n × actions)."""

    poses: Floats
    answers: Floats


def draw_start_poses(count: int, pace: Pace, rng: np.random.Generator) -> Floats:
    """Draw where the tool comes from: the further, the more one pick is chained to the last."""
    away = rng.normal(0, 1, (count, 3)) * np.array([pace.away_m, pace.away_m, pace.turned_rad])
    return np.asarray(away + np.array([0.0, 0.0, np.pi / 2]))  # the jaws come in across the usual way of laying things


def simulate_approach(
    scenes: Scenes,
    policy: Act,
    pace: Pace,
    start_poses: Floats,
    latency_s: float,
    picture_lag_s: float,
    rng: np.random.Generator,
) -> Flown:
    """Let a policy servo: it sees the frame of `picture_lag_s` ago, and its answer takes effect `latency_s` later."""
    numbers = sight.read_sensors(scenes, rng)
    poses, answers = [start_poses], []
    for _ in range(pace.steps):
        seen = sight.render_crop(scenes, interpolate_past_poses(poses, picture_lag_s), rng)
        answers.append(policy(np.concatenate([seen, numbers], axis=1)).astype(float))
        speed = np.clip(pace.speed * delay_commands(answers, latency_s)[:, :3], -FASTEST, FASTEST)
        poses.append(move_one_step(poses[-1], speed) + rng.normal(0, 1, start_poses.shape) * TREMOR)
    return Flown(np.stack(poses), np.stack(answers))


def interpolate_past_poses(poses: list[Floats], lag_s: float) -> Floats:
    """Return the poses `lag_s` ago, interpolated between steps."""
    steps, part = divmod(lag_s / STEP_S, 1.0)
    later, earlier = poses[max(-1 - int(steps), -len(poses))], poses[max(-2 - int(steps), -len(poses))]
    return (1 - part) * later + part * earlier


def delay_commands(answers: list[Floats], latency_s: float) -> Floats:
    """Return the command in effect over the next step; before the first answer arrives nothing moves."""
    steps, part = divmod(latency_s / STEP_S, 1.0)

    def get_past_answer(steps_ago: int) -> Floats:
        return answers[-1 - steps_ago] if steps_ago < len(answers) else np.zeros_like(answers[0])

    return (1 - part) * get_past_answer(int(steps)) + part * get_past_answer(int(steps) + 1)


def move_one_step(pose: Floats, speed: Floats) -> Floats:
    """Move for one step at a speed given in the tool's frame."""
    dx, dy = turn_points(speed[:, 0], speed[:, 1], pose[:, 2] + speed[:, 2] * STEP_S / 2)
    return pose + np.column_stack([dx, dy, speed[:, 2]]) * STEP_S


def close_jaws(scenes: Scenes, pose: Floats, commands: Floats, rng: np.random.Generator) -> Grasp:
    """Close the jaws at the tool's position by the commands, with the errors of the drive."""
    at = pose + rng.normal(0, 1, pose.shape) * SETTLED
    play = rng.uniform(-1, 1, (2, len(pose))) * scenes.backlash
    range_error = rng.normal(0, 0.001, len(pose))
    return Grasp(
        x=at[:, 0] + play[0] * np.cos(at[:, 2]),
        y=at[:, 1] + play[0] * np.sin(at[:, 2]),
        yaw=at[:, 2],
        depth=commands[:, 3] + range_error,
        width=np.clip(commands[:, 4] - np.abs(play[1]), 0, WIDEST_M),
        force=np.exp(np.clip(commands[:, 5], -3, 5)),
        acceleration=np.clip(commands[:, 6], 1.0, 8.0),
        release=commands[:, 7],
    )

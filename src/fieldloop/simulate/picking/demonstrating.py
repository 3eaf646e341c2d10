"""Demonstrations: a person looks for a grasp, steers towards it with habits and slips, retries, and is recorded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking import operators, physics, sight
from fieldloop.simulate.picking.choosing import Choice, choose_grasps, draw_grasp_commands
from fieldloop.simulate.picking.pick import ACTIONS, SHOWN, TREMOR, close_jaws, interpolate_past_poses, move_one_step
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.shapes import fold_to_half_turn

STEPS = SHOWN.steps


@dataclass(frozen=True, slots=True, eq=False)
class Steered:
    """One approach of every person: poses (steps + 1 × n × 3) and speeds sent in the tool's frame (steps × n × 3)."""

    poses: Floats
    speeds: Floats


def steer_to_grasp(choice: Choice, start_poses: Floats, person: Ints, rng: np.random.Generator) -> Steered:
    """Steer towards a grasp: fast from afar, slower the nearer, with a shaky hand."""
    gain, fastest = (
        operators.get_habit_of_people("gain_per_s", person)[:, None],
        operators.get_habit_of_people("speed_m_s", person)[:, None],
    )
    shaky = operators.get_habit_of_people("sloppiness", person)[:, None]
    poses, speeds = [start_poses], []
    for step in range(STEPS):
        pose = poses[-1]
        dx, dy = choice.x - pose[:, 0], choice.y - pose[:, 1]
        cosine, sine = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        way = gain * np.column_stack([cosine * dx + sine * dy, cosine * dy - sine * dx])
        way = way * np.minimum(1, fastest / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9))
        turn = np.clip(gain[:, 0] * fold_to_half_turn(choice.yaw - pose[:, 2]), -3.0, 3.0)
        speeds.append(np.column_stack([way, turn]))
        # a hand shakes more while it moves fast; the last steps are careful
        shake = shaky * TREMOR * (4.0 if step < STEPS - 4 else 1.0)
        poses.append(move_one_step(pose, speeds[-1]) + rng.normal(0, 1, pose.shape) * shake)
    return Steered(np.stack(poses), np.stack(speeds))


CARELESS = 0.08
"""Share of first grasps that are careless: too shallow and too loose."""
RETRIED = tuple(physics.ENDS.index(end) for end in ("missed", "slipped", "turned_in_hand"))
"""Results after which a person notices, returns and grasps again."""
STANDARDS = (0.0, -1.0, 1.0)
"""Standards of three annotators for the grasp moment of an unusual variant: when the jaws close, before, after."""
DESCENT_M_S, CLOSING_M_S = 0.20, 0.20


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Demonstrations as made: how each ended after at most one retry, and the approach that is imitated."""

    end: Ints
    first_end: Ints
    steered: Steered
    commands: Floats
    deviation: Floats

    @property
    def kept(self) -> Bools:
        """Which are good enough to imitate?"""
        return np.asarray(self.end == 0)

    @property
    def recovered(self) -> Bools:
        """Which failed at first and recovered?"""
        return np.asarray((self.first_end != 0) & (self.end == 0))


def demonstrate_picks(scenes: Scenes, start_poses: Floats, person: Ints, rng: np.random.Generator) -> Shown:
    """Let people demonstrate; a slipped or missed grasp is tried again, more carefully."""
    choice = choose_grasps(scenes, start_poses[:, 2])
    orders = draw_grasp_commands(scenes, choice, person, rng)
    careless = rng.random(len(scenes)) < CARELESS
    at_first = orders - careless[:, None] * np.array([0.012, 0.0, 0.5, 0.0, 0.0])
    steered, verdicts = _try_grasps(scenes, choice, start_poses, person, at_first, rng)
    back = steered.poses[-1] + rng.normal(0, 1, start_poses.shape) * np.array([0.01, 0.01, 0.08])
    again, second = _try_grasps(scenes, choice, back, person, orders, rng)
    retry = np.isin(verdicts.end, RETRIED)
    end = np.where(retry, second.end, verdicts.end)
    # where fingers do not fit between the items, a person who gets one out has pushed others: nothing to imitate
    end = np.where((end == 0) & ~choice.has_room, physics.ENDS.index("hit_neighbour"), end)
    return Shown(
        end,
        verdicts.end,
        Steered(
            np.where(retry[:, None], again.poses, steered.poses), np.where(retry[:, None], again.speeds, steered.speeds)
        ),
        np.where(retry[:, None], orders, at_first),
        np.where(retry[:, None], second.deviation, verdicts.deviation),
    )


def _try_grasps(
    scenes: Scenes, choice: Choice, start_poses: Floats, person: Ints, grasp_commands: Floats, rng: np.random.Generator
) -> tuple[Steered, physics.Verdicts]:
    steered = steer_to_grasp(choice, start_poses, person, rng)
    full = np.concatenate([np.zeros((len(scenes), 3)), grasp_commands], axis=1)
    return steered, physics.judge_grasps(scenes, close_jaws(scenes, steered.poses[-1], full, rng))


def read_grasp_at_annotation(scenes: Scenes, grasp_commands: Floats, moment_s: Floats) -> Floats:
    """Return depth and width as read at the annotated grasp moment: too early is too shallow, too late half closed."""
    depth = grasp_commands[:, 0] - DESCENT_M_S * np.maximum(-moment_s, 0)
    least = np.minimum(2 * scenes.short, grasp_commands[:, 1])
    width = np.maximum(grasp_commands[:, 1] - CLOSING_M_S * np.maximum(moment_s, 0), least)
    return np.column_stack([depth, width, grasp_commands[:, 2:]])


def make_imitation_rows(
    scenes: Scenes, demonstrations: Shown, grasp_commands: Floats, lag_s: float, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32], Ints]:
    """Return inputs, actions and owners of the steps to imitate; each action with the frame of `lag_s` ago."""
    kept = np.flatnonzero(demonstrations.kept)
    mine = scenes.take(kept)
    numbers = sight.read_sensors(mine, rng)
    poses, speeds = demonstrations.steered.poses[:, kept], demonstrations.steered.speeds[:, kept]
    inputs = np.empty((STEPS, len(kept), sight.INPUTS), dtype=np.float32)
    for step in range(STEPS):
        seen = interpolate_past_poses(list(poses[: step + 1]), lag_s)
        inputs[step] = np.concatenate([sight.render_crop(mine, seen, rng), numbers], axis=1)
    actions = np.empty((STEPS, len(kept), len(ACTIONS)), dtype=np.float32)
    actions[:, :, :3] = speeds
    actions[:, :, 3:] = grasp_commands[kept]
    return inputs.reshape(-1, sight.INPUTS), actions.reshape(-1, len(ACTIONS)), np.tile(kept, STEPS)

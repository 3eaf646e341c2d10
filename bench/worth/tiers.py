"""Demonstrations of the picking floor by careful, ordinary and sloppy people, who all end with the item in the box.

A tier is a difference in how a person moves and commands, never a chance of success: hands that tremble and commands
that jerk, aim beside the grasp, hesitation, closing before the tool has arrived, jaws turned to the wrong side, jaws
opened too little, fingers set too shallow, a grip chosen roughly. A demonstration that fails is made again, so that
no filter can go by the result (as in robomimic's multi-human sets), unless the set keeps failures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.simulate.picking import operators, physics, pick, sight
from fieldloop.simulate.picking.choosing import Choice, choose_grasps, draw_grasp_commands
from fieldloop.simulate.picking.demonstrating import STEPS
from fieldloop.simulate.picking.faults import NOTHING
from fieldloop.simulate.picking.scenes import Bools, Floats, Ints, Scenes
from fieldloop.simulate.picking.shapes import fold_to_half_turn
from fieldloop.simulate.picking.world import World

Array = NDArray[np.float32]
LONGEST = 2 * STEPS


@dataclass(frozen=True, slots=True)
class Tier:
    """How people of a tier move; metres, radians, m/s, shares."""

    name: str
    tremor: float
    """As a multiple of the ordinary."""
    jerk: float
    """Spread of the commanded speed about what was meant, as a share of the top speed."""
    aim_m: float
    aim_rad: float
    hesitates: float
    """Share of the steps in which the hand pauses."""
    closes_within_m: float
    """The jaws close once the tool is this near to where it was aimed."""
    wrong_side: float
    """Share of the grasps that are made with the jaws turned by a quarter."""
    narrow_m: float
    shallow_m: float
    grip: float
    """Spread of the force, as a logarithm."""


CAREFUL = Tier("careful", 0.6, 0.02, 0.0007, 0.01, 0.0, 0.0015, 0.0, 0.0005, 0.0005, 0.03)
ORDINARY = Tier("ordinary", 1.0, 0.10, 0.0025, 0.05, 0.10, 0.004, 0.08, 0.002, 0.002, 0.15)
SLOPPY = Tier("sloppy", 2.5, 0.30, 0.0060, 0.15, 0.30, 0.010, 0.30, 0.005, 0.004, 0.40)
TIERS = (CAREFUL, ORDINARY, SLOPPY)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Demonstrations: rows in order of time, whose `owner` numbers them, and an entry for each demonstration."""

    inputs: Array
    actions: Array
    owner: Ints
    tier: Ints
    succeeded: Bools
    poses: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.tier)

    @property
    def length(self) -> Ints:
        """Number of rows of each."""
        return np.bincount(self.owner, minlength=len(self))

    def take(self, wanted: Ints) -> "Shown":
        """Return some demonstrations, numbered anew in the order asked for."""
        rows = np.concatenate([np.flatnonzero(self.owner == one) for one in wanted])
        new = np.repeat(np.arange(len(wanted)), self.length[wanted])
        poses = tuple(self.poses[one] for one in wanted)
        return Shown(self.inputs[rows], self.actions[rows], new, self.tier[wanted], self.succeeded[wanted], poses)


def join(parts: Sequence[Shown]) -> Shown:
    """Put sets one behind the other."""
    first = np.cumsum([0, *(len(part) for part in parts)])
    return Shown(
        np.concatenate([part.inputs for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate([part.owner + start for part, start in zip(parts, first, strict=False)]),
        np.concatenate([part.tier for part in parts]),
        np.concatenate([part.succeeded for part in parts]),
        tuple(pose for part in parts for pose in part.poses),
    )


def demonstrate(world: World, shares: Floats, count: int, tier: int, purpose: str, *, failures: bool) -> Shown:
    """Let people of a tier demonstrate until there are enough; the same purpose gives every tier the same starts.

    Without `failures` only successes count, and each tier needs as many tries as it needs.
    """
    made: list[Shown] = []
    for turn in range(100):
        cells = world.cells(shares, count, purpose, turn)
        scenes = world.scenes(cells, f"{purpose} {turn}", NOTHING, 0.0, demonstrating=True)
        starts = pick.draw_start_poses(count, pick.SHOWN, world.chance(purpose, "start", turn))
        shown = _demonstrate_once(scenes, starts, tier, world.chance(purpose, "hand", tier, turn))
        made.append(shown if failures else shown.take(np.flatnonzero(shown.succeeded)))
        if sum(map(len, made)) >= count:
            break
    return join(made).take(np.arange(count))


def _demonstrate_once(scenes: Scenes, starts: Floats, tier: int, rng: np.random.Generator) -> Shown:
    how, person = TIERS[tier], operators.draw_people(len(scenes), rng)
    choice = choose_grasps(scenes, starts[:, 2])
    commands = _command_jaws(how, draw_grasp_commands(scenes, choice, person, rng), rng)
    poses, speeds, length = _steer(how, _aim(how, choice, rng), starts, person, rng)
    last = poses[length, np.arange(len(scenes))]
    full = np.concatenate([np.zeros((len(scenes), 3)), commands], axis=1)
    end = physics.judge_grasps(scenes, pick.close_jaws(scenes, last, full, rng)).end
    good = (end == 0) & choice.has_room
    numbers = sight.read_sensors(scenes, rng)
    seen = np.stack([np.concatenate([sight.render_crop(scenes, at, rng), numbers], axis=1) for at in poses[:-1]])
    acts = np.concatenate([speeds, np.broadcast_to(commands, (LONGEST, *commands.shape))], axis=2)
    used = np.arange(LONGEST)[:, None] < length  # steps × demonstrations
    step, owner = (index.T.ravel() for index in np.meshgrid(np.arange(LONGEST), np.arange(len(scenes)), indexing="ij"))
    rows = used[step, owner]
    step, owner = step[rows], owner[rows]
    return Shown(
        seen[step, owner].astype(np.float32),
        acts[step, owner].astype(np.float32),
        owner,
        np.full(len(scenes), tier),
        good,
        tuple(poses[: n + 1, i] for i, n in enumerate(length.tolist())),
    )


def _aim(how: Tier, choice: Choice, rng: np.random.Generator) -> Floats:
    """Where a person steers to: n × (x, y, yaw)."""
    target = np.column_stack([choice.x, choice.y, choice.yaw])
    off = rng.normal(0, 1, target.shape) * np.array([how.aim_m, how.aim_m, how.aim_rad])
    turned = rng.random(len(target)) < how.wrong_side
    return np.asarray(target + off + turned[:, None] * np.array([0.0, 0.0, np.pi / 2]))


def _command_jaws(how: Tier, commands: Floats, rng: np.random.Generator) -> Floats:
    """Open too little, set too shallow, press roughly."""
    off = rng.normal(0, 1, (len(commands), 3))
    less = np.column_stack([how.shallow_m * np.abs(off[:, 0]), how.narrow_m * np.abs(off[:, 1]), how.grip * off[:, 2]])
    return np.column_stack([commands[:, :3] - less, commands[:, 3:]])


def _steer(
    how: Tier, target: Floats, starts: Floats, person: Ints, rng: np.random.Generator
) -> tuple[Floats, Floats, Ints]:
    """Steer until the hand seems near enough; return poses, speeds and the number of steps of each."""
    gain = operators.get_habit_of_people("gain_per_s", person)[:, None]
    fastest = operators.get_habit_of_people("speed_m_s", person)[:, None]
    poses, speeds = [starts], []
    length = np.full(len(starts), LONGEST)
    jerk = np.zeros_like(starts)
    for step in range(LONGEST):
        pose = poses[-1]
        away = target - pose
        near = np.linalg.norm(away[:, :2], axis=1) < how.closes_within_m
        near &= np.abs(fold_to_half_turn(away[:, 2])) < 12 * how.closes_within_m + 0.02
        length = np.where(near & (step >= 4) & (length == LONGEST), step, length)  # noqa: PLR2004 - a glance at least
        cosine, sine = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        way = gain * np.column_stack([cosine * away[:, 0] + sine * away[:, 1], cosine * away[:, 1] - sine * away[:, 0]])
        way = way * np.minimum(1, fastest / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9))
        turn = np.clip(gain[:, 0] * fold_to_half_turn(away[:, 2]), -3.0, 3.0)
        jerk = 0.5 * jerk + rng.normal(0, 1, jerk.shape) * how.jerk * np.array([0.22, 0.22, 1.5])
        going = (rng.random(len(starts)) >= how.hesitates)[:, None]
        speeds.append(going * (np.column_stack([way, turn]) + jerk))
        shake = rng.normal(0, 1, pose.shape) * pick.TREMOR * how.tremor
        poses.append(pick.move_one_step(pose, speeds[-1]) + shake)
    return np.stack(poses), np.stack(speeds), np.maximum(length, 1)

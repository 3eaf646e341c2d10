"""A pick becomes a Recording: tool, gripper, force, action and wrist camera, each at its own rate and clock."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.simulate.arm.clocks import Beat, stamp, ticks
from fieldloop.simulate.picking import nouns, pick, sight
from fieldloop.simulate.picking.catalogue import GRAVITY
from fieldloop.simulate.picking.physics import ENDS, STEPS, step_reached
from fieldloop.simulate.picking.scenes import Floats, Scenes
from fieldloop.simulate.picking.world import Demonstrations, Tries, World

TOOL = Beat(100.0, 0.0001, 0.0006, 0.0004)
FORCE = Beat(200.0, 0.0001, 0.0008, 0.0004)
CONTROL = Beat(1 / pick.STEP_S, 0.0001, 0.0004, 0.0004)
CAMERA = Beat(1 / pick.STEP_S, 0.00005, 0.004, 0.0015)
PICTURE_PIXELS = 48
POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")
ABOVE_M, CARRY_M = 0.12, 0.35
"""How far above an article an approach begins, and how far away it is put down."""
CLOSING_S, LIFTING_S, CARRYING_S, LETTING_GO_S, REST_S = 0.25, 0.6, 0.9, 0.3, 0.2
HAND_KG = 0.9
"""Reading of the force sensor with an empty hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Key moments of a pick (s) and what the tool, jaws and load are then; in between everything moves evenly."""

    times_s: Floats
    pose: Floats
    height: Floats
    opening: Floats
    load_n: Floats
    closed_s: float

    def at(self, name: str, times_s: Floats) -> Floats:
        """Return one quantity at given times."""
        return np.asarray(np.interp(times_s, self.times_s, getattr(self, name)))

    def poses(self, times_s: Floats) -> Floats:
        """Return x, y and yaw at given times."""
        return np.column_stack([np.interp(times_s, self.times_s, column) for column in self.pose.T])


@dataclass(frozen=True, slots=True, eq=False)
class WristFrames:
    """A FrameSource of the wrist camera; the same frame is drawn alike every time."""

    scene: Scenes
    motion: Motion
    times_s: Floats
    seed: int
    is_depth: bool

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return PICTURE_PIXELS, PICTURE_PIXELS

    def __len__(self) -> int:
        return len(self.times_s)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Yield frames in ascending order: uint8 H×W×3, or float32 H×W metres for depth (NaN: no return)."""
        wanted = range(len(self)) if indices is None else sorted(indices)
        where = sight.grid(PICTURE_PIXELS, fovea=0.0)
        for frame in wanted:
            pose = self.motion.poses(self.times_s[[frame]])
            scene = self.scene
            if self.times_s[frame] > self.motion.closed_s:  # what is held moves with the hand
                scene = replace(scene, x=pose[:, 0], y=pose[:, 1])
            seen = sight.crop(scene, pose, np.random.default_rng([self.seed, frame]), where)[0]
            depth, bright = seen.reshape(2, PICTURE_PIXELS, PICTURE_PIXELS)
            yield _metres(depth) if self.is_depth else _colours(bright)


def record_demonstration(
    world: World, demonstrations: Demonstrations, i: int, start_ns: int, lag_s: float = 0.0, session: str = ""
) -> Recording:
    """Return the recording of one demonstration; `lag_s` is how much older frames are than their timestamps."""
    shown = demonstrations.shown
    speeds = np.concatenate(
        [shown.steered.speeds[:, i], np.tile(shown.commands[i], (len(shown.steered.speeds), 1))], axis=1
    )
    facts = nouns.episode(world, demonstrations, i, start_ns, session)
    stopped = int(step_reached(shown.end[i : i + 1])[0])
    return _record(
        demonstrations.scenes.take(slice(i, i + 1)), shown.steered.poses[:, i], speeds, stopped, facts, lag_s,
        world.chance("recording", facts.id),
    )  # fmt: skip


def record_try(world: World, tries: Tries, i: int, start_ns: int, lag_s: float = 0.0, policy: str = "") -> Recording:
    """Return what a robot's recorder would have kept of one try."""
    stopped = int(step_reached(tries.end[i : i + 1])[0])
    failure = nouns.FAILURES.get(ENDS[tries.end[i]])
    name = f"try-{world.seed}-{i:05d}-{start_ns}"
    facts = Episode(
        id=name,
        name=name,
        format="simulated",
        task="pick",
        robot=nouns.robot_name(world, tries.scenes, i),
        site=nouns.site_name(world, tries.scenes, i),
        stratum=world.strata.nouns[tries.scenes.cell[i]],
        start_ns=start_ns,
        simulated=False,
        succeeded=bool(tries.succeeded[i]),
        failure=failure.value if failure else "",
        facts=(("policy", policy), ("sku", world.catalogue.sku(int(tries.scenes.sku[i])))),
    )
    return _record(
        tries.scenes.take(slice(i, i + 1)), tries.poses[:, i], tries.answers[:, i], stopped, facts, lag_s,
        world.chance("recording", name),
    )  # fmt: skip


def _record(
    scene: Scenes, poses: Floats, answers: Floats, stopped: int, facts: Episode, lag_s: float, rng: np.random.Generator
) -> Recording:
    motion = _motion(scene, poses, answers[-1], stopped)
    span = (0.0, float(motion.times_s[-1]))
    seed = int(rng.integers(2**31))
    streams: dict[str, Stream] = {}

    def add(
        name: str, kind: StreamKind, unit: str, columns: tuple[str, ...], beat: Beat, at: Floats, values: Floats
    ) -> None:
        streams[name] = Stream(
            name, kind, unit, stamp(at, beat, facts.start_ns, rng), values, None, beat.hz, columns, "base",
            f"{name}-{facts.robot}",
        )  # fmt: skip

    at = ticks(TOOL, *span, rng)
    pose = motion.poses(at)
    # the tool looks down: half a turn about x, then the yaw about the vertical
    turn = np.column_stack([np.cos(pose[:, 2] / 2), np.sin(pose[:, 2] / 2), np.zeros((len(at), 2))])
    add("tool", StreamKind.POSE, "m", POSE, TOOL, at, np.column_stack([pose[:, :2], motion.at("height", at), turn]))
    at = ticks(TOOL, *span, rng)
    opening = motion.at("opening", at) + rng.normal(0, 0.0001, len(at))
    add("gripper", StreamKind.GRIPPER, "m", ("gripper",), TOOL, at, opening[:, None])
    at = ticks(FORCE, *span, rng)
    wrench = rng.normal(0, [0.15, 0.15, 0.2, 0.004, 0.004, 0.004], (len(at), 6))
    wrench[:, 2] -= HAND_KG * GRAVITY + motion.at("load_n", at)
    add("force", StreamKind.FORCE_TORQUE, "N, N·m", ("fx", "fy", "fz", "tx", "ty", "tz"), FORCE, at, wrench)
    at = np.arange(len(answers), dtype=float) * pick.STEP_S
    add("action", StreamKind.ACTION, "m/s, rad/s, m, log N, m/s²", pick.ACTIONS, CONTROL, at, answers)
    for name, kind, unit in (("camera/wrist", StreamKind.RGB, "sRGB"), ("depth/wrist", StreamKind.DEPTH, "m")):
        at = ticks(CAMERA, *span, rng)
        pictures = WristFrames(scene, motion, at - lag_s, seed, kind is StreamKind.DEPTH)
        streams[name] = Stream(
            name, kind, unit, stamp(at, CAMERA, facts.start_ns, rng), None, pictures, CAMERA.hz,
            frame_id=f"{name.replace('/', '_')}_optical", serial=f"{name.replace('/', '-')}-{facts.robot}",
        )  # fmt: skip
    ends = max(int(stream.times_ns[-1]) for stream in streams.values())
    return Recording(replace(facts, end_ns=max(ends, facts.start_ns + round(span[1] * NS_PER_S))), streams)


def _motion(scene: Scenes, poses: Floats, commands: Floats, stopped: int) -> Motion:
    """Lay out a pick in time: approach, close, lift, carry, release; a failed one stops there and rests."""
    grasp, lift, place = (STEPS.index(name) for name in ("grasp", "lift", "place"))
    steps = len(poses) - 1
    times = [k * pick.STEP_S for k in range(steps + 1)]
    top, depth, width = float(scene.top[0]), float(commands[3]), float(commands[4])
    height = [top + ABOVE_M * (1 - k / steps) - depth * k / steps for k in range(steps + 1)]
    pose, opening, load = list(poses), [width] * (steps + 1), [0.0] * (steps + 1)
    weight = float(scene.mass[0] * scene.burden[0]) * GRAVITY
    held = min(width, 2 * float(scene.short[0]))

    def then(seconds: float, shift: float, at: float, jaws: float, newtons: float) -> None:
        times.append(times[-1] + seconds)
        pose.append(pose[-1] + np.array([0.0, shift, 0.0]))
        height.append(at)
        opening.append(jaws)
        load.append(newtons)

    closed = times[-1]
    if stopped >= grasp:
        then(CLOSING_S, 0.0, height[-1], held if stopped > grasp else 0.0, 0.0)
    if stopped >= lift:
        then(LIFTING_S, 0.0, top + ABOVE_M, held, weight if stopped > lift else 0.0)
    if stopped >= place:
        then(CARRYING_S, CARRY_M, float(commands[7]), held, weight)
        then(LETTING_GO_S, 0.0, float(commands[7]), width, 0.0)
    then(REST_S, 0.0, height[-1] + 0.02, opening[-1], load[-1])
    return Motion(np.array(times), np.stack(pose), np.array(height), np.array(opening), np.array(load), closed)


def _metres(depth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn scaled heights into distances from the camera; holes have no return."""
    return np.where(depth <= -1, np.float32(np.nan), np.float32(sight.CAMERA_ABOVE_M) - (depth + 1) * np.float32(0.1))


def _colours(bright: NDArray[np.float32]) -> NDArray[np.uint8]:
    tint = np.array([1.0, 0.95, 0.85], dtype=np.float32)
    return np.asarray(np.clip(bright[..., None] * tint * 210, 0, 255), dtype=np.uint8)

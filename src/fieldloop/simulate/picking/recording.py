"""A pick becomes a Recording: tool, gripper, force, action and wrist camera, each at its own rate and clock."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.simulate.arm.clocks import Beat, draw_sample_times, make_stamps
from fieldloop.simulate.picking import nouns, pick, sight
from fieldloop.simulate.picking.catalogue import GRAVITY
from fieldloop.simulate.picking.physics import ENDS, STEPS, get_step_reached
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

    def interpolate(self, name: str, times_s: Floats) -> Floats:
        """Return one quantity at given times."""
        return np.asarray(np.interp(times_s, self.times_s, getattr(self, name)))

    def compute_poses(self, times_s: Floats) -> Floats:
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
        where = sight.make_pixel_grid(PICTURE_PIXELS, fovea=0.0)
        for frame in wanted:
            pose = self.motion.compute_poses(self.times_s[[frame]])
            scene = self.scene
            if self.times_s[frame] > self.motion.closed_s:  # what is held moves with the hand
                scene = replace(scene, x=pose[:, 0], y=pose[:, 1])
            seen = sight.render_crop(scene, pose, np.random.default_rng([self.seed, frame]), where)[0]
            depth, bright = seen.reshape(2, PICTURE_PIXELS, PICTURE_PIXELS)
            yield _convert_to_metres(depth) if self.is_depth else _convert_to_rgb(bright)


def record_demonstration(
    world: World, demonstrations: Demonstrations, index: int, start_ns: int, lag_s: float = 0.0, session: str = ""
) -> Recording:
    """Return the recording of one demonstration; `lag_s` is how much older frames are than their timestamps."""
    shown = demonstrations.shown
    speeds = np.concatenate(
        [shown.steered.speeds[:, index], np.tile(shown.commands[index], (len(shown.steered.speeds), 1))], axis=1
    )
    facts = nouns.make_episode(world, demonstrations, index, start_ns, session)
    stopped = int(get_step_reached(shown.end[index : index + 1])[0])
    return _make_recording(
        demonstrations.scenes.take(slice(index, index + 1)), shown.steered.poses[:, index], speeds, stopped, facts,
        lag_s,
        world.chance("recording", facts.id),
    )  # fmt: skip


def record_try(
    world: World, tries: Tries, index: int, start_ns: int, lag_s: float = 0.0, policy: str = ""
) -> Recording:
    """Return what a robot's recorder would have kept of one try."""
    stopped = int(get_step_reached(tries.end[index : index + 1])[0])
    failure = nouns.FAILURES.get(ENDS[tries.end[index]])
    name = f"try-{world.seed}-{index:05d}-{start_ns}"
    facts = Episode(
        id=name,
        name=name,
        format="simulated",
        task="pick",
        robot=nouns.get_robot_name(world, tries.scenes, index),
        site=nouns.get_site_name(world, tries.scenes, index),
        stratum=world.strata.nouns[tries.scenes.cell[index]],
        start_ns=start_ns,
        simulated=False,
        succeeded=bool(tries.succeeded[index]),
        failure=failure.value if failure else "",
        facts=(("policy", policy), ("sku", world.catalogue.name_article(int(tries.scenes.sku[index])))),
    )
    return _make_recording(
        tries.scenes.take(slice(index, index + 1)), tries.poses[:, index], tries.answers[:, index], stopped, facts,
        lag_s,
        world.chance("recording", name),
    )  # fmt: skip


def _make_recording(
    scene: Scenes, poses: Floats, answers: Floats, stopped: int, facts: Episode, lag_s: float, rng: np.random.Generator
) -> Recording:
    motion = _lay_out_motion(scene, poses, answers[-1], stopped)
    span = (0.0, float(motion.times_s[-1]))
    seed = int(rng.integers(2**31))
    streams: dict[str, Stream] = {}

    def add_stream(
        name: str, kind: StreamKind, unit: str, columns: tuple[str, ...], beat: Beat, times_s: Floats, values: Floats
    ) -> None:
        streams[name] = Stream(
            name, kind, unit, make_stamps(times_s, beat, facts.start_ns, rng), values, None, beat.hz, columns, "base",
            f"{name}-{facts.robot}",
        )  # fmt: skip

    at = draw_sample_times(TOOL, *span, rng)
    pose = motion.compute_poses(at)
    # the tool looks down: half a turn about x, then the yaw about the vertical
    turn = np.column_stack([np.cos(pose[:, 2] / 2), np.sin(pose[:, 2] / 2), np.zeros((len(at), 2))])
    add_stream(
        "tool",
        StreamKind.POSE,
        "m",
        POSE,
        TOOL,
        at,
        np.column_stack([pose[:, :2], motion.interpolate("height", at), turn]),
    )
    at = draw_sample_times(TOOL, *span, rng)
    opening = motion.interpolate("opening", at) + rng.normal(0, 0.0001, len(at))
    add_stream("gripper", StreamKind.GRIPPER, "m", ("gripper",), TOOL, at, opening[:, None])
    at = draw_sample_times(FORCE, *span, rng)
    wrench = rng.normal(0, [0.15, 0.15, 0.2, 0.004, 0.004, 0.004], (len(at), 6))
    wrench[:, 2] -= HAND_KG * GRAVITY + motion.interpolate("load_n", at)
    add_stream("force", StreamKind.FORCE_TORQUE, "N, N·m", ("fx", "fy", "fz", "tx", "ty", "tz"), FORCE, at, wrench)
    at = np.arange(len(answers), dtype=float) * pick.STEP_S
    add_stream("action", StreamKind.ACTION, "m/s, rad/s, m, log N, m/s²", pick.ACTIONS, CONTROL, at, answers)
    for name, kind, unit in (("camera/wrist", StreamKind.RGB, "sRGB"), ("depth/wrist", StreamKind.DEPTH, "m")):
        at = draw_sample_times(CAMERA, *span, rng)
        pictures = WristFrames(scene, motion, at - lag_s, seed, kind is StreamKind.DEPTH)
        streams[name] = Stream(
            name, kind, unit, make_stamps(at, CAMERA, facts.start_ns, rng), None, pictures, CAMERA.hz,
            frame_id=f"{name.replace('/', '_')}_optical", serial=f"{name.replace('/', '-')}-{facts.robot}",
        )  # fmt: skip
    ends = max(int(stream.times_ns[-1]) for stream in streams.values())
    return Recording(replace(facts, end_ns=max(ends, facts.start_ns + round(span[1] * NS_PER_S))), streams)


def _lay_out_motion(scene: Scenes, poses: Floats, commands: Floats, stopped: int) -> Motion:
    """Lay out a pick in time: approach, close, lift, carry, release; a failed one stops there and rests."""
    grasp, lift, place = (STEPS.index(name) for name in ("grasp", "lift", "place"))
    steps = len(poses) - 1
    times = [k * pick.STEP_S for k in range(steps + 1)]
    top, depth, width = float(scene.top[0]), float(commands[3]), float(commands[4])
    height = [top + ABOVE_M * (1 - k / steps) - depth * k / steps for k in range(steps + 1)]
    pose, opening, load = list(poses), [width] * (steps + 1), [0.0] * (steps + 1)
    weight = float(scene.mass[0] * scene.burden[0]) * GRAVITY
    held = min(width, 2 * float(scene.short[0]))

    def append_moment(seconds: float, shift: float, tool_height: float, jaws: float, newtons: float) -> None:
        times.append(times[-1] + seconds)
        pose.append(pose[-1] + np.array([0.0, shift, 0.0]))
        height.append(tool_height)
        opening.append(jaws)
        load.append(newtons)

    closed = times[-1]
    if stopped >= grasp:
        append_moment(CLOSING_S, 0.0, height[-1], held if stopped > grasp else 0.0, 0.0)
    if stopped >= lift:
        append_moment(LIFTING_S, 0.0, top + ABOVE_M, held, weight if stopped > lift else 0.0)
    if stopped >= place:
        append_moment(CARRYING_S, CARRY_M, float(commands[7]), held, weight)
        append_moment(LETTING_GO_S, 0.0, float(commands[7]), width, 0.0)
    append_moment(REST_S, 0.0, height[-1] + 0.02, opening[-1], load[-1])
    return Motion(np.array(times), np.stack(pose), np.array(height), np.array(opening), np.array(load), closed)


def _convert_to_metres(depth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn scaled heights into distances from the camera; holes have no return."""
    return np.where(depth <= -1, np.float32(np.nan), np.float32(sight.CAMERA_ABOVE_M) - (depth + 1) * np.float32(0.1))


def _convert_to_rgb(bright: NDArray[np.float32]) -> NDArray[np.uint8]:
    tint = np.array([1.0, 0.95, 0.85], dtype=np.float32)
    return np.asarray(np.clip(bright[..., None] * tint * 210, 0, 255), dtype=np.uint8)

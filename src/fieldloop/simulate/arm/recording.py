"""Turn an attempt into a Recording: every stream on its own clock, pictures rendered from the logged joints."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.simulate.arm import arm, clocks, signals
from fieldloop.simulate.arm.camera import make_cameras
from fieldloop.simulate.arm.clocks import Beat, draw_sample_times, make_stamps
from fieldloop.simulate.arm.frames import Logged, Rendered
from fieldloop.simulate.arm.physics import Verdict
from fieldloop.simulate.arm.rig import Rig
from fieldloop.simulate.arm.scene import Scene
from fieldloop.simulate.arm.signals import Feeling
from fieldloop.simulate.arm.track import track_item

PRE_ROLL_S = (1.15, 1.45)
POST_ROLL_S = (2.15, 2.45)
CAMERA_INSET_S = 0.02
"""Cameras start after and stop before the signals, so that every picture has a partner in each of them."""


ASIDE_M = 0.01
"""An approach that bulges less is straight."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What only the simulator knows: when each phase really began and ended, and why the attempt ended as it did."""

    phases: tuple[tuple[str, int, int], ...]
    reason: str
    motion_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration:
    """A recording with the truth about it."""

    recording: Recording
    truth: Truth
    scene: Scene
    verdict: Verdict


def record_attempt(
    scene: Scene, verdict: Verdict, rig: Rig, start_ns: int, rng: np.random.Generator, facts: Mapping[str, Any]
) -> Demonstration:
    """Sample every sensor of a station over an attempt; `facts` are fields of Episode beyond what the scene knows."""
    before, after = rng.uniform(*PRE_ROLL_S), rng.uniform(*POST_ROLL_S)
    span = (-before, float(verdict.path.times_s[-1]) + after)
    motion_ns = start_ns + round(before * NS_PER_S)
    serial = f"{scene.site.id}-1"
    streams = _make_streams(scene, verdict, rig, span, motion_ns, rng, serial)
    phases = tuple(
        (name, motion_ns + round(begin * NS_PER_S), motion_ns + round(end * NS_PER_S))
        for name, (begin, end) in verdict.path.phases.items()
    )
    episode = _make_episode(scene, verdict, streams, facts)
    return Demonstration(Recording(episode, streams), Truth(phases, verdict.reason, motion_ns), scene, verdict)


def add_true_phases(demonstration: Demonstration) -> Recording:
    """Return the recording with the true phases among its facts, each under `truth_`, for tests of annotation."""
    recording, truth = demonstration.recording, demonstration.truth
    more = [(f"truth_{name}", f"{begin} {end}") for name, begin, end in truth.phases]
    more.append(("truth_reason", truth.reason))
    return replace(recording, episode=replace(recording.episode, facts=(*recording.episode.facts, *more)))


def _make_streams(
    scene: Scene,
    verdict: Verdict,
    rig: Rig,
    span: tuple[float, float],
    motion_ns: int,
    rng: np.random.Generator,
    serial: str,
) -> dict[str, Stream]:
    feeling = Feeling(verdict, scene.item)
    streams: dict[str, Stream] = {}

    def add_stream(
        name: str,
        kind: StreamKind,
        unit: str,
        columns: tuple[str, ...],
        beat: Beat,
        times: Floats,
        values: Floats,
        clock_stream: str = "",
    ) -> None:
        stamps = streams[clock_stream].clocks if clock_stream else make_stamps(times, beat, motion_ns, rng)
        frame = {"force": "wrist", "imu": "wrist", "tool": "base"}.get(name, "base")
        streams[name] = Stream(
            name, kind, unit, stamps, values, None, beat.hz, columns, frame, f"{name.partition('/')[0]}-{serial}"
        )

    def add_noise(values: Floats, deviation: float | Floats) -> Floats:
        return np.asarray(values + rng.normal(0.0, 1.0, values.shape) * deviation)

    names = arm.make_arm_chain().names
    at = draw_sample_times(clocks.JOINTS, *span, rng)
    angles = add_noise(feeling.compute_joint_angles(at), signals.ENCODER_RAD)
    add_stream("joints", StreamKind.JOINT_POSITION, "rad", names, clocks.JOINTS, at, angles)
    velocities = add_noise(feeling.compute_velocities(at), signals.VELOCITY_RAD_S)
    add_stream(
        "joints/velocity",
        StreamKind.JOINT_VELOCITY,
        "rad/s",
        names,
        clocks.JOINTS,
        at,
        velocities,
        clock_stream="joints",
    )
    pose = tf.pose_from_matrix(kin.compute_tool_pose(arm.make_arm_chain(), angles))
    pose_columns = ("x", "y", "z", "qx", "qy", "qz", "qw")
    add_stream("tool", StreamKind.POSE, "m", pose_columns, clocks.JOINTS, at, pose)
    grip_at = draw_sample_times(clocks.GRIPPER, *span, rng)
    width = add_noise(feeling.compute_opening(grip_at), signals.WIDTH_M)
    add_stream("gripper", StreamKind.GRIPPER, "m", ("gripper",), clocks.GRIPPER, grip_at, width[:, None])
    effort = add_noise(feeling.compute_grip_force(grip_at), signals.EFFORT_N)
    add_stream(
        "gripper/effort",
        StreamKind.GRIPPER,
        "N",
        ("gripper",),
        clocks.GRIPPER,
        grip_at,
        effort[:, None],
        clock_stream="gripper",
    )
    force_at = draw_sample_times(clocks.FORCE, *span, rng)
    wrench = add_noise(feeling.compute_wrench(force_at), np.repeat([signals.FORCE_N, signals.TORQUE_NM], 3))
    add_stream(
        "force", StreamKind.FORCE_TORQUE, "N, N·m", ("fx", "fy", "fz", "tx", "ty", "tz"), clocks.FORCE, force_at, wrench
    )
    imu_at = draw_sample_times(clocks.IMU, *span, rng)
    inertial = add_noise(
        feeling.compute_inertial_reading(imu_at), np.repeat([signals.ACCELERATION, signals.TURN_RATE], 3)
    )
    add_stream("imu", StreamKind.IMU, "m/s², rad/s", ("ax", "ay", "az", "gx", "gy", "gz"), clocks.IMU, imu_at, inertial)
    action_at = draw_sample_times(clocks.ACTION, *span, rng)
    command = np.column_stack([feeling.compute_commands(action_at), feeling.compute_opening_command(action_at)])
    add_stream("action", StreamKind.ACTION, "rad", (*names, "gripper"), clocks.ACTION, action_at, command)
    return streams | _make_picture_streams(
        scene, verdict, rig, span, motion_ns, rng, serial, Logged(at, angles, grip_at, width)
    )


def _make_picture_streams(
    scene: Scene,
    verdict: Verdict,
    rig: Rig,
    span: tuple[float, float],
    motion_ns: int,
    rng: np.random.Generator,
    serial: str,
    logged: Logged,
) -> dict[str, Stream]:
    trigger = draw_sample_times(clocks.TRIGGER, span[0] + CAMERA_INSET_S, span[1] - CAMERA_INSET_S, rng)
    lost = 0.0 if verdict.lost_s is None else verdict.lost_s
    angles = np.array([np.interp(lost, logged.joint_times_s, column) for column in logged.joints_rad.T])
    item = track_item(scene.item, verdict, kin.compute_tool_pose(arm.make_arm_chain(), angles))
    streams = {}
    for name, eye in make_cameras(scene, rig).items():
        is_depth = name.startswith("depth")
        times = trigger[:: rig.depth_every] if is_depth else trigger
        times = times + rng.normal(0, clocks.TRIGGER.jitter_s, len(times))
        streams[name] = Stream(
            name=name,
            kind=StreamKind.DEPTH if is_depth else StreamKind.RGB,
            unit="m" if is_depth else "sRGB",
            clocks=make_stamps(times, clocks.TRIGGER, motion_ns, rng),
            pictures=Rendered(eye, times, logged, item, is_depth),
            nominal_hz=clocks.TRIGGER.hz / (rig.depth_every if is_depth else 1),
            frame_id=f"{name.replace('/', '_')}_optical",
            serial=f"{name.replace('/', '-')}-{serial}",
        )
    return streams


def _make_episode(scene: Scene, verdict: Verdict, streams: Mapping[str, Stream], facts: Mapping[str, Any]) -> Episode:
    item, side = scene.item, verdict.path.style.side_m
    more = {
        "sku": item.article.sku,
        "packaging": item.article.packaging,
        "lux": f"{scene.lux:.0f}",
        "light_angle_deg": f"{np.degrees(scene.shadow_rad):.0f}",
        "temperature_c": f"{scene.temperature_c:.1f}",
        "humidity_percent": f"{scene.humidity_percent:.0f}",
        "surface": scene.site.surface,
        "target_x": f"{item.x:.4f}",
        "target_y": f"{item.y:.4f}",
        "target_yaw": f"{item.yaw_rad:.4f}",
        "approach": "left" if side > ASIDE_M else "right" if side < -ASIDE_M else "straight",
        "synchronised_by": "hardware trigger, PTP",
        **{f"serial.{name}": stream.serial for name, stream in streams.items()},
    }
    parts = [
        b
        for s in streams.values()
        for b in (s.name.encode(), s.times_ns.tobytes(), b"" if s.values is None else s.values.tobytes())
    ]
    identity = compute_content_id(parts)
    return Episode(
        **{
            "id": identity,
            "name": f"{scene.site.id}-{identity[:8]}",
            "format": "simulated",
            "task": "pick",
            "robot": f"arm-{scene.site.id}-1",
            "site": scene.site.id,
            "stratum": scene.stratum,
            "start_ns": int(min(s.times_ns[0] for s in streams.values())),
            "end_ns": int(max(s.times_ns[-1] for s in streams.values())),
            "simulated": True,
            "succeeded": verdict.succeeded,
            "failure": verdict.failure.value if verdict.failure else "",
            "facts": tuple(sorted(more.items())),
            **facts,
        }
    )

"""Healthy recordings made of NumPy alone: nothing is wrong with them, so every check passes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Case
from fieldloop.model.annotation import Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import Status
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.protocol import CollectionProtocol, parse_protocol
from fieldloop.testing.pick import ATTEMPT_S, CONTACT_M, PHASES, POST_S, PRE_S, compute_finger_opening, draw_random_pick

START_NS = 1_767_225_600 * NS_PER_S  # 2026-01-01: code that works only near zero fails
JOINTS = tuple(f"joint_{i}" for i in range(1, 7))
IMU = ("ax", "ay", "az", "gx", "gy", "gz")
SIZE = (64, 48)
RATES = {"camera": 30.0, "joints": 120.0, "force": 240.0}
LAG_S = 0.05
GRIP_N, REST_N, TOOL_N, ITEM_N = 12.0, 0.1, 8.0, 2.0
FACTS = (
    ("interface", "vr"), ("lux", "480"), ("light_angle_deg", "30"), ("temperature_c", "21.5"),
    ("humidity_percent", "45"), ("surface", "tote, grey plastic"),
)  # fmt: skip

PROTOCOL = """
[check.timing.real_stamps]
min = 1.0

[sensors."camera/overhead"]
kind = "rgb"
required = true
hz = 30
width = 64
height = 48

[sensors.joints]
kind = "joint_position"
required = true
hz = 120

[sensors.force]
kind = "force_torque"
delicate = true

[sensors."gripper/effort"]
kind = "gripper"
delicate = true
"""


@dataclass(frozen=True, slots=True)
class Pictures:
    """A FrameSource that draws its frames: a bright square travels over a gradient, no two frames alike."""

    places: tuple[float, ...]
    width: int = SIZE[0]
    height: int = SIZE[1]
    depth: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    def __len__(self) -> int:
        return len(self.places)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Draw frames in ascending order."""
        for index in range(len(self)) if indices is None else sorted(indices):
            yield self._draw(self.places[index])

    def _draw(self, place: float) -> NDArray[Any]:
        picture = _draw_background(self.width, self.height).copy()
        side = self.height // 3
        left = round(place * (self.width - side))
        picture[side : 2 * side, left : left + side] = 220.0 + 20.0 * np.sin(40 * place)
        if self.depth:
            return (picture / 200.0).astype(np.float32)
        return np.repeat(picture.astype(np.uint8)[:, :, None], 3, axis=2)


@cache
def _draw_background(width: int, height: int) -> NDArray[np.float64]:
    return np.tile(np.linspace(40, 160, width), (height, 1))


def make_healthy_recording(*, seed: int = 0, **facts: Any) -> Recording:
    """Make a healthy recording: two cameras, depth, joints, gripper, force, IMU, tool, action.

    Another seed gives another episode of the same task; `facts` replace fields of its Episode.
    """
    random = np.random.default_rng(seed)
    streams = {stream.name: stream for stream in _make_streams(random)}
    times = [stream.times_ns for stream in streams.values()]
    joints = streams["joints"].values
    assert joints is not None
    episode = Episode(
        id=compute_content_id([joints.tobytes()]), name=f"synthetic-{seed}", format="synthetic", task="pick",
        robot="arm-1", site="lab", operator=f"operator-{seed % 4}", session="session-1", protocol="default v1",
        stratum=Stratum.of(lighting="bright", bin="front"), start_ns=int(min(t[0] for t in times)),
        end_ns=int(max(t[-1] for t in times)), simulated=True, succeeded=True, facts=FACTS,
    )  # fmt: skip
    return Recording(replace(episode, **facts), streams)


def get_healthy_protocol() -> CollectionProtocol:
    """Return the protocol under which every check of a healthy recording has an answer."""
    return parse_protocol(PROTOCOL, "synthetic")


def make_healthy_case(*, seed: int = 0, recording: Recording | None = None) -> Case:
    """Assemble a healthy recording for checking, with calibrations in force and its phases annotated."""
    made = recording or _give_video_clocks(make_healthy_recording(seed=seed))
    cameras = [s.name for s in made.streams.values() if s.kind is StreamKind.RGB]
    return Case(
        made,
        get_healthy_protocol(),
        tuple(_make_calibration(name) for name in cameras),
        tuple(_make_phase_annotations(made.episode)),
    )


def replace_streams(recording: Recording, changed: Mapping[str, Stream | None]) -> Recording:
    """Return the recording with some streams replaced; None removes one."""
    streams = {**recording.streams, **changed}
    return replace(recording, streams={name: stream for name, stream in streams.items() if stream is not None})


def _give_video_clocks(recording: Recording) -> Recording:
    """Give the wrist camera the clocks of a video beside a table: row n refers to frame n."""
    camera = recording.streams["camera/wrist"]
    video = camera.times_ns - camera.times_ns[0]
    clocks = {**camera.clocks, ClockKind.CONTAINER: video, ClockKind.SYNTHETIC: video}
    return replace_streams(recording, {camera.name: replace(camera, clocks=clocks)})


def _make_streams(random: np.random.Generator) -> Iterator[Stream]:
    joints_s, camera_s, force_s = (_make_sample_times(RATES[name]) for name in ("joints", "camera", "force"))
    attempt = draw_random_pick(random, len(JOINTS))
    positions = attempt.compute_joint_angles(joints_s) + _draw_noise(random, (len(joints_s), len(JOINTS)), 2e-5)
    commands = np.column_stack(
        [attempt.compute_joint_angles(joints_s + LAG_S), compute_finger_opening(joints_s + LAG_S)]
    )
    grip = np.where(compute_finger_opening(joints_s) < CONTACT_M, GRIP_N, REST_N) + _draw_noise(
        random, len(joints_s), 0.05
    )
    velocity = np.gradient(positions, 1 / RATES["joints"], axis=0)
    yield _make_camera_stream("camera/overhead", camera_s, seed=random)
    yield _make_camera_stream("camera/wrist", camera_s, seed=random)
    yield _make_camera_stream("depth/overhead", camera_s, seed=random, depth=True)
    yield _make_signal_stream("joints", StreamKind.JOINT_POSITION, "rad", joints_s, positions, JOINTS)
    yield _make_signal_stream("joints/velocity", StreamKind.JOINT_VELOCITY, "rad/s", joints_s, velocity, JOINTS)
    yield _make_signal_stream(
        "gripper", StreamKind.GRIPPER, "m", joints_s, compute_finger_opening(joints_s)[:, None], ("width",)
    )
    yield _make_signal_stream("gripper/effort", StreamKind.GRIPPER, "N", joints_s, grip[:, None], ("width",))
    weight = np.where(compute_finger_opening(force_s) < CONTACT_M, TOOL_N + ITEM_N, TOOL_N)
    force = _draw_noise(random, (len(force_s), 6), 0.2) + weight[:, None] * np.eye(6)[2]
    yield _make_signal_stream(
        "force", StreamKind.FORCE_TORQUE, "N, N·m", force_s, force, ("fx", "fy", "fz", "tx", "ty", "tz")
    )
    yield _make_signal_stream(
        "imu", StreamKind.IMU, "m/s², rad/s", force_s, _draw_noise(random, (len(force_s), 6), 0.05), IMU
    )
    tool = np.column_stack([attempt.compute_tool_position(joints_s), attempt.compute_turn(joints_s)])
    tool[:, :3] += _draw_noise(random, (len(joints_s), 3), 1e-5)
    yield _make_signal_stream("tool", StreamKind.POSE, "m", joints_s, tool, ("x", "y", "z", "qx", "qy", "qz", "qw"))
    yield _make_signal_stream("action", StreamKind.ACTION, "rad", joints_s, commands, (*JOINTS, "gripper"))


def _make_sample_times(hz: float) -> NDArray[np.float64]:
    return np.arange(round((PRE_S + ATTEMPT_S + POST_S) * hz)) / hz


def _draw_noise(random: np.random.Generator, shape: int | tuple[int, ...], scale: float) -> NDArray[np.float64]:
    return random.normal(0.0, scale, shape)


def _make_clocks(at_s: NDArray[np.float64]) -> dict[ClockKind, NDArray[np.int64]]:
    sensed = START_NS + np.round(at_s * NS_PER_S).astype(np.int64)
    return {ClockKind.HEADER: sensed, ClockKind.PUBLISH: sensed + 1_000_000, ClockKind.LOG: sensed + 3_000_000}


def _make_signal_stream(
    name: str, kind: StreamKind, unit: str, at_s: NDArray[np.float64], values: NDArray[Any], columns: tuple[str, ...]
) -> Stream:
    hz = len(at_s) / (PRE_S + ATTEMPT_S + POST_S)
    frame = "wrist" if kind in (StreamKind.FORCE_TORQUE, StreamKind.IMU) else "base"
    return Stream(
        name,
        kind,
        unit,
        _make_clocks(at_s),
        values,
        nominal_hz=hz,
        columns=columns,
        frame_id=frame,
        serial=f"{name.partition('/')[0]}-1",
    )


def _make_camera_stream(
    name: str, at_s: NDArray[np.float64], *, seed: np.random.Generator, depth: bool = False
) -> Stream:
    places = tuple(((at_s / at_s[-1] + seed.uniform(0, 0.2)) % 1.0).tolist())
    kind, unit = (StreamKind.DEPTH, "m") if depth else (StreamKind.RGB, "8-bit")
    pictures = Pictures(places, depth=depth)
    return Stream(
        name, kind, unit, _make_clocks(at_s), pictures=pictures, nominal_hz=RATES["camera"], serial=f"{name}-1"
    )


def _make_phase_annotations(episode: Episode) -> Iterator[Annotation]:
    first_ns = START_NS + round(PRE_S * NS_PER_S)
    for label, span in PHASES.items():
        begin, end = (first_ns + round(at_s * NS_PER_S) for at_s in span)
        yield Annotation(episode.id, "phase", label, begin, end, "synthetic")


def _make_calibration(sensor: str) -> Calibration:
    eye = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))
    return Calibration(
        f"calibration_{sensor}", "hand_eye", "arm-1", sensor, "base", "camera", eye, "park", 0.5, 0.1, 20,
        Status.PASSED, valid_from_ns=START_NS - NS_PER_S,
    )  # fmt: skip

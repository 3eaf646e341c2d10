"""Healthy recordings made of NumPy alone: nothing is wrong with them, so every check passes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Batch, Case
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.finding import Status
from fieldloop.model.identity import content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.protocol import CollectionProtocol, parse_protocol

START_NS = 1_767_225_600 * NS_PER_S  # 2026-01-01, so that nothing works only near zero
PRE_S, ATTEMPT_S, POST_S = 1.5, 6.0, 2.5
JOINTS = tuple(f"joint_{i}" for i in range(1, 7))
IMU = ("ax", "ay", "az", "gx", "gy", "gz")
SIZE = (64, 48)
RATES = {"camera": 30.0, "joints": 120.0, "force": 240.0}

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
        across = np.linspace(40, 160, self.width)
        picture = np.tile(across, (self.height, 1))
        side = self.height // 3
        left = round(place * (self.width - side))
        picture[side : 2 * side, left : left + side] = 220.0 + 20.0 * np.sin(40 * place)
        if self.depth:
            return (picture / 200.0).astype(np.float32)
        return np.repeat(picture[:, :, None], 3, axis=2).astype(np.uint8)


def healthy(*, seed: int = 0, **facts: Any) -> Recording:
    """Make a recording nothing is wrong with: two cameras, depth, joints, gripper, force, IMU, tool, action.

    Another seed is another episode of the same task; `facts` replace fields of its Episode.
    """
    random = np.random.default_rng(seed)
    streams = {stream.name: stream for stream in _streams(random)}
    times = [stream.times_ns for stream in streams.values()]
    joints = streams["joints"].values
    assert joints is not None
    episode = Episode(
        id=content_id([joints.tobytes()]), name=f"synthetic-{seed}", format="synthetic", task="pick", robot="arm-1",
        site="lab", operator=f"operator-{seed % 4}", session="session-1", protocol="default v1",
        stratum=Stratum.of(lighting="bright", bin="front"), start_ns=int(min(t[0] for t in times)),
        end_ns=int(max(t[-1] for t in times)), simulated=True, succeeded=True,
    )  # fmt: skip
    return Recording(replace(episode, **facts), streams)


def protocol() -> CollectionProtocol:
    """Return the protocol under which a healthy recording leaves no question open."""
    return parse_protocol(PROTOCOL, "synthetic")


def healthy_case(*, seed: int = 0, recording: Recording | None = None) -> Case:
    """Assemble a healthy recording for checking, with calibrations in force."""
    made = recording or healthy(seed=seed)
    cameras = [s.name for s in made.streams.values() if s.kind is StreamKind.RGB]
    return Case(made, protocol(), tuple(_calibration(name) for name in cameras))


def healthy_batch(episodes: int = 12) -> Batch:
    """Make a batch nothing is wrong with: four operators, indices without a gap, lengths alike."""
    made = [healthy(seed=i).episode for i in range(episodes)]
    facts = [
        (("dataset", "set"), ("dataset_episodes", str(episodes)), ("episode_index", str(i))) for i in range(episodes)
    ]
    return Batch(tuple(replace(e, facts=f) for e, f in zip(made, facts, strict=True)), (), protocol())


def with_streams(recording: Recording, changed: Mapping[str, Stream | None]) -> Recording:
    """Return the recording with some streams replaced; None removes one."""
    streams = {**recording.streams, **changed}
    return replace(recording, streams={name: stream for name, stream in streams.items() if stream is not None})


def _streams(random: np.random.Generator) -> Iterator[Stream]:
    joints_s, camera_s, force_s = (_seconds(RATES[name]) for name in ("joints", "camera", "force"))
    reach = random.uniform(0.5, 0.9, len(JOINTS)) * np.where(np.arange(len(JOINTS)) % 2, -1, 1)
    positions = _path(joints_s, reach) + _noise(random, (len(joints_s), len(JOINTS)), 2e-5)
    commands = np.column_stack([_path(joints_s + 0.05, reach), _opening(joints_s)])
    grip = np.where(_opening(joints_s) < 0.03, 12.0, 0.1) + _noise(random, len(joints_s), 0.05)  # noqa: PLR2004 - shut
    velocity = np.gradient(positions, 1 / RATES["joints"], axis=0)
    yield _camera("camera/overhead", camera_s, seed=random)
    yield _camera("camera/wrist", camera_s, seed=random)
    yield _camera("depth/overhead", camera_s, seed=random, depth=True)
    yield _signal("joints", StreamKind.JOINT_POSITION, "rad", joints_s, positions, JOINTS)
    yield _signal("joints/velocity", StreamKind.JOINT_VELOCITY, "rad/s", joints_s, velocity, JOINTS)
    yield _signal("gripper", StreamKind.GRIPPER, "m", joints_s, _opening(joints_s)[:, None], ("width",))
    yield _signal("gripper/effort", StreamKind.GRIPPER, "N", joints_s, grip[:, None], ("width",))
    force = _noise(random, (len(force_s), 6), 0.2) + np.asarray([0, 0, 8, 0, 0, 0])
    yield _signal("force", StreamKind.FORCE_TORQUE, "N, N·m", force_s, force, ("fx", "fy", "fz", "tx", "ty", "tz"))
    yield _signal("imu", StreamKind.IMU, "m/s², rad/s", force_s, _noise(random, (len(force_s), 6), 0.05), IMU)
    tool = np.column_stack([positions[:, :3] / 2, np.zeros((len(joints_s), 3)), np.ones(len(joints_s))])
    yield _signal("tool", StreamKind.POSE, "m", joints_s, tool, ("x", "y", "z", "qx", "qy", "qz", "qw"))
    yield _signal("action", StreamKind.ACTION, "rad", joints_s, commands, (*JOINTS, "gripper"))


def _seconds(hz: float) -> NDArray[np.float64]:
    return np.arange(round((PRE_S + ATTEMPT_S + POST_S) * hz)) / hz


def _path(at_s: NDArray[np.float64], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    """There and back without a pause: still before and behind, speed zero only at its ends and its turn."""
    phase = np.clip((at_s - PRE_S) / ATTEMPT_S, 0.0, 1.0)
    wave = (1 - np.cos(2 * np.pi * phase)) / 2 + 0.1 * np.sin(6 * np.pi * phase) * np.sin(np.pi * phase)
    return wave[:, None] * reach


def _opening(at_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Close in the middle third of the attempt, at a finite speed."""
    third = ATTEMPT_S / 3
    closed = np.clip((at_s - PRE_S - third) / 0.3, 0, 1) - np.clip((at_s - PRE_S - 2 * third) / 0.3, 0, 1)
    return 0.08 - 0.06 * closed


def _noise(random: np.random.Generator, shape: int | tuple[int, ...], scale: float) -> NDArray[np.float64]:
    return random.normal(0.0, scale, shape)


def _clocks(at_s: NDArray[np.float64]) -> dict[ClockKind, NDArray[np.int64]]:
    sensed = START_NS + np.round(at_s * NS_PER_S).astype(np.int64)
    return {ClockKind.HEADER: sensed, ClockKind.PUBLISH: sensed + 1_000_000, ClockKind.LOG: sensed + 3_000_000}


def _signal(
    name: str, kind: StreamKind, unit: str, at_s: NDArray[np.float64], values: NDArray[Any], columns: tuple[str, ...]
) -> Stream:
    hz = len(at_s) / (PRE_S + ATTEMPT_S + POST_S)
    return Stream(name, kind, unit, _clocks(at_s), values, nominal_hz=hz, columns=columns)


def _camera(name: str, at_s: NDArray[np.float64], *, seed: np.random.Generator, depth: bool = False) -> Stream:
    places = tuple(((at_s / at_s[-1] + seed.uniform(0, 0.2)) % 1.0).tolist())
    kind, unit = (StreamKind.DEPTH, "m") if depth else (StreamKind.RGB, "8-bit")
    return Stream(name, kind, unit, _clocks(at_s), pictures=Pictures(places, depth=depth), nominal_hz=RATES["camera"])


def _calibration(sensor: str) -> Calibration:
    eye = tuple(tuple(float(i == j) for j in range(4)) for i in range(4))
    return Calibration(
        f"calibration_{sensor}", "hand_eye", "arm-1", sensor, "base", "camera", eye, "park", 0.5, 0.1, 20,
        Status.PASSED, valid_from_ns=START_NS - NS_PER_S,
    )  # fmt: skip

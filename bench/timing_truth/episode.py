"""One recording whose timing is known exactly: a motion, filmed and sensed, with a lag planted between the clocks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from bench.timing_truth import motions
from bench.timing_truth.capture import Film
from bench.timing_truth.motions import Motion, wander
from bench.timing_truth.rig import STAMPED, Rig, View
from bench.timing_truth.scenes import set_up
from bench.timing_truth.truth import CameraTruth, Step, TimedEpisode
from bench.timing_truth.video import RawFrames, compress
from fieldloop.errors import BadInput, UnknownName
from fieldloop.geometry.transforms import Floats
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

START_NS = 1_780_000_000 * NS_PER_S
LAG_MS = 100.0
"""Lags that are not given are drawn between minus and plus this."""
SPARE_S = 0.5
"""Joints are logged so long before the first and behind the last frame."""
SHORTEST_S = 0.0005


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a camera's stamps: see `make_episode`."""

    lag_ms: float
    drift_ppm: float
    step: Step | None
    jitter_ms: float


def make_episode(  # noqa: PLR0913 - each is one thing to plant, all but two by name and with a default
    rig: Rig,
    seed: int,
    *,
    motion: str = "pick",
    seconds: float = 12.0,
    lag_ms: float | Mapping[str, float] | None = None,
    drift_ppm: float = 0.0,
    step: Step | None = None,
    jitter_ms: float = 0.0,
    cameras: Iterable[str] | None = None,
    raw: bool = False,
) -> TimedEpisode:
    """Film one motion of a rig and plant a lag (ms, for all cameras or each; drawn within ±100 where None).

    `lag_ms` is the whole constant lag: joint latency and where in the exposure the stamp is taken are part of it, not
    added to it. `drift_ppm` and `step` come on top; `jitter_ms` is the standard deviation of the stamps' noise. `raw`
    leaves out the compression. The same arguments give the same bits.
    """
    views = _chosen(rig, cameras)
    if seconds <= 0:
        raise BadInput(f"An episode lasts longer than {seconds:g} s; ask for 12.")
    done = _motion(rig, motion, seconds, seed)
    scene = set_up(rig.stage, rig.arm.rooms, chance(rig, seed, "scene"))
    joints = _joints(rig, done, seconds, seed)
    streams, truth = {"joints": joints, "gripper": _fingers(rig, done, joints)}, {}
    for name, view in rig.views.items():
        if name not in views:
            continue
        rng = chance(rig, seed, name)
        drawn = float(rng.uniform(-LAG_MS, LAG_MS))
        asked = lag_ms.get(name) if isinstance(lag_ms, Mapping) else lag_ms
        fault = Fault(drawn if asked is None else asked, drift_ppm, step, jitter_ms)
        times, stamps, truth[name] = _clock(view, rig.joints.latency_s, seconds, fault, rng)
        film = Film(rig, view, scene, done, int(chance(rig, seed, f"{name}/film").integers(2**31)))
        pictures = film.pictures(times, truth[name].exposures_s)
        streams[name] = Stream(
            name=name,
            kind=StreamKind.RGB,
            unit="sRGB",
            clocks={ClockKind.HEADER: START_NS + np.round(stamps * NS_PER_S).astype(np.int64)},
            pictures=RawFrames(np.stack(list(pictures))) if raw else compress(pictures, view.hz, view.codec),
            nominal_hz=view.hz,
            frame_id=f"{name.replace('/', '_')}_optical",
        )
    return TimedEpisode(Recording(_episode(rig, seed, motion, streams), streams), truth)


def chance(rig: Rig, seed: int, what: str) -> np.random.Generator:
    """Return the chance that decides one matter of one episode, whatever else is drawn."""
    if seed < 0:
        raise BadInput(f"The seed is {seed}; seeds count from 0.")
    return np.random.default_rng([seed, crc32(f"{rig.name}/{what}".encode())])


def _chosen(rig: Rig, cameras: Iterable[str] | None) -> set[str]:
    wanted = set(rig.views if cameras is None else cameras)
    if unknown := sorted(wanted - set(rig.views)):
        raise UnknownName(f"camera of {rig.name}", unknown[0], rig.views)
    return wanted


def _motion(rig: Rig, name: str, seconds: float, seed: int) -> Motion:
    return motions.motion(rig.arm, name, seconds, chance(rig, seed, "motion"), straight=rig.straight)


def _clock(
    view: View, latency_s: float, seconds: float, fault: Fault, rng: np.random.Generator
) -> tuple[Floats, Floats, CameraTruth]:
    """Return when frames were taken (world), how they are stamped (the camera's clock), and the truth about both.

    Exposures start on a regular beat. The joints' clock shows the world's time plus the sensor's latency.
    """
    count = max(int(seconds * view.hz), 2)
    starts = rng.uniform(0, 1 / view.hz) + np.arange(count) / view.hz
    exposures = np.full(count, view.exposure_s)
    if view.breathing:
        exposures = exposures * (1 + view.breathing * np.tanh(wander(rng, count, 0.3, 1, view.hz)[:, 0]))
    exposures = np.clip(exposures, SHORTEST_S, 1 / view.hz)
    taken = starts + exposures / 2
    lags = fault.lag_ms / 1e3 + (0.5 - STAMPED[view.stamped]) * (exposures - exposures.mean())
    lags = lags + fault.drift_ppm * 1e-6 * (starts - starts.mean())
    lags = lags + np.clip(rng.normal(0, 1, count) * fault.jitter_ms / 1e3, -0.4 / view.hz, 0.4 / view.hz)
    kept, jump, first = np.ones(count, bool), 0.0, None
    if fault.step is not None:
        first = int(np.searchsorted(starts, fault.step.at_s))
        kept[first : first + fault.step.frames] = False
        jump = fault.step.frames / view.hz
        lags = lags + jump * (np.arange(count) >= first)
    stamps = taken + latency_s - lags
    truth = CameraTruth(
        lags[kept], fault.lag_ms, fault.drift_ppm, jump * 1e3, first, exposures[kept], view.readout_s, view.height
    )
    return taken[kept], stamps[kept], truth


def _joints(rig: Rig, done: Motion, seconds: float, seed: int) -> Stream:
    """Sense the joints: on their own beat, a little late, noisy, in whole steps of the encoder."""
    sensor, rng = rig.joints, chance(rig, seed, "joints")
    times = np.arange(int((seconds + 2 * SPARE_S) * sensor.hz)) / sensor.hz - SPARE_S + rng.uniform(0, 1 / sensor.hz)
    angles = done.spline()(times - sensor.latency_s)
    angles = angles + rng.normal(0, sensor.noise_rad, angles.shape)
    return Stream(
        name="joints",
        kind=StreamKind.JOINT_POSITION,
        unit="rad",
        clocks={ClockKind.HEADER: START_NS + np.round(times * NS_PER_S).astype(np.int64)},
        values=np.round(angles / sensor.step_rad) * sensor.step_rad,
        nominal_hz=sensor.hz,
        columns=rig.arm.joints,
    )


def _fingers(rig: Rig, done: Motion, joints: Stream) -> Stream:
    """Sense the fingers of each limb with its joints."""
    times = (joints.times_ns - START_NS) / NS_PER_S - rig.joints.latency_s
    return Stream(
        name="gripper",
        kind=StreamKind.GRIPPER,
        unit="m",
        clocks={ClockKind.HEADER: joints.times_ns.copy()},
        values=np.stack([np.interp(times, done.times_s, column) for column in done.opening_m.T], axis=1),
        nominal_hz=rig.joints.hz,
        columns=("width",) if len(rig.arm.limbs) == 1 else ("a_width", "b_width"),
    )


def _episode(rig: Rig, seed: int, motion: str, streams: Mapping[str, Stream]) -> Episode:
    joints = streams["joints"].values
    assert joints is not None
    stamps = [stream.times_ns.tobytes() for stream in streams.values()]
    return Episode(
        id=compute_content_id([rig.name.encode(), joints.tobytes(), *stamps]),
        name=f"{rig.name}-{motion}-{seed}",
        format="simulated",
        task=motion,
        robot=rig.name,
        site="timing",
        start_ns=int(min(stream.times_ns[0] for stream in streams.values())),
        end_ns=int(max(stream.times_ns[-1] for stream in streams.values())),
        simulated=True,
    )

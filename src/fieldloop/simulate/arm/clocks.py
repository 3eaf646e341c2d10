"""Clocks: when each sensor sampled, when its driver published, when the log received it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.transforms import Floats
from fieldloop.model.stream import NS_PER_S, ClockKind


@dataclass(frozen=True, slots=True)
class Beat:
    """Timing of one sensor: its rate, its sampling jitter, and the delays of its driver and the network."""

    hz: float
    jitter_s: float
    driver_s: float
    network_s: float


TRIGGER = Beat(30.0, 0.00005, 0.004, 0.0015)
"""Cameras and depth share one hardware trigger."""
JOINTS = Beat(200.0, 0.00008, 0.0006, 0.0004)
GRIPPER = Beat(125.0, 0.0001, 0.0010, 0.0004)
ACTION = Beat(125.0, 0.0001, 0.0004, 0.0004)
FORCE = Beat(200.0, 0.0001, 0.0008, 0.0004)
IMU = Beat(200.0, 0.0001, 0.0007, 0.0004)
BEATS = {
    "camera/overhead": TRIGGER, "camera/wrist": TRIGGER, "depth/overhead": TRIGGER, "joints": JOINTS,
    "gripper": GRIPPER, "action": ACTION, "force": FORCE, "imu": IMU,
}  # fmt: skip
"""The devices of a station by the name of their stream."""
UNSTEADY = 3.0
"""The largest stated offset of a device, in standard deviations of its jitter."""


def get_max_offsets_ms() -> dict[str, float]:
    """Return how far each device's stamps can be off: they are the true times plus its jitter.

    >>> get_max_offsets_ms()["camera/wrist"] < get_max_offsets_ms()["force"] < 1.0
    True
    """
    return {stream: 1e3 * UNSTEADY * beat.jitter_s for stream, beat in BEATS.items()}


def draw_sample_times(timing: Beat, begin_s: float, end_s: float, rng: np.random.Generator) -> Floats:
    """Return the true times at which a sensor samples: with its own phase, clock drift and jitter."""
    period = (1 + rng.normal(0, 10e-6)) / timing.hz
    steps = np.arange(int((end_s - begin_s) / period) - 1)
    return begin_s + rng.uniform(0, period) + steps * period + rng.normal(0, timing.jitter_s, len(steps))


def make_stamps(
    times_s: Floats, timing: Beat, start_ns: int, rng: np.random.Generator
) -> dict[ClockKind, NDArray[np.int64]]:
    """Return the three clocks of a stream: sensed (true, PTP), published, received; each never runs backwards."""
    header = start_ns + np.round(times_s * NS_PER_S).astype(np.int64)
    driver = timing.driver_s * (1 + rng.gamma(2.0, 0.1, len(times_s)))
    network = timing.network_s * (1 + rng.gamma(2.0, 0.3, len(times_s)))
    publish = np.maximum.accumulate(header + np.round(driver * NS_PER_S).astype(np.int64))
    log = np.maximum.accumulate(publish + np.round(network * NS_PER_S).astype(np.int64))
    return {ClockKind.HEADER: header, ClockKind.PUBLISH: publish, ClockKind.LOG: log}

"""The joints' path, smoothed and evenly sampled, to be interpolated at any moment.

Smoothing comes before interpolation: interpolation itself smooths encoder noise, most of all half-way between samples,
which would bias a regression over lags towards half a sample.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S, Stream, StreamKind

KEPT_HZ = 50
"""Sampling rate: 2.5 times the smoothing's cut-off, enough for a spline and little to keep."""

WORKING_HZ = 200  # smoothing is done on a grid four times as fine as the kept one
FEWEST = 16  # samples that the filter and its padding need
SOURCES = (StreamKind.JOINT_POSITION, StreamKind.POSE, StreamKind.HAND_POSE)
"""Kinds of streams that show the robot's motion, best first. Not the gripper: it has a driver and a latency of its own,
and the jerk of its fingers would outweigh all joints where a wrist camera moves slowly."""


def choose_motion_streams(streams: Sequence[Stream]) -> tuple[Stream, ...]:
    """Choose the streams that show the robot's motion."""
    for kind in SOURCES:
        moving = tuple(s for s in streams if s.kind is kind and s.values is not None and len(s) >= FEWEST)
        if moving:
            return moving
    return ()


def resample_joint_path(streams: Sequence[Stream], cutoff_hz: float) -> tuple[int, NDArray[np.float32]] | None:
    """Resample streams to one even grid of 50 Hz where all have data; return its first moment (ns) and values."""
    cleaned = [clean for clean in map(_clean_samples, streams) if clean is not None]
    if not cleaned:
        return None
    begin = max(int(at[0]) for at, _ in cleaned)
    end = min(int(at[-1]) for at, _ in cleaned)
    if end - begin < FEWEST * NS_PER_S // KEPT_HZ:
        return None
    columns = [_resample_evenly(at, values, begin, end, cutoff_hz) for at, values in cleaned]
    return begin, np.hstack(columns).astype(np.float32)


def _clean_samples(stream: Stream) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Drop samples with NaN or a repeated timestamp; unwrap angles."""
    if stream.values is None or stream.values.dtype.kind not in "fiub":
        return None
    values = stream.values.reshape(len(stream.values), -1).astype(np.float64)
    at, first = np.unique(stream.times_ns[: len(values)], return_index=True)
    values = values[first]
    finite = np.isfinite(values).all(axis=1)
    at, values = at[finite], values[finite]
    if len(at) < FEWEST:
        return None
    if stream.unit.startswith("rad"):
        values = np.unwrap(values, axis=0)
    return at, values


def _resample_evenly(
    times_ns: NDArray[np.int64], values: NDArray[np.float64], begin_ns: int, end_ns: int, cutoff_hz: float
) -> NDArray[np.float64]:
    from scipy.interpolate import CubicSpline
    from scipy.signal import butter, sosfiltfilt

    rate = (len(times_ns) - 1) * NS_PER_S / max(int(times_ns[-1] - times_ns[0]), 1)
    stride = max(WORKING_HZ // KEPT_HZ, int(np.ceil(rate / KEPT_HZ)))
    hz = stride * KEPT_HZ
    moments = np.arange((end_ns - begin_ns) * hz // NS_PER_S + 1) / hz
    fine = CubicSpline((times_ns - begin_ns) / NS_PER_S, values)(moments)
    low_pass = butter(2, cutoff_hz, fs=hz, output="sos")
    padding = min(len(fine) - 1, hz)
    return np.asarray(sosfiltfilt(low_pass, fine, axis=0, padlen=padding)[::stride])

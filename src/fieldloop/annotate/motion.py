"""Signals on one clock, and when a movement begins and ends in them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S, Stream

Floats = NDArray[np.float64]
MIN_SAMPLES = 5
"""A slope by least squares over fewer is a guess."""


@dataclass(frozen=True, slots=True, eq=False)
class Traces:
    """Tool and gripper on one even grid of seconds from `start_ns`."""

    start_ns: int
    hz: float
    place: Floats
    velocity: Floats
    width: Floats
    width_rate: Floats
    effort: Floats | None

    @property
    def speed(self) -> Floats:
        """How fast the tool moves, m/s."""
        return np.asarray(np.linalg.norm(self.velocity, axis=1))

    def time_ns(self, index: float) -> int:
        """Return the time of a (fractional) grid index."""
        return self.start_ns + round(index / self.hz * NS_PER_S)


def resample_traces(
    tool: Stream, gripper: Stream, effort: Stream | None, measures: Mapping[str, float]
) -> Traces | str:
    """Resample the streams on one grid; return the reason where that is impossible."""
    samples = [
        _select_valid_samples(tool, 3),
        _select_valid_samples(gripper, 1),
        *([_select_valid_samples(effort, 1)] if effort is not None else []),
    ]
    for stream, (times, _) in zip((tool, gripper), samples, strict=False):
        if len(times) < MIN_SAMPLES:
            return f"{stream.name} has {len(times)} usable samples"
    hz = measures["grid_hz"]
    start, end = max(int(t[0]) for t, _ in samples[:2]), min(int(t[-1]) for t, _ in samples[:2])
    grid = np.arange(0, (end - start) / NS_PER_S, 1 / hz)
    if len(grid) < 2 * MIN_SAMPLES:
        return f"{tool.name} and {gripper.name} hardly overlap in time"
    place, width = (_interpolate_on_grid(grid, start, times, values) for times, values in samples[:2])
    window = max(MIN_SAMPLES, int(measures["smooth_s"] * hz) | 1)
    finger_window = max(MIN_SAMPLES, window // 2 | 1)  # fingers move in a fraction of the time that an arm takes
    pressed = [_interpolate_on_grid(grid, start, *held)[:, 0] for held in samples[2:] if len(held[0]) >= MIN_SAMPLES]
    return Traces(
        start_ns=start,
        hz=hz,
        place=place,
        velocity=_compute_slope(place, window, hz),
        width=width[:, 0],
        width_rate=_compute_slope(width, finger_window, hz)[:, 0],
        effort=pressed[0] if pressed else None,
    )


def find_true_spans(moving: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return [begin, end) of every stretch where something is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], moving, [False]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def find_move_onset(speed: Floats, begin: int, end: int, measures: Mapping[str, float]) -> float | None:
    """Return the (fractional) index in [begin, end) where a move begins that peaks there.

    A smooth move begins too gently to be seen. Two levels of its peak are, and the law of least jerk (Flash and Hogan
    1985) gives how long before them it began.
    """
    here = speed[begin:end]
    if len(here) < MIN_SAMPLES:
        return None
    peak = int(np.argmax(here))
    shares = measures["onset_low"], measures["onset_high"]
    low, high = (_find_index_rising_to(here, peak, share * here[peak]) for share in shares)
    early, later = (_compute_elapsed_share(share) for share in shares)
    return begin + max(0.0, low - (high - low) * early / (later - early))


def find_move_end(speed: Floats, begin: int, end: int, measures: Mapping[str, float]) -> float | None:
    """Return the (fractional) index in [begin, end) where a move ends that peaks there."""
    back = find_move_onset(speed[begin:end][::-1], 0, end - begin, measures)
    return None if back is None else begin + (end - begin - 1) - back


def _compute_elapsed_share(share: float) -> float:
    """Return which part of a minimum-jerk move is over when its speed first reaches a share of its peak."""
    return (1 - math.sqrt(1 - math.sqrt(share))) / 2


def _find_index_rising_to(speed: Floats, peak: int, level: float) -> float:
    below = np.flatnonzero(speed[: peak + 1] < level)
    if not len(below):
        return 0.0
    last = int(below[-1])
    return (
        last + float((level - speed[last]) / max(speed[last + 1] - speed[last], 1e-12)) if last < peak else float(peak)
    )


def _select_valid_samples(stream: Stream, columns: int) -> tuple[NDArray[np.int64], Floats]:
    """Return stamps that rise and values that are finite; the rest is left out."""
    times = stream.times_ns
    values = np.zeros((0, columns)) if stream.values is None else np.asarray(stream.values, float)
    values = values[:, None] if values.ndim == 1 else values[:, :columns]
    if not len(values) or values.shape[1] < columns:
        return times[:0], np.zeros((0, columns))
    fine = np.isfinite(values).all(axis=1)
    times, values = times[fine], values[fine]
    rising = (
        np.concatenate([[True], times[1:] > np.maximum.accumulate(times)[:-1]]) if len(times) else np.zeros(0, bool)
    )
    return times[rising], values[rising]


def _interpolate_on_grid(grid: Floats, start_ns: int, times: NDArray[np.int64], values: Floats) -> Floats:
    seconds = (times - start_ns) / NS_PER_S
    return np.column_stack([np.interp(grid, seconds, column) for column in values.T])


def _compute_slope(values: Floats, window: int, hz: float) -> Floats:
    from scipy.signal import savgol_filter

    window = min(window, len(values) - 1 + len(values) % 2)
    return np.asarray(savgol_filter(values, window, polyorder=2, deriv=1, delta=1 / hz, axis=0))

"""Speed of a signal over a window long enough that noise and single wrong samples do not count as motion."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.signal import Floats, Signal
from fieldloop.model.stream import NS_PER_S

TURN = 2 * np.pi  # a full turn
HIGH = 0.95  # part of what the checks are defined to measure: the 95th percentile


@dataclass(frozen=True, slots=True, eq=False)
class Speeds:
    """Velocity of every column over a window; `times_ns` lies in the window's middle."""

    times_ns: NDArray[np.int64]
    velocity: Floats

    @property
    def norm(self) -> Floats:
        """All columns together."""
        length: Floats = np.sqrt((self.velocity**2).sum(axis=1))
        return length


class Windows(NamedTuple):
    """Windows from a sample to the one `reach` later: their durations and midpoints."""

    reach: int
    span_s: Floats
    middle_ns: NDArray[np.int64]


def compute_speeds(case: Case, signal: Signal, column_count: int | None = None) -> Speeds:
    """Return the velocity of the first `column_count` over the protocol's moving window; angles are unwrapped."""

    def compute_speeds_uncached() -> Speeds:
        window_s = float(case.protocol.setting("episode.moving_window_s"))
        values = signal.values[:, :column_count]
        return compute_windowed_velocity(
            signal, unwrap_full_turns(case, values) if signal.stream.unit == "rad" else values, window_s
        )

    return case.compute_once(("speeds", signal.name, column_count), compute_speeds_uncached)


def compute_windowed_velocity(signal: Signal, values: Floats, window_s: float) -> Speeds:
    """Return velocities over about this many seconds, after a median filter against single wrong samples."""
    calm = filter_by_median_of_three(values)
    window = make_time_windows(signal, window_s)
    velocity = (calm[window.reach :] - calm[: -window.reach]) / window.span_s[:, None]
    velocity[~np.isfinite(velocity)] = 0.0
    return Speeds(window.middle_ns, velocity)


def make_time_windows(signal: Signal, window_s: float) -> Windows:
    """Return windows of about this many seconds, one from each sample that has a later partner."""
    times = signal.times_ns
    reach = min(max(1, round(window_s / signal.period_s)), len(times) - 1)
    lasts_ns = times[reach:] - times[:-reach]
    span_s = np.maximum(np.maximum(lasts_ns, 1) / NS_PER_S, signal.period_s / 2)
    return Windows(reach, span_s, times[:-reach] + lasts_ns // 2)


def compute_high_percentile(values: Floats) -> Floats:
    """Return the 95th percentile of each column: the maximum depends too much on chance.

    >>> float(compute_high_percentile(np.arange(100.0)))
    95.0
    """
    rank = min(len(values) - 1, int(HIGH * len(values)))
    return np.asarray(np.partition(values, rank, axis=0)[rank])


def filter_by_median_of_three(values: Floats) -> Floats:
    """Replace each row by the median of itself and its neighbours, column by column; the ends stay."""
    if len(values) < 3:  # noqa: PLR2004 - nothing between two
        return values
    before, here, behind = values[:-2], values[1:-1], values[2:]
    calm = values.copy()
    calm[1:-1] = np.maximum(np.minimum(before, here), np.minimum(np.maximum(before, here), behind))
    return calm


def unwrap_full_turns(case: Case, values: Floats) -> Floats:
    """Undo full turns between neighbouring samples, so that a wrapped angle does not count as motion."""
    turns = find_full_turn_wraps(values, case.read_parameter("motion.angle_wrap", "slack_rad"))
    if not turns.any():
        return values
    unrolled = values.copy()
    unrolled[1:] -= TURN * np.cumsum(turns, axis=0)
    return unrolled


def find_full_turn_wraps(values: Floats, tolerance_rad: float) -> Floats:
    """Return for each step of each column whether it wraps by a full turn up (1) or down (-1), else 0.

    The rest of the step must continue the motion of its neighbours: a command that jumps from one end to the
    other by nearly a turn does not.

    >>> find_full_turn_wraps(np.array([[3.0], [3.1], [-3.1], [-3.0]]), 0.05).ravel().tolist()
    [0.0, -1.0, 0.0]
    >>> find_full_turn_wraps(np.array([[-3.0], [-3.0], [3.0], [3.0]]), 0.05).ravel().tolist()
    [0.0, 0.0, 0.0]
    """
    steps = np.diff(values, axis=0)
    steps[~np.isfinite(steps)] = 0.0
    turns: Floats = np.round(steps / TURN)
    if not turns.any():
        return turns
    small = np.where(turns == 0, np.abs(steps), 0.0)
    around = np.pad(small, ((1, 1), (0, 0)))
    neighbours = np.maximum(around[:-2], around[2:])
    goes_on = np.abs(steps - TURN * turns) <= tolerance_rad + 2 * neighbours
    return np.where(goes_on, turns, 0.0)

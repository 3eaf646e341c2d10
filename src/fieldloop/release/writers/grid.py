"""Resample streams onto a grid of times, by a stated rule per stream."""

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.release.writers.turns import find_quaternion_columns, slerp

Times = NDArray[np.int64]
Values = NDArray[Any]
LARGEST_ROUNDING_NS = 1_000_000  # Matroska counts milliseconds, and no container counts coarser


class Rule(StrEnum):
    """How a value is found for a moment between two samples."""

    AS_RECORDED = "as recorded"
    HOLD = "hold"
    LINEAR = "linear"
    SLERP = "slerp"
    NEAREST = "nearest"

    @property
    def keeps_samples(self) -> bool:
        """Is a row under this rule a sample that was really taken, so that it has stamps of its own?"""
        return self in (Rule.AS_RECORDED, Rule.NEAREST)


RULES = {
    StreamKind.ACTION: Rule.HOLD,  # a command stands until the next one
    StreamKind.GRIPPER: Rule.HOLD,  # between open and closed nothing can be interpolated
    StreamKind.JOINT_POSITION: Rule.LINEAR,
    StreamKind.JOINT_VELOCITY: Rule.LINEAR,
    StreamKind.JOINT_EFFORT: Rule.LINEAR,
    StreamKind.FORCE_TORQUE: Rule.LINEAR,
    StreamKind.IMU: Rule.LINEAR,
}


def choose_rule(stream: Stream, grid_ns: Times) -> Rule:
    """Return how a stream is brought onto a grid; what is unknown is taken as it was sensed."""
    return Rule.AS_RECORDED if are_same_moments(stream.times_ns, grid_ns) else choose_rule_between_samples(stream)


def choose_rule_between_samples(stream: Stream) -> Rule:
    """Return how a value of this stream is found for a moment at which it has no sample."""
    if stream.values is None:
        return Rule.NEAREST
    if stream.kind in (StreamKind.POSE, StreamKind.HAND_POSE) and stream.values.dtype.kind == "f":
        return Rule.SLERP if find_quaternion_columns(stream.columns) else Rule.NEAREST
    if stream.values.dtype.kind != "f":
        return Rule.HOLD  # counts and flags have no middle
    return RULES.get(stream.kind, Rule.NEAREST)


def are_same_moments(times_ns: Times, grid_ns: Times) -> bool:
    """Are these the grid's own stamps, but for rounding?

    A container counts in its time base and a table in 32-bit seconds, so one frame has two stamps a few
    microseconds apart; by them a held command would come from the frame before. The stream's own stamps stay its own.
    """
    if len(times_ns) != len(grid_ns):
        return False
    if np.array_equal(times_ns, grid_ns):
        return True
    steps = np.diff(grid_ns)
    apart_ns = min(LARGEST_ROUNDING_NS, int(np.median(steps)) // 10 if len(steps) else LARGEST_ROUNDING_NS)
    near = max(apart_ns, 0)
    ends = slice(None, None, max(1, len(times_ns) - 1))  # most streams that differ do so there, which is quick to check
    return all(bool((measure_distance_ns(times_ns[part], grid_ns[part]) <= near).all()) for part in (ends, slice(None)))


def count_even_moments(stamps_ns: Times, hz: float) -> int:
    """How many moments has an even grid of this rate from the first stamp to the last?"""
    return int((int(stamps_ns.max()) - int(stamps_ns.min())) / NS_PER_S * hz) + 1


def make_grid_ns(stamps_ns: Times, hz: float | None = None) -> Times:
    """Return the moments of a grid: a stream's own stamps in order, or even ones of a rate over the same time."""
    if hz is None:
        return stamps_ns if bool((stamps_ns[1:] >= stamps_ns[:-1]).all()) else np.sort(stamps_ns)
    even: Times = stamps_ns.min() + np.round(np.arange(count_even_moments(stamps_ns, hz)) * (NS_PER_S / hz)).astype(
        np.int64
    )
    return even


def pick_samples(stream: Stream, grid_ns: Times, rule: Rule) -> NDArray[np.int64]:
    """Return for each moment which sample its row is, under a rule that keeps samples."""
    return np.arange(len(grid_ns)) if rule is Rule.AS_RECORDED else find_nearest_samples(stream.times_ns, grid_ns)


def find_nearest_samples(times_ns: Times, grid_ns: Times) -> NDArray[np.int64]:
    """Return for each moment of the grid the index of the sample nearest to it.

    >>> find_nearest_samples(np.array([0, 10, 20]), np.array([4, 6, 99])).tolist()
    [0, 1, 2]
    """
    if not len(times_ns):
        raise ValueError("A stream without samples has no nearest sample.")
    order = np.argsort(times_ns, kind="stable")
    times = times_ns[order]
    right = np.clip(np.searchsorted(times, grid_ns), min(1, len(times) - 1), len(times) - 1)
    left = np.maximum(right - 1, 0)
    is_left = (grid_ns <= times[left]) | (
        (grid_ns < times[right]) & (_subtract_ns(times[left], grid_ns) <= _subtract_ns(grid_ns, times[right]))
    )
    picked: NDArray[np.int64] = order[np.where(is_left, left, right)]
    return picked


def resample_stream(stream: Stream, grid_ns: Times, rule: Rule | None = None) -> NDArray[Any]:
    """Return the stream's values on the grid, n × columns, in its own type.

    A moment before the first sample gets the first one, a moment behind the last the last one. At the moment of a
    sample its value stands bit for bit, whatever the rule; of several with one stamp, all but nearest take the last.
    """
    assert stream.values is not None
    if not len(stream):
        raise ValueError(f"{stream.name} has no sample, so it cannot be resampled.")
    rule = rule or choose_rule(stream, grid_ns)
    values = stream.values.reshape(len(stream), -1)
    if rule is Rule.AS_RECORDED:
        return values[: len(grid_ns)]
    if rule is Rule.NEAREST:
        return values[find_nearest_samples(stream.times_ns, grid_ns)]
    order, before, after = _find_neighbours(stream.times_ns, grid_ns)
    times, values = stream.times_ns[order], values[order]
    if rule is Rule.HOLD:
        return values[before]
    inside = (grid_ns > times[before]) & (grid_ns < times[after])
    share = np.zeros((len(grid_ns), 1))
    share[inside, 0] = _subtract_ns(times[before], grid_ns)[inside] / _subtract_ns(times[before], times[after])[inside]
    return np.where(inside[:, None], _interpolate(stream, values[before], values[after], share, rule), values[before])


def measure_sample_distance_ns(stream: Stream, grid_ns: Times, rule: Rule) -> NDArray[np.float64]:
    """Return how far each moment is from the samples that its row is made of; between two, from the farther one."""
    if rule.keeps_samples:
        return measure_distance_ns(stream.times_ns[pick_samples(stream, grid_ns, rule)], grid_ns)
    order, before, after = _find_neighbours(stream.times_ns, grid_ns)
    times = stream.times_ns[order]
    held = measure_distance_ns(times[before], grid_ns)
    if rule is Rule.HOLD:
        return held
    inside = (grid_ns > times[before]) & (grid_ns < times[after])
    return np.where(inside, np.maximum(held, measure_distance_ns(times[after], grid_ns)), held)


def _find_neighbours(times_ns: Times, grid_ns: Times) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the samples in order of time, and which of them are the last at or before each moment and the next."""
    order = np.argsort(times_ns, kind="stable")
    before = np.clip(np.searchsorted(times_ns[order], grid_ns, side="right") - 1, 0, len(order) - 1)
    return order, before, np.minimum(before + 1, len(order) - 1)


def _interpolate(stream: Stream, before: Values, after: Values, fraction: NDArray[np.float64], rule: Rule) -> Values:
    start, end = before.astype(np.float64), after.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite stays so, in silence
        between = start * (1 - fraction) + end * fraction
        if rule is Rule.SLERP:
            for first in find_quaternion_columns(stream.columns):
                part = slice(first, first + 4)
                between[:, part] = slerp(start[:, part], end[:, part], fraction)
        return between.astype(before.dtype)


def measure_distance_ns(first_ns: Times, second_ns: Times) -> NDArray[np.float64]:
    """Return how many nanoseconds lie between stamps, whichever is earlier."""
    return _subtract_ns(np.minimum(first_ns, second_ns), np.maximum(first_ns, second_ns))


def _subtract_ns(earlier: Times, later: Times) -> NDArray[np.float64]:
    """Return nanoseconds between stamps: subtracted as integers, because float64 cannot hold one of this century.

    Unsigned, so that stamps at the ends of what 64 bits hold are still the right way apart.
    """
    return (later.astype(np.int64).view(np.uint64) - earlier.astype(np.int64).view(np.uint64)).astype(np.float64)

"""Samples brought onto a grid of moments: a stated rule says how a value between two samples is found."""

import re
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import Stream, StreamKind

Times = NDArray[np.int64]
Values = NDArray[Any]
LARGEST_ROUNDING_NS = 1_000_000  # Matroska counts milliseconds, and no container counts coarser
QUATERNION = ("qx", "qy", "qz", "qw")


class Rule(StrEnum):
    """How a value is found for a moment between two samples."""

    AS_RECORDED = "as recorded"
    HOLD = "hold"
    LINEAR = "linear"
    SLERP = "slerp"
    NEAREST = "nearest"


RULES = {
    StreamKind.ACTION: Rule.HOLD,  # a command stands until the next one
    StreamKind.GRIPPER: Rule.HOLD,  # open and closed have no honest middle
    StreamKind.JOINT_POSITION: Rule.LINEAR,
    StreamKind.JOINT_VELOCITY: Rule.LINEAR,
    StreamKind.JOINT_EFFORT: Rule.LINEAR,
    StreamKind.FORCE_TORQUE: Rule.LINEAR,
    StreamKind.IMU: Rule.LINEAR,
}


def rule_for(stream: Stream, grid_ns: Times) -> Rule:
    """Return how a stream is brought onto a grid; what is unknown is taken as it was sensed."""
    if _same_moments(stream.times_ns, grid_ns):
        return Rule.AS_RECORDED
    if stream.values is None:
        return Rule.NEAREST
    if stream.kind in (StreamKind.POSE, StreamKind.HAND_POSE) and stream.values.dtype.kind == "f":
        return Rule.SLERP if _quaternions(stream.columns) else Rule.NEAREST
    if stream.values.dtype.kind != "f":
        return Rule.HOLD  # counts and flags have no middle
    return RULES.get(stream.kind, Rule.NEAREST)


def _same_moments(times_ns: Times, grid_ns: Times) -> bool:
    """Are these the grid's own stamps, but for rounding?

    A container counts in its time base and a table in 32-bit seconds, so one frame has two stamps a few
    microseconds apart; by them a held command would come from the frame before.
    """
    if len(times_ns) != len(grid_ns):
        return False
    steps = np.diff(grid_ns)
    apart_ns = min(LARGEST_ROUNDING_NS, int(np.median(steps)) // 10 if len(steps) else LARGEST_ROUNDING_NS)
    return bool((np.abs(times_ns - grid_ns) <= max(apart_ns, 0)).all())


def nearest(times_ns: Times, grid_ns: Times) -> NDArray[np.int64]:
    """Return for each moment of the grid the index of the sample nearest to it.

    >>> nearest(np.array([0, 10, 20]), np.array([4, 6, 99])).tolist()
    [0, 1, 2]
    """
    if not len(times_ns):
        raise ValueError("Where there is no sample, none is nearest.")
    order = np.argsort(times_ns, kind="stable")
    times = times_ns[order]
    right = np.clip(np.searchsorted(times, grid_ns), min(1, len(times) - 1), len(times) - 1)
    left = np.maximum(right - 1, 0)
    is_left = (grid_ns <= times[left]) | (
        (grid_ns < times[right]) & (_apart(times[left], grid_ns) <= _apart(grid_ns, times[right]))
    )
    picked: NDArray[np.int64] = order[np.where(is_left, left, right)]
    return picked


def resample(stream: Stream, grid_ns: Times, rule: Rule | None = None) -> NDArray[Any]:
    """Return the stream's values on the grid, n × columns, in its own type.

    A moment before the first sample gets the first one, a moment behind the last the last one. At the moment of a
    sample its value stands bit for bit, whatever the rule; of several with one stamp, all but nearest take the last.
    """
    assert stream.values is not None
    if not len(stream):
        raise ValueError(f"{stream.name} has no sample to be brought onto a grid.")
    rule = rule or rule_for(stream, grid_ns)
    values = stream.values.reshape(len(stream), -1)
    if rule is Rule.AS_RECORDED:
        return values
    if rule is Rule.NEAREST:
        return values[nearest(stream.times_ns, grid_ns)]
    order = np.argsort(stream.times_ns, kind="stable")
    times, values = stream.times_ns[order], values[order]
    before = np.clip(np.searchsorted(times, grid_ns, side="right") - 1, 0, len(times) - 1)
    if rule is Rule.HOLD:
        return values[before]
    after = np.minimum(before + 1, len(times) - 1)
    inside = (grid_ns > times[before]) & (grid_ns < times[after])
    share = np.zeros((len(grid_ns), 1))
    share[inside, 0] = _apart(times[before], grid_ns)[inside] / _apart(times[before], times[after])[inside]
    return np.where(inside[:, None], _between(stream, values[before], values[after], share, rule), values[before])


def _between(stream: Stream, before: Values, after: Values, share: NDArray[np.float64], rule: Rule) -> Values:
    start, end = before.astype(np.float64), after.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite stays so, in silence
        between = start * (1 - share) + end * share
        if rule is Rule.SLERP:
            for first in _quaternions(stream.columns):
                part = slice(first, first + 4)
                between[:, part] = _slerp(start[:, part], end[:, part], share)
        return between.astype(before.dtype)


def _apart(earlier: Times, later: Times) -> NDArray[np.float64]:
    """Return nanoseconds between stamps: subtracted as integers, because float64 cannot hold one of this century.

    Unsigned, so that stamps at the ends of what 64 bits hold are still the right way apart.
    """
    return (later.astype(np.int64).view(np.uint64) - earlier.astype(np.int64).view(np.uint64)).astype(np.float64)


def _quaternions(columns: tuple[str, ...]) -> list[int]:
    """Where do four columns in a row hold a turn? Poses of several hands have several."""
    ends = [re.split(r"[./_ ]", name)[-1] for name in columns]
    return [i for i in range(len(ends) - 3) if tuple(ends[i : i + 4]) == QUATERNION]


def _slerp(start: NDArray[np.float64], end: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the shorter way at a steady rate; a and -a are the same turn. What is no turn is held."""
    lengths = [np.linalg.norm(turn, axis=1, keepdims=True) for turn in (start, end)]
    is_turn = np.isfinite(lengths[0]) & np.isfinite(lengths[1]) & (lengths[0] > 0) & (lengths[1] > 0)
    first, last = (turn / np.where(is_turn, length, 1.0) for turn, length in zip((start, end), lengths, strict=True))
    dot = (first * last).sum(1, keepdims=True)
    last, dot = np.where(dot < 0, -last, last), np.abs(dot)
    angle = np.arccos(np.clip(dot, 0.0, 1.0))
    sine = np.sin(angle)
    small = sine < 1e-6  # noqa: PLR2004 - there the chord is the arc
    turned = np.where(
        small,
        first + (last - first) * share,
        (np.sin((1 - share) * angle) * first + np.sin(share * angle) * last) / np.where(small, 1.0, sine),
    )
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.asarray(np.where(is_turn, turned / np.where(length > 0, length, 1.0), start))

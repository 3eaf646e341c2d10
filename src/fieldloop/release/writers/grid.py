"""Samples brought onto a grid of moments: a stated rule says how a value between two samples is found."""

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import Stream, StreamKind

Times = NDArray[np.int64]
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
    if np.array_equal(stream.times_ns, grid_ns):
        return Rule.AS_RECORDED
    if stream.values is None:
        return Rule.NEAREST
    if stream.kind in (StreamKind.POSE, StreamKind.HAND_POSE) and stream.values.dtype.kind == "f":
        return Rule.SLERP if _quaternions(stream.columns) else Rule.NEAREST
    if stream.values.dtype.kind != "f":
        return Rule.HOLD  # counts and flags have no middle
    return RULES.get(stream.kind, Rule.NEAREST)


def nearest(times_ns: Times, grid_ns: Times) -> NDArray[np.int64]:
    """Return for each moment of the grid the index of the sample nearest to it.

    >>> nearest(np.array([0, 10, 20]), np.array([4, 6, 99])).tolist()
    [0, 1, 2]
    """
    order = np.argsort(times_ns, kind="stable")
    times = times_ns[order]
    if len(times) == 1:
        return np.zeros(len(grid_ns), np.int64)
    right = np.clip(np.searchsorted(times, grid_ns), 1, len(times) - 1)
    left = right - 1
    picked: NDArray[np.int64] = order[np.where(grid_ns - times[left] <= times[right] - grid_ns, left, right)]
    return picked


def resample(stream: Stream, grid_ns: Times, rule: Rule | None = None) -> NDArray[Any]:
    """Return the stream's values on the grid, n × columns, in its own type.

    A moment before the first sample gets the first one, a moment behind the last the last one.
    """
    assert stream.values is not None
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
    # differences first: float64 cannot hold a nanosecond of this century
    span = np.maximum(times[after] - times[before], 1).astype(np.float64)
    share = np.clip((grid_ns - times[before]).astype(np.float64) / span, 0.0, 1.0)[:, None]
    start, end = values[before].astype(np.float64), values[after].astype(np.float64)
    between = start + (end - start) * share
    if rule is Rule.SLERP:
        for first in _quaternions(stream.columns):
            part = slice(first, first + 4)
            between[:, part] = _slerp(start[:, part], end[:, part], share)
    return np.asarray(between.astype(stream.values.dtype))


def _quaternions(columns: tuple[str, ...]) -> list[int]:
    """Where do four columns in a row hold a turn? Poses of several hands have several."""
    ends = [name.rsplit(".", 1)[-1].rsplit("/", 1)[-1] for name in columns]
    return [i for i in range(len(ends) - 3) if tuple(ends[i : i + 4]) == QUATERNION]


def _slerp(start: NDArray[np.float64], end: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the shorter way at a steady rate; a and -a are the same turn."""
    dot = (start * end).sum(1, keepdims=True)
    end, dot = np.where(dot < 0, -end, end), np.abs(dot)
    angle = np.arccos(np.clip(dot, 0.0, 1.0))
    sine = np.sin(angle)
    small = sine < 1e-6  # noqa: PLR2004 - there the chord is the arc
    safe = np.where(small, 1.0, sine)
    turned = np.where(
        small, start + (end - start) * share, (np.sin((1 - share) * angle) * start + np.sin(share * angle) * end) / safe
    )
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.asarray(turned / np.where(length > 0, length, 1.0))

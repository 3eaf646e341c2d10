"""Signals brought onto the frame grid: the camera's own stamps decide when, a stated rule decides how."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import Stream, StreamKind

Times = NDArray[np.int64]


class Rule(StrEnum):
    """How a value is found for a moment between two samples."""

    HOLD = "hold"
    LINEAR = "linear"
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


def rule_for(kind: StreamKind) -> Rule:
    """Return how streams of a kind are resampled; a quaternion, and whatever is unknown, is taken as it was sensed."""
    return RULES.get(kind, Rule.NEAREST)


def nearest(times_ns: Times, grid_ns: Times) -> NDArray[np.int64]:
    """Return for each moment of the grid the index of the sample nearest to it.

    >>> nearest(np.array([0, 10, 20]), np.array([4, 6, 99])).tolist()
    [0, 1, 2]
    """
    right = np.clip(np.searchsorted(times_ns, grid_ns), 1, max(len(times_ns) - 1, 1))
    left = right - 1
    if len(times_ns) == 1:
        return np.zeros(len(grid_ns), np.int64)
    return np.where(grid_ns - times_ns[left] <= times_ns[right] - grid_ns, left, right)


def resample(stream: Stream, grid_ns: Times) -> NDArray[np.float32]:
    """Return the stream's values on the grid, by the rule of its kind.

    A moment before the first sample gets the first one, a moment behind the last the last one.
    """
    assert stream.values is not None
    order = np.argsort(stream.times_ns, kind="stable")
    times, values = stream.times_ns[order], stream.values[order].reshape(len(stream), -1).astype(np.float64)
    match rule_for(stream.kind):
        case Rule.LINEAR:
            base = int(grid_ns[0])  # float64 cannot hold a nanosecond of this century; differences it can
            when, stamps = (grid_ns - base).astype(np.float64), (times - base).astype(np.float64)
            columns = [np.interp(when, stamps, column) for column in values.T]
            return np.stack(columns, axis=1).astype(np.float32)
        case Rule.HOLD:
            before = np.clip(np.searchsorted(times, grid_ns, side="right") - 1, 0, None)
            return values[before].astype(np.float32)
        case _:
            return values[nearest(times, grid_ns)].astype(np.float32)

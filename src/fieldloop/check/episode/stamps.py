"""What a stream's stamps say about its rhythm."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

Times = NDArray[np.int64]
FEWEST = 4
"""Fewer stamps than this have no rhythm."""

EVENTFUL = (StreamKind.ACTION, StreamKind.GRIPPER, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.OTHER)
"""Kinds that may be sent when something changes rather than at a steady rate."""

MADE_UP = {
    ClockKind.SYNTHETIC: "stamps were made up (frame number over rate), so they cannot show when anything was sensed",
    ClockKind.CONTAINER: "stamps were written by the video encoder, so they cannot show when a frame was sensed",
}


class Rhythm(NamedTuple):
    """Intervals that go forward, their typical length, and how widely the middle half of them spreads."""

    steps_ns: Times
    period_ns: float
    spread: float


def rhythm(stream: Stream) -> Rhythm | None:
    """Return the stream's rhythm; None where it has too few stamps that go forward."""
    steps = np.diff(stream.times_ns)
    forward = steps[steps > 0]
    if len(forward) < FEWEST - 1:
        return None
    low, period, high = np.percentile(forward, [25, 50, 75])
    return Rhythm(steps, float(period), float((high - low) / period))


def made_up(stream: Stream) -> str:
    """Say why the stamps are no evidence of when something was sensed; '' where they are."""
    return MADE_UP.get(stream.clock, "")


def start_ns(stream: Stream) -> int:
    """Return the earliest stamp."""
    return int(stream.times_ns.min())


def at(stream: Stream, index: int) -> str:
    """Say where in a stream something is, in seconds from its beginning.

    A Finding's message carries this text; reports read the moment back from it.
    """
    return f"at {(int(stream.times_ns[index]) - start_ns(stream)) / NS_PER_S:.2f} s"


def seconds(duration_ns: float) -> float:
    """Turn ns into s."""
    return duration_ns / NS_PER_S

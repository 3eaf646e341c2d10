"""What a stream's stamps say about its rhythm, and when in an episode something is."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.stats.quantile import percentiles

T = TypeVar("T")
Times = NDArray[np.int64]
FEWEST = 4
"""Fewer stamps than this have no rhythm."""

RESAMPLED = "resampled"
"""The note of a stream that a writer brought onto the rows of a table."""

EVENTFUL = (StreamKind.ACTION, StreamKind.GRIPPER, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.OTHER)
"""Kinds that may be sent when something changes rather than at a steady rate."""

MADE_UP = {
    ClockKind.SYNTHETIC: "stamps were made up (frame number over rate), so they cannot show when anything was sensed",
    ClockKind.CONTAINER: "stamps were written by the video encoder, so they cannot show when a frame was sensed",
}


class Rhythm(NamedTuple):
    """All intervals, the typical one that goes forward, how widely the middle half spreads, and how full the span is.

    `filled` is the share of the time from first to last stamp that samples one period apart would take.
    """

    steps_ns: Times
    period_ns: float
    spread: float
    filled: float


def by_stamps(case: Case, what: str, stream: Stream, make: Callable[[Times], T]) -> T:
    """Make something of a stream's stamps once: streams of one message or one table share them."""
    times = stream.times_ns
    return case.keep((what, id(times)), lambda: make(times))


def rhythm(case: Case, stream: Stream) -> Rhythm | None:
    """Return the stream's rhythm; None where it has too few stamps that go forward."""
    return by_stamps(case, "rhythm", stream, _rhythm)


def _rhythm(times: Times) -> Rhythm | None:
    steps = times[1:] - times[:-1]
    forward = steps[steps > 0]
    if len(forward) < FEWEST - 1:
        return None
    low, period, high = percentiles(forward, (25, 50, 75))
    filled = len(forward) * period / float(forward.sum())
    return Rhythm(steps, period, (high - low) / period, filled)


def steady(case: Case, stream: Stream) -> bool:
    """Does the stream keep a rhythm that it can be held to? What is sent on change or on demand does not."""
    beat = rhythm(case, stream)
    if beat is None:
        return False
    if stream.kind not in EVENTFUL:
        return True
    most, least = (case.parameter("timing.longest_gap", name) for name in ("steady_spread", "steady_share"))
    return beat.spread <= most and beat.filled >= least


def made_up(stream: Stream) -> str:
    """Say why the stamps are no evidence of when something was sensed; '' where they are."""
    return MADE_UP.get(stream.clock, "")


def in_rows(stream: Stream) -> bool:
    """Do real stamps stand in the rows of a table? It holds a slower stream's sample, stamp and all, over several."""
    return not made_up(stream) and (RESAMPLED in stream.notes or any(kind in stream.clocks for kind in MADE_UP))


def rows_ns(case: Case, stream: Stream) -> Times:
    """Return when the rows of a table were: by a stream with a stamp of its own in each, else only their numbers."""
    for other in case.sensing():
        if in_rows(other) and len(other) == len(stream) and (np.diff(other.times_ns) > 0).all():
            return other.times_ns
    return np.arange(len(stream))


def part_of_another(case: Case, stream: Stream) -> bool:
    """Velocities and efforts come in the message of their positions: they have no timing of their own."""
    whole = case.recording.streams.get(stream.name.rpartition("/")[0])
    if whole is None:
        return False
    return whole.times_ns is stream.times_ns or np.array_equal(whole.times_ns, stream.times_ns)


def span_ns(case: Case, stream: Stream) -> tuple[int, int]:
    """Return the earliest and the latest stamp."""
    return by_stamps(case, "span", stream, lambda times: (int(times.min()), int(times.max())))


def moment(case: Case, stream: Stream, index: int) -> float:
    """Return when a sample was, in seconds from the episode's start."""
    return moment_of(case, stream, int(stream.times_ns[index]))


def moment_of(case: Case, stream: Stream, time_ns: int) -> float:
    """Return when a stamp of a stream was, in seconds from the episode's start.

    A video counts from its own beginning, and so does a stream whose clock has nothing to do with the episode's.
    """
    return max(0.0, (time_ns - _zero_ns(case, stream)) / NS_PER_S)


def _zero_ns(case: Case, stream: Stream) -> int:
    episode, (first, last) = case.episode, span_ns(case, stream)
    shares_no_clock = episode.end_ns <= episode.start_ns or first > episode.end_ns
    apart = shares_no_clock or last < episode.start_ns
    return first if apart or stream.clock is ClockKind.CONTAINER else episode.start_ns


def said(at_s: float) -> str:
    """Say a moment of the episode."""
    return f"at {at_s:.2f} s"


def seconds(duration_ns: float) -> float:
    """Turn ns into s."""
    return duration_ns / NS_PER_S

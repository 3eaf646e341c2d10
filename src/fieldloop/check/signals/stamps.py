"""A stream's rhythm by its timestamps, and moments in seconds from the episode's start."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.model.stream_notes import RESAMPLED
from fieldloop.stats.quantile import percentiles

T = TypeVar("T")
Times = NDArray[np.int64]
FEWEST = 4
"""A rhythm needs at least this many timestamps."""

"""The mark of a stream that a writer resampled to the rows of a table."""

EVENTFUL = (StreamKind.ACTION, StreamKind.GRIPPER, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.OTHER)
"""Kinds that may be sent when something changes rather than at a steady rate."""

MADE_UP = {
    ClockKind.SYNTHETIC: note("check.generated_stamps"),
    ClockKind.CONTAINER: note("check.encoder_stamps"),
}


class Rhythm(NamedTuple):
    """All intervals, the median of those that go forward, the spread of their middle half, and how full the span is.

    `filled` is the share of the time from first to last stamp that samples one period apart would take.
    """

    steps_ns: Times
    period_ns: float
    spread: float
    filled: float


def compute_once_by_stamps(case: Case, what: str, stream: Stream, make: Callable[[Times], T]) -> T:
    """Compute something from a stream's timestamps once: streams of one message or table share them."""
    times = stream.times_ns
    return case.keep((what, id(times)), lambda: make(times))


def rhythm(case: Case, stream: Stream) -> Rhythm | None:
    """Return the stream's rhythm; None where too few timestamps go forward."""
    return compute_once_by_stamps(case, "rhythm", stream, _rhythm)


def _rhythm(times: Times) -> Rhythm | None:
    steps = times[1:] - times[:-1]
    forward = steps[steps > 0]
    if len(forward) < FEWEST - 1:
        return None
    low, period, high = percentiles(forward, (25, 50, 75))
    filled = len(forward) * period / float(forward.sum())
    return Rhythm(steps, period, (high - low) / period, filled)


def steady(case: Case, stream: Stream) -> bool:
    """Is the stream sampled at a steady rate? Streams sent on change or on demand are not."""
    beat = rhythm(case, stream)
    if beat is None:
        return False
    if stream.kind not in EVENTFUL:
        return True
    most, least = (case.parameter("timing.longest_gap", name) for name in ("steady_spread", "steady_share"))
    return beat.spread <= most and beat.filled >= least


def burst_reason(case: Case, stream: Stream, beat: Rhythm) -> Note | None:
    """Return why the median interval is not the period: samples come in bursts. None where they do not.

    Most parts of the episode then take longer than their samples at the median interval. Where samples are lost from a
    steady stream, the long intervals are whole multiples of the period; between bursts they are not.
    """
    return case.keep(("bursts", id(stream.times_ns)), lambda: _find_burst_reason(case, beat))


def _find_burst_reason(case: Case, beat: Rhythm) -> Note | None:
    parts, share, off_beat, long = (
        case.parameter("timing.longest_gap", name)
        for name in ("burst_parts", "burst_share", "burst_off_beat", "long_interval")
    )
    periods = beat.steps_ns[beat.steps_ns > 0] / beat.period_ns
    taken = float(np.median([part.mean() for part in np.array_split(periods, int(parts)) if len(part)]))
    waits = periods[periods >= long]
    if not len(waits) or taken * (1 - share) <= 1 or np.abs(waits - np.round(waits)).mean() <= off_beat:
        return None
    hz = NS_PER_S / beat.period_ns
    return note("check.samples_in_bursts", median_hz=hz, mean_hz=hz / taken)


def made_up_reason(stream: Stream) -> Note | None:
    """Return why the timestamps do not show when a sample was taken; None where they do."""
    return MADE_UP.get(stream.clock)


def is_in_table_rows(stream: Stream) -> bool:
    """Are these real timestamps in table rows? A table repeats a slower stream's sample, with its timestamp."""
    return not made_up_reason(stream) and (RESAMPLED in stream.notes or any(kind in stream.clocks for kind in MADE_UP))


def rows_ns(case: Case, stream: Stream) -> Times:
    """Return the rows' times: from a stream with its own timestamp in each row, else the row numbers."""
    for other in case.sensing_streams():
        if is_in_table_rows(other) and len(other) == len(stream) and (np.diff(other.times_ns) > 0).all():
            return other.times_ns
    return np.arange(len(stream))


def part_of_another(case: Case, stream: Stream) -> bool:
    """Does the stream come in another's message? Velocities and efforts share the timing of their positions."""
    whole = case.recording.streams.get(stream.name.rpartition("/")[0])
    if whole is None:
        return False
    return whole.times_ns is stream.times_ns or np.array_equal(whole.times_ns, stream.times_ns)


def span_ns(case: Case, stream: Stream) -> tuple[int, int]:
    """Return the earliest and the latest timestamp."""
    return compute_once_by_stamps(case, "span", stream, lambda times: (int(times.min()), int(times.max())))


def sample_time_s(case: Case, stream: Stream, index: int) -> float:
    """Return a sample's time in seconds from the episode's start."""
    return stamp_time_s(case, stream, int(stream.times_ns[index]))


def stamp_time_s(case: Case, stream: Stream, time_ns: int) -> float:
    """Return the time of a stream's timestamp in seconds from the episode's start.

    A video, and a stream on a clock that does not overlap the episode, count from their own start.
    """
    return max(0.0, (time_ns - _zero_ns(case, stream)) / NS_PER_S)


def _zero_ns(case: Case, stream: Stream) -> int:
    episode, (first, last) = case.episode, span_ns(case, stream)
    shares_no_clock = episode.end_ns <= episode.start_ns or first > episode.end_ns
    apart = shares_no_clock or last < episode.start_ns
    return first if apart or stream.clock is ClockKind.CONTAINER else episode.start_ns


def seconds(duration_ns: float) -> float:
    """Turn ns into s."""
    return duration_ns / NS_PER_S

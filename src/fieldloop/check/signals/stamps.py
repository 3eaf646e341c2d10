"""A stream's rhythm by its timestamps, and moments in seconds from the episode's start."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind, compute_usual_interval_ns
from fieldloop.model.stream_notes import RESAMPLED
from fieldloop.stats.quantile import compute_percentiles

T = TypeVar("T")
Times = NDArray[np.int64]
FEWEST = 4
"""A rhythm needs at least this many timestamps."""

ARRIVALS = (ClockKind.LOG, ClockKind.PUBLISH)
"""Clocks of the receiving side, the farthest from the sensor first."""

EVENTFUL = (StreamKind.ACTION, StreamKind.GRIPPER, StreamKind.POSE, StreamKind.HAND_POSE, StreamKind.OTHER)
"""Kinds that may be sent when something changes rather than at a steady rate."""

MADE_UP = {
    ClockKind.SYNTHETIC: note("check.generated_stamps"),
    ClockKind.CONTAINER: note("check.encoder_stamps"),
}


class Rhythm(NamedTuple):
    """All intervals, the median of those that go forward, the spread of their middle half, and how full the span is.

    `filled` is the share of the time from first to last stamp that samples one period apart would take. `usual_ns` is
    the time a sample takes on average where samples come in bursts or repeat their timestamps, else the period.
    """

    steps_ns: Times
    period_ns: float
    spread: float
    filled: float
    usual_ns: float


def compute_once_by_stamps(case: Case, cache_name: str, stream: Stream, compute: Callable[[Times], T]) -> T:
    """Compute something from a stream's timestamps once: streams of one message or table share them."""
    times = stream.times_ns
    return case.compute_once((cache_name, id(times)), lambda: compute(times))


def find_rhythm(case: Case, stream: Stream) -> Rhythm | None:
    """Return the stream's rhythm; None where too few timestamps go forward."""
    return compute_once_by_stamps(case, "rhythm", stream, _compute_rhythm)


def _compute_rhythm(times: Times) -> Rhythm | None:
    steps = times[1:] - times[:-1]
    forward = steps[steps > 0]
    if len(forward) < FEWEST - 1:
        return None
    low, period, high = compute_percentiles(forward, (25, 50, 75))
    filled = len(forward) * period / float(forward.sum())
    return Rhythm(steps, period, (high - low) / period, filled, compute_usual_interval_ns(steps))


def is_steady(case: Case, stream: Stream) -> bool:
    """Is the stream sampled at a steady rate? Streams sent on change or on demand are not."""
    beat = find_rhythm(case, stream)
    if beat is None:
        return False
    if stream.kind not in EVENTFUL:
        return True
    most, least = (case.read_parameter("timing.longest_gap", name) for name in ("steady_spread", "steady_share"))
    return beat.spread <= most and beat.filled >= least


def explain_bursts(case: Case, stream: Stream, stream_rhythm: Rhythm) -> Note | None:
    """Return why the median interval is not the period: samples come in bursts. None where they do not.

    Most parts of the episode then take longer than their samples at the median interval. Where samples are lost from a
    steady stream, the long intervals are whole multiples of the period; between bursts they are not.
    """
    return case.compute_once(("bursts", id(stream.times_ns)), lambda: _compute_burst_reason(case, stream_rhythm))


def _compute_burst_reason(case: Case, stream_rhythm: Rhythm) -> Note | None:
    parts, share, off_beat, long = (
        case.read_parameter("timing.longest_gap", name)
        for name in ("burst_parts", "burst_share", "burst_off_beat", "long_interval")
    )
    periods = stream_rhythm.steps_ns[stream_rhythm.steps_ns > 0] / stream_rhythm.period_ns
    taken = float(np.median([part.mean() for part in np.array_split(periods, int(parts)) if len(part)]))
    waits = periods[periods >= long]
    if not len(waits) or taken * (1 - share) <= 1 or np.abs(waits - np.round(waits)).mean() <= off_beat:
        return None
    hz = NS_PER_S / stream_rhythm.period_ns
    return note("check.samples_in_bursts", median_hz=hz, mean_hz=hz / taken)


def explain_generated_timestamps(stream: Stream) -> Note | None:
    """Return why the timestamps do not show when a sample was taken; None where they do."""
    return MADE_UP.get(stream.clock)


def find_arrival_clock(stream: Stream) -> ClockKind | None:
    """Return the receiver's clock of a stream; None where only one clock is known."""
    return next((clock for clock in ARRIVALS if clock in stream.clocks), None)


def has_two_clocks(stream: Stream) -> bool:
    """Do two senders with clocks of their own write to this stream?

    Its timestamps then go back, again and again, by more time than the whole recording took. A clock that is set does
    so once.
    """
    arrival = find_arrival_clock(stream)
    if arrival is None or stream.clock is arrival:
        return False
    back = stream.times_ns[:-1] - stream.times_ns[1:]
    return int(np.count_nonzero(back > np.ptp(stream.clocks[arrival]))) > 1


def is_in_table_rows(stream: Stream) -> bool:
    """Are these real timestamps in table rows? A table repeats a slower stream's sample, with its timestamp."""
    return not explain_generated_timestamps(stream) and (
        RESAMPLED in stream.notes or any(kind in stream.clocks for kind in MADE_UP)
    )


def find_row_times_ns(case: Case, stream: Stream) -> Times:
    """Return the rows' times: from a stream with its own timestamp in each row, else the row numbers."""
    for other in case.find_sensing_streams():
        if is_in_table_rows(other) and len(other) == len(stream) and (np.diff(other.times_ns) > 0).all():
            return other.times_ns
    return np.arange(len(stream))


def is_part_of_other_stream(case: Case, stream: Stream) -> bool:
    """Does the stream come in another's message? Velocities and efforts share the timing of their positions."""
    whole = case.recording.streams.get(stream.name.rpartition("/")[0])
    if whole is None:
        return False
    return whole.times_ns is stream.times_ns or np.array_equal(whole.times_ns, stream.times_ns)


def find_time_span_ns(case: Case, stream: Stream) -> tuple[int, int]:
    """Return the earliest and the latest timestamp."""
    return compute_once_by_stamps(case, "span", stream, lambda times: (int(times.min()), int(times.max())))


def compute_sample_time_s(case: Case, stream: Stream, index: int) -> float:
    """Return a sample's time in seconds from the episode's start, by its arrival where its own clock is off."""
    episode, arrival, stamp_ns = case.episode, find_arrival_clock(stream), int(stream.times_ns[index])
    if arrival is not None and not episode.start_ns <= stamp_ns <= episode.end_ns:
        arrived_ns = int(stream.clocks[arrival][index])
        if episode.start_ns <= arrived_ns <= episode.end_ns:
            return (arrived_ns - episode.start_ns) / NS_PER_S
    return compute_stamp_time_s(case, stream, stamp_ns)


def compute_stamp_time_s(case: Case, stream: Stream, time_ns: int) -> float:
    """Return the time of a stream's timestamp in seconds from the episode's start.

    A video, and a stream on a clock that does not overlap the episode, count from their own start.
    """
    return max(0.0, (time_ns - _find_zero_time_ns(case, stream)) / NS_PER_S)


def _find_zero_time_ns(case: Case, stream: Stream) -> int:
    episode, (first, last) = case.episode, find_time_span_ns(case, stream)
    shares_no_clock = episode.end_ns <= episode.start_ns or first > episode.end_ns
    apart = shares_no_clock or last < episode.start_ns
    return first if apart or stream.clock is ClockKind.CONTAINER else episode.start_ns


def convert_ns_to_s(duration_ns: float) -> float:
    """Turn ns into s."""
    return duration_ns / NS_PER_S

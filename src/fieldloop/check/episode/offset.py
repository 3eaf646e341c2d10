"""Questions about how streams fit together in time."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import EVENTFUL, MADE_UP, Times, at, rhythm
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream

NS_PER_MS = NS_PER_S / 1000


@check(
    "timing.stream_offset",
    unit="ms",
    needs=("streams",),
    advice="Trigger the sensors together or stamp them by one clock; raise the rate of the slower one.",
)
def stream_offset(case: Case) -> Iterator[Measurement]:
    """How far apart are the samples that a learner would pair?

    For each two streams: from every sample of the slower to the nearest of the faster, 99 in 100 are nearer than this.
    Both are read on the best clock they share. Where they overlap is looked at; commands sent now and then are not.
    """
    streams = [s for s in case.sensing() if _steady(s, case.parameter("timing.longest_gap", "steady_spread"))]
    streams = [s for s in streams if not _part_of(s, case)]
    for one, other in combinations(streams, 2):
        yield _offset(one, other)


def _offset(one: Stream, other: Stream) -> Measurement:
    subject = f"{one.name}{PAIR}{other.name}"
    clock = next((kind for kind in ClockKind if kind in one.clocks and kind in other.clocks), None)
    if clock is None or clock in MADE_UP:
        made_up = next((MADE_UP[s.clock] for s in (one, other) if s.clock in MADE_UP), "the streams share no clock")
        return Measurement(subject, float("nan"), cannot_tell=f"{made_up}.")
    slow, fast = sorted((one, other), key=lambda s: _pace(s, clock))
    slow_ns, fast_ns = slow.clocks[clock], np.sort(fast.clocks[clock])
    margin = NS_PER_S / _pace(fast, clock)
    inside = (slow_ns >= fast_ns[0] - margin) & (slow_ns <= fast_ns[-1] + margin)
    if not inside.any():
        apart = max(int(fast_ns[0] - slow_ns.max()), int(slow_ns.min() - fast_ns[-1]))
        return Measurement(subject, apart / NS_PER_MS, f"(they never overlap on the {clock} clock)")
    distances = _to_nearest(slow_ns[inside], fast_ns)
    value = float(np.percentile(distances, 99))
    index = int(np.flatnonzero(inside)[np.argmax(distances >= value)])
    return Measurement(subject, value / NS_PER_MS, f"{at(slow, index)} (by {clock} clock)")


def _to_nearest(wanted_ns: Times, sorted_ns: Times) -> Times:
    right = np.clip(np.searchsorted(sorted_ns, wanted_ns), 0, len(sorted_ns) - 1)
    left = np.clip(right - 1, 0, None)
    nearest: Times = np.minimum(np.abs(wanted_ns - sorted_ns[left]), np.abs(wanted_ns - sorted_ns[right]))
    return nearest


def _pace(stream: Stream, clock: ClockKind) -> float:
    times = stream.clocks[clock]
    span = int(times.max() - times.min())
    return (len(times) - 1) * NS_PER_S / span if span else 1.0


def _part_of(stream: Stream, case: Case) -> bool:
    """Velocities and efforts come in the message of their positions: they have no timing of their own."""
    whole = case.recording.streams.get(stream.name.rpartition("/")[0])
    return whole is not None and np.array_equal(whole.times_ns, stream.times_ns)


def _steady(stream: Stream, most_spread: float) -> bool:
    beat = rhythm(stream)
    return beat is not None and not (stream.kind in EVENTFUL and beat.spread > most_spread)

"""Questions about how streams fit together in time."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import MADE_UP, Times, made_up, moment, part_of_another, said, steady
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream

NS_PER_MS = NS_PER_S / 1000


@check(
    "timing.stream_offset",
    unit="ms",
    needs=("streams",),
    advice="Trigger the sensors together or stamp them by one clock; a faster stream leaves less between two samples.",
)
def stream_offset(case: Case) -> Iterator[Measurement]:
    """How far apart are the samples that a learner would pair, beyond what their rates impose?

    From every sample of the slower stream to the nearest of the faster one; 99 in 100 are nearer than this. Where one
    rate is a whole multiple of the other, a common trigger would bring the samples together: all of the distance
    counts. Where it is not (20 and 30 Hz), samples must drift past each other by up to half a period of the faster
    stream whoever triggers them: only what exceeds that counts. Two honest stamps can be far apart, and stamps can lie:
    a wrong clock is the matter of `timing.stamped_ahead` and of alignment from content.
    Both are read on the best clock they share. Where they overlap is looked at; commands sent now and then are not.
    """
    streams = [s for s in case.sensing() if steady(case, s) and not part_of_another(case, s)]
    if len(streams) < 2:  # noqa: PLR2004 - an offset is between two
        return
    for stream in streams:
        if reason := made_up(stream):
            yield Measurement(stream.name, float("nan"), cannot_tell=f"{reason}.")
    for one, other in combinations([s for s in streams if not made_up(s)], 2):
        yield _offset(case, one, other)


def _offset(case: Case, one: Stream, other: Stream) -> Measurement:
    subject = f"{one.name}{PAIR}{other.name}"
    clock = next((kind for kind in ClockKind if kind in one.clocks and kind in other.clocks), None)
    if clock is None or clock in MADE_UP:
        return Measurement(subject, float("nan"), cannot_tell="the streams share no clock.")
    if one.clocks[clock] is other.clocks[clock]:
        return Measurement(subject, 0.0, f"(by {clock} clock)")  # rows of one table
    slow, fast = sorted((one, other), key=lambda s: _pace(s, clock))
    slow_ns, fast_ns = slow.clocks[clock], np.sort(fast.clocks[clock])
    period = _period_ns(case, fast, clock)
    inside = (slow_ns >= fast_ns[0] - period) & (slow_ns <= fast_ns[-1] + period)
    if not inside.any():
        apart = max(int(fast_ns[0] - slow_ns.max()), int(slow_ns.min() - fast_ns[-1]))
        return Measurement(subject, apart / NS_PER_MS, f"(they never overlap on the {clock} clock)")
    distances = _to_nearest(slow_ns[inside], fast_ns)
    apart_ns = float(np.percentile(distances, 99))
    index = int(np.flatnonzero(inside)[np.argmax(distances >= apart_ns)])
    at_s = moment(case, slow, index)
    if _could_meet(case, slow, fast, clock):
        return Measurement(subject, apart_ns / NS_PER_MS, f"{said(at_s)} (by {clock} clock)", at_s=at_s)
    beyond = max(0.0, apart_ns - period / 2) / NS_PER_MS
    place = f"beyond the {period / 2 / NS_PER_MS:.3g} ms that their rates impose, {said(at_s)} (by {clock} clock)"
    return Measurement(subject, beyond, place, at_s=at_s)


def _could_meet(case: Case, slow: Stream, fast: Stream, clock: ClockKind) -> bool:
    """Would each sample of the slower stream have a partner at the same moment, were they triggered together?"""
    ratio = _period_ns(case, slow, clock) / _period_ns(case, fast, clock)
    return abs(ratio - round(ratio)) <= case.parameter("timing.stream_offset", "same_rate")


def _to_nearest(wanted_ns: Times, sorted_ns: Times) -> Times:
    right = np.clip(np.searchsorted(sorted_ns, wanted_ns), 0, len(sorted_ns) - 1)
    left = np.clip(right - 1, 0, None)
    nearest: Times = np.minimum(np.abs(wanted_ns - sorted_ns[left]), np.abs(wanted_ns - sorted_ns[right]))
    return nearest


def _pace(stream: Stream, clock: ClockKind) -> float:
    """Samples a second from first to last, gaps and all."""
    times = stream.clocks[clock]
    span = int(times.max() - times.min())
    return (len(times) - 1) * NS_PER_S / span if span else 1.0


def _period_ns(case: Case, stream: Stream, clock: ClockKind) -> float:
    """Mean of the intervals that are about as long as most: stamps rounded to a millisecond still tell 30 Hz."""
    times = stream.clocks[clock]
    return case.keep(("period", id(times)), lambda: _mean_step(times))  # type: ignore[no-any-return] # kept as made


def _mean_step(times: Times) -> float:
    steps = np.diff(times)
    steps = steps[steps > 0]
    if not len(steps):
        return float(NS_PER_S)
    usual = float(np.sort(steps)[len(steps) // 2])
    return float(steps[np.abs(steps - usual) <= usual / 2].mean())

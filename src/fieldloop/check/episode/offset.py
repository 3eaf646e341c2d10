"""Questions about how streams fit together in time."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.astray import astray_ns
from fieldloop.check.episode.latency import NS_PER_MS, restamp
from fieldloop.check.episode.stamps import MADE_UP, Times, made_up, moment, part_of_another, said, steady
from fieldloop.check.judging import PAIR
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.stats.quantile import percentile


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
    counts, though stamps show it only up to half a period of the faster stream: a shift by whole periods looks like
    none (`timing.stamped_behind` compares arrivals). Where it is not (20 and 30 Hz), samples must drift past each other
    by up to half a period of the faster stream whoever triggers them: only what exceeds that counts. Two honest stamps
    can be far apart, and stamps can lie: a wrong clock is the matter of `timing.stamped_ahead` and of alignment from
    content.
    Both are read on the best clock they share. Where they overlap is looked at; commands sent now and then are not.
    A stream that meets none of the others, while those meet each other, is told once.
    """
    streams = [s for s in case.sensing() if steady(case, s) and not part_of_another(case, s)]
    if len(streams) < 2:  # noqa: PLR2004 - an offset is between two
        return
    for stream in streams:
        if reason := made_up(stream):
            yield Measurement(stream.name, float("nan"), cannot_tell=f"{reason}.")
        elif (apart_ns := astray_ns(case, stream)) is not None:
            side = "behind" if apart_ns > 0 else "before"
            place = f"{side} the others: they never overlap on the {stream.clock} clock"
            yield Measurement(stream.name, abs(apart_ns) / NS_PER_MS, place, fix=restamp(case, stream))
    for one, other in combinations([s for s in streams if not made_up(s) and astray_ns(case, s) is None], 2):
        yield _offset(case, one, other)


def _offset(case: Case, one: Stream, other: Stream) -> Measurement:
    subject = f"{one.name}{PAIR}{other.name}"
    clock = next((kind for kind in ClockKind if kind in one.clocks and kind in other.clocks), None)
    if clock is None or clock in MADE_UP:
        return Measurement(subject, float("nan"), cannot_tell="the streams share no clock.")
    if one.clocks[clock] is other.clocks[clock]:
        return Measurement(subject, 0.0, f"(by {clock} clock)")  # rows of one table
    slow, fast = sorted((one, other), key=lambda s: _pace(case, s, clock))
    slow_ns, fast_ns, period = slow.clocks[clock], fast.clocks[clock], _period_ns(case, fast, clock)
    # streams of one table share their stamps: what stands beside one of them is as far from all
    apart_ns, index = case.keep(("apart", id(slow_ns), id(fast_ns)), lambda: _apart(slow_ns, fast_ns, period))
    if index is None:
        return Measurement(subject, apart_ns / NS_PER_MS, f"(they never overlap on the {clock} clock)")
    at_s = moment(case, slow, index)
    fix = (restamp(case, one) or restamp(case, other)) if clock is ClockKind.HEADER else None
    if _could_meet(case, slow, fast, clock):
        place = f"at least, {said(at_s)} (by {clock} clock, which cannot show a shift by whole periods)"
        return Measurement(subject, apart_ns / NS_PER_MS, place, at_s=at_s, fix=fix)
    beyond = max(0.0, apart_ns - period / 2) / NS_PER_MS
    place = f"beyond the {period / 2 / NS_PER_MS:.3g} ms that their rates impose, {said(at_s)} (by {clock} clock)"
    return Measurement(subject, beyond, place, at_s=at_s, fix=fix)


def _could_meet(case: Case, slow: Stream, fast: Stream, clock: ClockKind) -> bool:
    """Would each sample of the slower stream have a partner at the same moment, were they triggered together?"""
    ratio = _period_ns(case, slow, clock) / _period_ns(case, fast, clock)
    return abs(ratio - round(ratio)) <= case.parameter("timing.stream_offset", "same_rate")


def _apart(slow_ns: Times, unsorted_ns: Times, period: float) -> tuple[float, int | None]:
    """Return how far all but one in a hundred are at most, and the first so far off; none where nothing overlaps."""
    fast_ns = np.sort(unsorted_ns)
    inside = (slow_ns >= fast_ns[0] - period) & (slow_ns <= fast_ns[-1] + period)
    if not inside.any():
        return max(int(fast_ns[0] - slow_ns.max()), int(slow_ns.min() - fast_ns[-1])), None
    distances = _to_nearest(slow_ns[inside], fast_ns)
    apart_ns = percentile(distances, 99)
    return apart_ns, int(np.flatnonzero(inside)[np.argmax(distances >= apart_ns)])


def _to_nearest(wanted_ns: Times, sorted_ns: Times) -> Times:
    right = np.minimum(np.searchsorted(sorted_ns, wanted_ns), len(sorted_ns) - 1)
    left = np.maximum(right - 1, 0)
    nearest: Times = np.minimum(np.abs(wanted_ns - sorted_ns[left]), np.abs(wanted_ns - sorted_ns[right]))
    return nearest


def _pace(case: Case, stream: Stream, clock: ClockKind) -> float:
    """Samples a second from first to last, gaps and all."""
    times = stream.clocks[clock]
    return float(case.keep(("pace", id(times)), lambda: _find_pace(times)))


def _find_pace(times: Times) -> float:
    span = int(times.max() - times.min())
    return (len(times) - 1) * NS_PER_S / span if span else 1.0


def _period_ns(case: Case, stream: Stream, clock: ClockKind) -> float:
    """Mean of the intervals that are about as long as most: stamps rounded to a millisecond still tell 30 Hz."""
    times = stream.clocks[clock]
    return case.keep(("period", id(times)), lambda: _mean_step(times))


def _mean_step(times: Times) -> float:
    steps = times[1:] - times[:-1]
    steps = steps[steps > 0]
    if not len(steps):
        return float(NS_PER_S)
    usual = float(np.sort(steps)[len(steps) // 2])
    return float(steps[np.abs(steps - usual) <= usual / 2].mean())

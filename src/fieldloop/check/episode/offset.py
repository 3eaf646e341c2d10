"""Check of the time offset between streams."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.registry import check
from fieldloop.check.signals.latency import propose_restamp
from fieldloop.check.signals.overlap import measure_distance_outside_ns
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.stamps import (
    MADE_UP,
    Times,
    compute_sample_time_s,
    explain_generated_timestamps,
    is_part_of_other_stream,
    is_steady,
)
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import NS_PER_MS, NS_PER_S, ClockKind, Stream
from fieldloop.stats.quantile import compute_percentile


def _is_same_lack_of_trigger(_case: Case, first: Measurement, second: Measurement) -> bool:
    """Are both about pairs that have a stream in common? One stream out of step shows in each of its pairs."""
    return not set(first.about.streams).isdisjoint(second.about.streams)


@check(
    "timing.stream_offset",
    unit="ms",
    needs=("streams",),
    rests_on=(StreamFact.RATE,),
    same_cause=_is_same_lack_of_trigger,
    revision=3,
    evidence=Evidence.CLOCK,
)
def measure_stream_offsets(case: Case) -> Iterator[Measurement]:
    """How far apart are the samples that a learner would pair, beyond what their rates impose?

    The value is the 99th percentile of the distance from each sample of the slower stream to the nearest sample of the
    faster one. If one rate is a whole multiple of the other, a common trigger would align the samples, so the whole
    distance counts: for two cameras, and for all streams of a log that names its protocol. Numbers of a log without a
    protocol may have been sampled without a trigger, and a learner can interpolate them: that is left open. Timestamps
    show an offset only up to half a period of the faster stream; `timing.stamped_behind` compares arrivals to find
    larger shifts. Otherwise (20 and 30 Hz) any trigger leaves up to half a period of the faster stream, and only the
    excess counts. This is about sampling, not about wrong clocks, which `timing.stamped_ahead` and alignment from
    content detect. Both streams are read on the most trusted clock that they share, where they overlap; commands sent
    only on change are left out. A stream that overlaps none of the others, while those overlap each other, is reported
    once.
    """
    streams = [s for s in case.find_sensing_streams() if is_steady(case, s) and not is_part_of_other_stream(case, s)]
    if len(streams) < 2:  # noqa: PLR2004 - an offset is between two
        return
    for stream in streams:
        if reason := explain_generated_timestamps(stream):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason)
        elif (apart_ns := measure_distance_outside_ns(case, stream)) is not None:
            code = "check.after_all_others" if apart_ns > 0 else "check.before_all_others"
            place = note(code, clock=stream.clock.value)
            yield Measurement(Subject(stream.name), abs(apart_ns) / NS_PER_MS, place, fix=propose_restamp(case, stream))
    for one, other in combinations(
        [s for s in streams if not explain_generated_timestamps(s) and measure_distance_outside_ns(case, s) is None], 2
    ):
        yield _measure_stream_offset(case, one, other)


def _measure_stream_offset(case: Case, first: Stream, second: Stream) -> Measurement:
    about = Subject(first.name, second.name)
    clock = next((kind for kind in ClockKind if kind in first.clocks and kind in second.clocks), None)
    if clock is None or clock in MADE_UP:
        return Measurement(about, UNKNOWN, cannot_tell=note("check.no_shared_clock"))
    if first.clocks[clock] is second.clocks[clock]:
        return Measurement(about, 0.0, note("check.by_clock", clock=clock.value))  # rows of one table
    slow, fast = sorted((first, second), key=lambda s: _measure_sample_rate_hz(case, s, clock))
    slow_ns, fast_ns, period = slow.clocks[clock], fast.clocks[clock], _measure_period_ns(case, fast, clock)
    # streams of one table share their timestamps, so one computation serves all of them
    apart_ns, index = case.compute_once(
        ("apart", id(slow_ns), id(fast_ns)), lambda: _compute_offset_percentile_ns(slow_ns, fast_ns, period)
    )
    if index is None:
        return Measurement(about, apart_ns / NS_PER_MS, note("check.never_overlap", clock=clock.value))
    at_s = compute_sample_time_s(case, slow, index)
    fix = (propose_restamp(case, first) or propose_restamp(case, second)) if clock is ClockKind.HEADER else None
    if _can_samples_coincide(case, slow, fast, clock):
        place, value = note("check.offset_at_least", at_s=at_s, clock=clock.value), apart_ns / NS_PER_MS
        if _is_common_trigger_expected(case, first, second) or apart_ns > period:
            return Measurement(about, value, place, at_s=at_s, fix=fix)
        return Measurement(about, value, place, at_s=at_s, fix=fix, low=0.0, high=value)
    beyond = max(0.0, apart_ns - period / 2) / NS_PER_MS
    place = note("check.offset_beyond_rates", imposed_ms=period / 2 / NS_PER_MS, at_s=at_s, clock=clock.value)
    return Measurement(about, beyond, place, at_s=at_s, fix=fix)


def _is_common_trigger_expected(case: Case, first: Stream, second: Stream) -> bool:
    """Should these streams be sampled at the same moments? Two cameras should, others where a protocol asks for it."""
    cameras = first.kind in PICTURES and second.kind in PICTURES
    asked = first.name in case.protocol.sensors and second.name in case.protocol.sensors
    return cameras or asked or case.collected_by_protocol


def _can_samples_coincide(case: Case, slow: Stream, fast: Stream, clock: ClockKind) -> bool:
    """Would a common trigger give each sample of the slower stream a partner at the same moment?"""
    ratio = _measure_period_ns(case, slow, clock) / _measure_period_ns(case, fast, clock)
    return abs(ratio - round(ratio)) <= case.read_parameter("timing.stream_offset", "same_rate")


def _compute_offset_percentile_ns(
    slow_ns: Times, fast_unsorted_ns: Times, period_ns: float
) -> tuple[float, int | None]:
    """Return the 99th percentile of the distances, and the first sample beyond it; None where nothing overlaps."""
    fast_ns = np.sort(fast_unsorted_ns)
    inside = (slow_ns >= fast_ns[0] - period_ns) & (slow_ns <= fast_ns[-1] + period_ns)
    if not inside.any():
        return max(int(fast_ns[0] - slow_ns.max()), int(slow_ns.min() - fast_ns[-1])), None
    distances = _compute_distance_to_nearest_ns(slow_ns[inside], fast_ns)
    apart_ns = compute_percentile(distances, 99)
    return apart_ns, int(np.flatnonzero(inside)[np.argmax(distances >= apart_ns)])


def _compute_distance_to_nearest_ns(wanted_ns: Times, sorted_ns: Times) -> Times:
    right = np.minimum(np.searchsorted(sorted_ns, wanted_ns), len(sorted_ns) - 1)
    left = np.maximum(right - 1, 0)
    nearest: Times = np.minimum(np.abs(wanted_ns - sorted_ns[left]), np.abs(wanted_ns - sorted_ns[right]))
    return nearest


def _measure_sample_rate_hz(case: Case, stream: Stream, clock: ClockKind) -> float:
    """Return samples per second from first to last, gaps included."""
    times = stream.clocks[clock]
    return float(case.compute_once(("pace", id(times)), lambda: _compute_sample_rate_hz(times)))


def _compute_sample_rate_hz(times: Times) -> float:
    span = int(times.max() - times.min())
    return (len(times) - 1) * NS_PER_S / span if span else 1.0


def _measure_period_ns(case: Case, stream: Stream, clock: ClockKind) -> float:
    """Return the mean of the intervals near the median: timestamps rounded to a millisecond still give 30 Hz."""
    times = stream.clocks[clock]
    return case.compute_once(("period", id(times)), lambda: _compute_mean_interval(times))


def _compute_mean_interval(times: Times) -> float:
    steps = times[1:] - times[:-1]
    steps = steps[steps > 0]
    if not len(steps):
        return float(NS_PER_S)
    usual = float(np.sort(steps)[len(steps) // 2])
    return float(steps[np.abs(steps - usual) <= usual / 2].mean())

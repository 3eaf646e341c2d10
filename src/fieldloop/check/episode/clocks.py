"""Checks of the two clocks of one stream: that of its sensor, and that of the receiver."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.clock_drifts import Drift, estimate_clock_drifts
from fieldloop.check.signals.latency import (
    BEHIND,
    Latency,
    compare_latencies_with_peers,
    find_stream_of_same_clock,
    measure_latencies,
    propose_restamp,
)
from fieldloop.check.signals.overlap import measure_distance_outside_ns
from fieldloop.check.signals.same_cause import are_at_same_moment, have_same_times
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.stamps import compute_sample_time_s, find_rhythm
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import NS_PER_MS, NS_PER_S, Stream
from fieldloop.stats.quantile import compute_median, compute_percentile


def _is_same_lead(case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both streams show one clock?"""
    same = find_stream_of_same_clock(case)
    names = {same.get(name, name) for name in (first.about.stream, second.about.stream)}
    return len(names) == 1


@check(
    "timing.stamped_ahead",
    unit="ms",
    needs=("streams",),
    rests_on=(StreamFact.CLOCK,),
    same_cause=_is_same_lead,
    revision=3,
    evidence=Evidence.CLOCK,
)
def measure_stamps_ahead_of_arrival(case: Case) -> Iterator[Measurement]:
    """How far ahead of their arrival are each stream's timestamps?

    No sample arrives before it was taken: timestamps in the future of the recorder's clock prove that the two clocks
    differ by at least this much. Timestamps in the past prove nothing, because transport takes time. Streams that are
    ahead by the same amount show one clock, which is reported once. A recorder whose clock counts from zero may have
    simulated time, which is sent in ticks: samples of the tick to come seem to be ahead, so that is left open where the
    log names no protocol.
    """
    same_day_ns = case.read_parameter("timing.stamped_ahead", "same_clock_s") * NS_PER_S
    for stream, latency in measure_latencies(case):
        usual, restamp = compute_median(latency.took_ns), propose_restamp(case, stream)
        if abs(usual) > same_day_ns:
            reason = note("check.clocks_have_other_epochs", arrival=latency.arrival.value)
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=reason)
            continue
        earliest = compute_percentile(latency.took_ns, 1)
        at_s = compute_sample_time_s(case, stream, int(np.argmin(latency.took_ns)))
        place = _note_compared_clocks(latency, at_s) if earliest < 0 else None
        ahead, seen_s = max(0.0, -earliest) / NS_PER_MS, at_s if earliest < 0 else None
        ticks = int(stream.clocks[latency.arrival].min()) < same_day_ns and not case.collected_by_protocol
        low, high = (0.0, ahead) if ticks else (None, None)
        fix = restamp if earliest < 0 else None
        yield Measurement(Subject(stream.name), ahead, place, low=low, high=high, at_s=seen_s, fix=fix)


def _explain_same_clock(case: Case, stream: Stream) -> Note | None:
    """Return which other stream is reported for the clock of this one; None where this one is."""
    first = find_stream_of_same_clock(case).get(stream.name)
    return note("check.same_clock", stream=first) if first else None


def _is_delay_alike(case: Case, first: Measurement, second: Measurement) -> bool:
    """Are both streams late by the same amount?"""
    alike = case.read_parameter(BEHIND, "alike_ms")
    return have_same_times(case, first, second) or abs(first.value - second.value) <= alike


def _is_same_drift(case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both clocks drift in the same direction, each within the other's interval?"""
    one, other = (estimate_clock_drifts(case).get(measurement.about.stream) for measurement in (first, second))
    if one is None or other is None:
        return False
    return one.ms * other.ms > 0 and abs(one.ms - other.ms) <= one.reach_ms + other.reach_ms


def _is_same_step(case: Case, first: Measurement, second: Measurement) -> bool:
    """Did both clocks jump by the same amount at the same moment?"""
    return are_at_same_moment(case, first, second) and _is_delay_alike(case, first, second)


@check(
    BEHIND,
    unit="ms",
    needs=("streams",),
    rests_on=(StreamFact.CLOCK,),
    same_cause=_is_delay_alike,
    revision=2,
)
def measure_stamps_behind_peers(case: Case) -> Iterator[Measurement]:
    """How much longer do each stream's samples take from timestamp to arrival than those of its peers?

    Cameras are compared with cameras, numbers with numbers. A late clock and a slow transport look alike, so a long
    delay alone does not show which it is. The clock is late if the delay is as steady as that of its peers, and
    shifting the clock by the difference aligns its samples with theirs. The check then proposes that shift.
    """
    for stream, _ in measure_latencies(case):
        excess = compare_latencies_with_peers(case).get(stream.name)
        if excess is None or measure_distance_outside_ns(case, stream) is not None:
            continue  # `timing.stream_offset` reports a stream that never overlaps the others
        value, arrival = max(0.0, excess.ns / NS_PER_MS), excess.arrival.value
        if excess.restamp is not None:
            place = note("check.header_clock", arrival=arrival)
            yield Measurement(Subject(stream.name), value, place, fix=excess.restamp)
        else:
            place = note("check.transport_or_clock", arrival=arrival)
            yield Measurement(Subject(stream.name), value, place, low=0.0, high=value)


@check(
    "timing.clock_drift",
    unit="ms",
    needs=("streams",),
    rests_on=(StreamFact.CLOCK,),
    same_cause=_is_same_drift,
    revision=5,
    evidence=Evidence.CLOCK,
)
def measure_clock_drift(case: Case) -> Iterator[Measurement]:
    """How far did each sensor's clock drift against the arrival clock from the episode's start to its end?

    Waiting can only lengthen the time from timestamp to arrival, so the shortest time in each tenth of the episode
    shows the clocks. A line through these ten values gives the drift; their scatter about the line gives the interval.
    If all sensors drift alike, or a clock starts from another origin or runs at another pace, the arrival clock may be
    the one that differs, as in simulated or replayed time: whether a sensor drifts is then left open. Streams that show
    one clock, because they are ahead by the same amount, are reported once.
    """
    for stream, latency in measure_latencies(case):
        drift = estimate_clock_drifts(case)[stream.name]
        if drift is None:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.too_few_for_clock"))
            continue
        if same := _explain_same_clock(case, stream):
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=same)
            continue
        value = abs(drift.ms)
        low, high = (
            (0.0 if drift.may_be_due_to_arrival_clock else max(0.0, value - drift.reach_ms)),
            value + drift.reach_ms,
        )
        yield Measurement(Subject(stream.name), value, _note_clock_drift(drift, latency), low=low, high=high)


def _note_clock_drift(drift: Drift, latency: Latency) -> Note:
    if drift.other_time:
        return note("check.clocks_count_other_time", arrival=latency.arrival.value)
    return note("check.all_clocks_drift") if drift.shared else _note_compared_clocks(latency)


@check(
    "timing.clock_step",
    unit="ms",
    needs=("streams",),
    rests_on=(StreamFact.CLOCK,),
    same_cause=_is_same_step,
    revision=4,
    evidence=Evidence.CLOCK,
)
def measure_clock_jump(case: Case) -> Iterator[Measurement]:
    """By how much did each sensor's clock jump?

    The clock jumped if the time from timestamp to arrival changes from one sample to the next and stays changed, while
    the samples arrive at their usual intervals. If the timestamps keep their intervals and the arrival jumps, the
    transport became slower, which is not a fault of the clock. The shortest, the usual and the longest time must all
    change, because waiting alone changes them one by one, and must stay changed for longer than messages wait.
    """
    lasts_ns = case.read_parameter("timing.clock_step", "lasts_s") * NS_PER_S
    for stream, latency in measure_latencies(case):
        beat = find_rhythm(case, stream)
        around = int(case.read_parameter("timing.clock_step", "samples_around"))
        if beat is None or len(latency.took_ns) < 2 * around:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.too_few_for_clock"))
            continue
        drift = estimate_clock_drifts(case)[stream.name]
        steps = _find_clock_steps(stream, latency, beat.period_ns, around)
        step, index = _find_largest_lasting_step(steps, latency, around, math.ceil(lasts_ns / beat.usual_ns))
        at_s, value = compute_sample_time_s(case, stream, index), step / NS_PER_MS
        place = _note_compared_clocks(latency, at_s) if step else None
        low, high = (0.0, value) if drift and drift.shared else (None, None)
        yield Measurement(Subject(stream.name), value, place, low=low, high=high, at_s=at_s if step else None)


def _note_compared_clocks(latency: Latency, at_s: float | None = None) -> Note:
    return note("check.header_clock", arrival=latency.arrival.value, at_s=at_s)


def _find_clock_steps(stream: Stream, latency: Latency, period_ns: float, window_samples: int) -> NDArray[np.float64]:
    """Return by how much the timestamps jump behind each sample that has a window of samples on both sides."""
    took = latency.took_ns.astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(took, window_samples)
    moved = [
        _compute_latency_change(level, window_samples)
        for level in (np.median(windows, axis=1), windows.min(axis=1), windows.max(axis=1))
    ]
    together = np.abs(np.sign(moved).sum(axis=0)) == len(moved)
    lasting = np.where(together, np.abs(moved).min(axis=0), 0.0)
    sudden = np.abs(np.diff(took))[window_samples - 1 : window_samples - 1 + len(lasting)]
    stamped, arrived = np.diff(stream.times_ns), np.diff(stream.clocks[latency.arrival])
    inside = slice(window_samples - 1, window_samples - 1 + len(lasting))
    in_rhythm = np.abs(arrived[inside] - period_ns) <= np.abs(stamped[inside] - period_ns)
    return np.where(in_rhythm, np.minimum(lasting, sudden), 0.0)


def _find_largest_lasting_step(
    steps: NDArray[np.float64], latency: Latency, window_samples: int, lasting_samples: int
) -> tuple[float, int]:
    """Return the largest step that stays for `lasting_samples`, and the first sample after it.

    A fast stream's window is shorter than what messages wait for, so each step is measured again over a longer one.
    """
    largest, where, took = 0.0, 0, latency.took_ns.astype(np.float64)
    around = max(window_samples, lasting_samples)
    for index in np.argsort(-steps, kind="stable"):
        if steps[index] <= largest:
            break  # all others are smaller
        first = int(index) + window_samples
        before, behind = took[max(0, first - around) : first], took[first : first + around]
        if min(len(before), len(behind)) < around:
            continue
        moved = [level(behind) - level(before) for level in (np.median, np.min, np.max)]
        lasting = float(np.abs(moved).min()) if abs(np.sign(moved).sum()) == len(moved) else 0.0
        if min(float(steps[index]), lasting) > largest:
            largest, where = min(float(steps[index]), lasting), first
    return largest, where


def _compute_latency_change(window_levels: NDArray[np.float64], window_samples: int) -> NDArray[np.float64]:
    """Return each window's level less that of the window before it."""
    return window_levels[window_samples:] - window_levels[:-window_samples]

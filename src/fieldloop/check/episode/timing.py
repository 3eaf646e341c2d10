"""Checks of each stream's own timestamps: gaps, order, repetitions, jitter and rate."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import find_movement
from fieldloop.check.signals.overlap import find_overlapping_streams, measure_distance_outside_ns, propose_safe_trim
from fieldloop.check.signals.same_cause import are_at_same_moment, do_stretches_overlap, have_same_times
from fieldloop.check.signals.sensed import Evidence
from fieldloop.check.signals.stamps import (
    ARRIVALS,
    EVENTFUL,
    Rhythm,
    Times,
    compute_once_by_stamps,
    compute_sample_time_s,
    explain_bursts,
    explain_generated_timestamps,
    find_rhythm,
    find_row_times_ns,
    find_time_span_ns,
    has_two_clocks,
    is_in_table_rows,
    is_part_of_other_stream,
    is_steady,
)
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.fix import Fix
from fieldloop.model.note import NO_SUBJECT, Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import NS_PER_MS, NS_PER_S, ClockKind, Stream
from fieldloop.model.stream_notes import ABOUT_PROGRAMS, SENDERS
from fieldloop.stats.quantile import compute_percentile

EDGES = {"check.begins_late", "check.ends_early"}


def _is_same_interruption(case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both streams lack samples at the same time, as where the recorder stalled?"""
    if have_same_times(case, first, second):
        return True
    codes, late = {one.place.code for one in (first, second) if one.place}, {"check.begins_late"}
    if codes & EDGES:
        return len(codes) == 1 and (codes != late or are_at_same_moment(case, first, second))
    return do_stretches_overlap(first, _measure_gap_s(case, first), second, _measure_gap_s(case, second))


def _measure_gap_s(case: Case, measurement: Measurement) -> float:
    beat = find_rhythm(case, case.recording.streams[measurement.about.stream])
    return measurement.value * beat.period_ns / NS_PER_S if beat else 0.0


def _is_same_disorder(case: Case, first: Measurement, second: Measurement) -> bool:
    """Have both streams one set of timestamps, or several senders, or was the clock of both set at one moment?"""
    one, other = (case.recording.streams[measurement.about.stream] for measurement in (first, second))
    return (
        have_same_times(case, first, second)
        or (has_two_clocks(one) and has_two_clocks(other))
        or (first.value == second.value and are_at_same_moment(case, first, second))
    )


def _is_same_unrest(case: Case, first: Measurement, second: Measurement) -> bool:
    """Have both streams one set of timestamps, or only those of their arrival, which waver with the transport?"""
    clocks = {case.recording.streams[one.about.stream].clock for one in (first, second)}
    return have_same_times(case, first, second) or (len(clocks) == 1 and clocks <= set(ARRIVALS))


@check(
    "timing.longest_gap",
    unit="missing periods",
    needs=("streams",),
    rests_on=(StreamFact.RATE,),
    same_cause=_is_same_interruption,
    revision=4,
    evidence=Evidence.CLOCK,
)
def count_longest_run_of_missing_samples(case: Case) -> Iterator[Measurement]:
    """How many periods in a row did each stream miss, at most?

    Samples that arrive late together are not missing: a gap counts only as far as later samples do not catch up. A
    sample whose timestamp was set back still counts as a sample. A stream that ends before the others or starts after
    them missed the time between; where nothing moves in that stretch, the check proposes to trim it. If a clock never
    overlaps the others, `timing.stream_offset` reports it. Commands sent only on change have no period, so they are not
    checked, nor are velocities and efforts that come in the message of their positions. If samples come in bursts, the
    period is unknown, so that gaps are left open.
    """
    slack_ns, long = case.read_parameter("timing.longest_gap", "edge_s") * NS_PER_S, _read_long_interval_periods(case)
    for stream in case.find_sensing_streams():
        if is_part_of_other_stream(case, stream):
            continue
        beat = find_rhythm(case, stream)
        if beat is None or not is_steady(case, stream):
            if stream.kind not in EVENTFUL:
                yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.too_few_stamps"))
            continue
        bursts = explain_bursts(case, stream, beat)
        missing, index = (
            (0.0, 0)
            if bursts
            else compute_once_by_stamps(
                case,
                "gap",
                stream,
                partial(_find_longest_interruption, beat, long, repeats_in_rows=is_in_table_rows(stream)),
            )
        )
        (first, last), (begins, ends) = _find_steady_time_bounds(case, stream.clock), find_time_span_ns(case, stream)
        early, late = begins - first - slack_ns, last - ends - slack_ns
        code, fix = "check.at", None
        edged = stream.kind not in EVENTFUL and measure_distance_outside_ns(case, stream) is None
        if edged and max(early, late) > missing * beat.period_ns:
            missing = float(round(max(early, late) / beat.period_ns))
            code, index = ("check.begins_late", 0) if early > late else ("check.ends_early", len(stream) - 1)
            fix = _propose_edge_trim(case, stream, at_head=early > late)
        reason, at_s = explain_generated_timestamps(stream) or bursts, compute_sample_time_s(case, stream, index)
        unproven = note("check.drivers_start_apart") if code == "check.begins_late" else None
        place = note(code, at_s=at_s) if missing else None
        shown_s = at_s if missing else None
        yield Measurement(Subject(stream.name), missing, place, reason, at_s=shown_s, fix=fix, unproven=unproven)


@check(
    "timing.not_monotonic",
    unit="samples",
    needs=("streams",),
    same_cause=_is_same_disorder,
    revision=4,
    evidence=Evidence.CLOCK,
)
def count_backward_stamps(case: Case) -> Iterator[Measurement]:
    """How often did each stream's clock run backwards?

    A clock that starts again from the beginning runs backwards: the log holds several attempts. Where no sensor and no
    command shows it, any other stream of steady rate does, unless it is about programs, or repeats most of its
    timestamps: it then has those of its inputs. Where several programs write to a stream, their messages arrive in
    turn: each clock may run forward, so that is left open unless their clocks differ by more than the recording took.
    """
    share = case.read_parameter("timing.not_monotonic", "taking_turns")
    for stream in _find_clocks_to_order(case):
        counted = _count_wrong_stamps(
            case,
            stream,
            compute_once_by_stamps(
                case, "backwards", stream, lambda times: _find_wrong_stamp_indices(times[1:] < times[:-1])
            ),
        )
        in_turn = SENDERS in stream.notes or counted.value >= share * len(stream)
        if counted.value and in_turn and not has_two_clocks(stream):
            place = note("check.senders_in_turn", at_s=counted.at_s)
            counted = replace(counted, place=place, low=0.0, high=counted.value)
        yield counted


def _find_clocks_to_order(case: Case) -> list[Stream]:
    """Return the sensors and commands, and the other steady streams where all of those run forward."""
    sensing = list(case.find_sensing_streams())
    if any((stream.times_ns[1:] < stream.times_ns[:-1]).any() for stream in sensing):
        return sensing
    others = (stream for stream in case.find_streams() if stream not in sensing and stream.values is not None)
    backward = (s for s in others if (s.times_ns[1:] < s.times_ns[:-1]).any() and is_steady(case, s))
    return [*sensing, *(s for s in backward if ABOUT_PROGRAMS not in s.notes and np.median(np.diff(s.times_ns)) > 0)]


@check(
    "timing.repeated_stamps",
    unit="samples",
    needs=("streams",),
    rests_on=(StreamFact.RATE,),
    same_cause=have_same_times,
    revision=3,
)
def count_repeated_stamps(case: Case) -> Iterator[Measurement]:
    """How many samples of each stream have the timestamp of the one before?

    A table repeats a sample of a slower stream over several rows, as long as no other sample is nearer. Such
    repetitions are not counted; longer ones are. Two messages can arrive within one tick of the recorder's clock, so
    repetitions of arrival times alone prove nothing.
    """
    for stream in case.find_sensing_streams():
        again = compute_once_by_stamps(
            case, "repeated", stream, lambda times: _find_wrong_stamp_indices(times[1:] == times[:-1])
        )
        beat = find_rhythm(case, stream)
        if len(again) and beat is not None and is_in_table_rows(stream):
            apart = _compute_deviation_from_row_ns(stream.times_ns, find_row_times_ns(case, stream)) / beat.period_ns
            again = again[apart[again] > case.read_parameter("timing.repeated_stamps", "held_share")]
        counted = _count_wrong_stamps(case, stream, again)
        arrived = stream.clock in ARRIVALS and len(again)
        yield replace(counted, low=0.0, high=counted.value) if arrived else counted


@check(
    "timing.jitter",
    unit="share of period",
    needs=("streams",),
    rests_on=(StreamFact.RATE,),
    same_cause=_is_same_unrest,
    revision=4,
)
def measure_interval_jitter(case: Case) -> Iterator[Measurement]:
    """How far from its period are each stream's intervals, at the 99th percentile?

    Intervals that miss a sample are left out: `timing.longest_gap` reports them. So are those in which the clock runs
    backwards: `timing.not_monotonic` reports them. Velocities and efforts that come in
    the message of their positions have no clock of their own, so they are left out too. A deviation within what is
    allowed between streams never fails: a fast sensor's period is shorter than what the arrival of messages varies by.
    """
    least_ns = case.read_parameter("timing.jitter", "least_ms") * NS_PER_MS
    for stream in case.find_sensing_streams():
        beat = find_rhythm(case, stream)
        if beat is None or not is_steady(case, stream) or is_part_of_other_stream(case, stream):
            continue
        away = case.compute_once(
            ("jitter", id(stream.times_ns)),
            partial(_compute_jitter, beat, _read_long_interval_periods(case), repeats_in_rows=is_in_table_rows(stream)),
        )
        if away is None:
            yield Measurement(Subject(stream.name), UNKNOWN, cannot_tell=note("check.every_interval_misses"))
            continue
        reason, (value, index) = explain_generated_timestamps(stream), away
        at_s = compute_sample_time_s(case, stream, index)
        place = note("check.worst_at", at_s=at_s) if value else None
        low, high = (0.0, value) if value * beat.period_ns <= least_ns else (None, None)
        yield Measurement(Subject(stream.name), value, place, reason, low=low, high=high, at_s=at_s)


@check(
    "timing.rate",
    unit="share of declared rate",
    needs=("streams",),
    same_cause=have_same_times,
    revision=2,
)
def compare_rate_with_declared_rate(case: Case) -> Iterator[Measurement]:
    """How does each stream's rate compare with the declared rate?

    Where a table repeats a stream's samples over several rows, the rows are counted. Where samples come in bursts, or
    many repeat a timestamp, the samples are counted over the time they take.
    """
    for stream in case.find_sensing_streams():
        asked = case.protocol.sensors.get(stream.name)
        declared = stream.nominal_hz or (asked.hz if asked else None)
        beat = find_rhythm(case, stream)
        if not declared or beat is None:
            continue
        reason = explain_generated_timestamps(stream) if stream.clock is ClockKind.SYNTHETIC else None
        really = NS_PER_S / _choose_period_ns(stream, beat)
        place = note("check.rate_declared", real_hz=really, declared_hz=declared)
        yield Measurement(Subject(stream.name), really / declared, place, cannot_tell=reason)


@check(
    "timing.real_stamps",
    unit="share of streams",
    needs=("streams",),
)
def measure_share_of_streams_with_real_stamps(case: Case) -> Iterator[Measurement]:
    """Which share of the streams has timestamps from the moment of sensing or arrival?"""
    streams = list(case.find_sensing_streams())
    if streams:
        invented = [stream.name for stream in streams if explain_generated_timestamps(stream)]
        place = note("check.generated_in", names=tuple(invented)) if invented else None
        yield Measurement(NO_SUBJECT, 1.0 - len(invented) / len(streams), place)


def _choose_period_ns(stream: Stream, rhythm_of_stream: Rhythm) -> float:
    """Return the period to compare with the declared rate."""
    if not is_in_table_rows(stream) or rhythm_of_stream.steps_ns.all():
        return rhythm_of_stream.usual_ns
    return float(rhythm_of_stream.steps_ns.mean())


def _compute_deviation_from_row_ns(times: Times, rows: Times) -> NDArray[np.float64]:
    """Return how far each timestamp is from its row's time; a fitted line maps row times to timestamps.

    Rows before the first sample and after the last are left out: no nearer sample exists.
    """
    when, stamp = ((clock - clock[0]).astype(np.float64) for clock in (rows, times))
    slope, start = np.polyfit(when, stamp, 1)
    return np.where((times == times[0]) | (times == times[-1]), 0.0, np.abs(stamp - slope * when - start))


def _read_long_interval_periods(case: Case) -> float:
    """Return the number of periods from which on an interval misses a sample."""
    return case.read_parameter("timing.longest_gap", "long_interval")


def _compute_jitter(
    rhythm_of_stream: Rhythm, long_interval_periods: float, *, repeats_in_rows: bool
) -> tuple[float, int] | None:
    """Return the jitter and the index before the worst interval; None where every interval misses a sample."""
    shares = rhythm_of_stream.steps_ns / rhythm_of_stream.period_ns
    whole = np.flatnonzero((shares < long_interval_periods) & (shares >= 0) & ((shares != 0) | (not repeats_in_rows)))
    if not len(whole):
        return None
    away = np.abs(shares[whole] - 1.0)
    return compute_percentile(away, 99), int(whole[np.argmax(away)]) + 1


def _find_wrong_stamp_indices(is_wrong_step: NDArray[np.bool_]) -> Times:
    """Return which timestamps differ in this way from the one before."""
    return np.flatnonzero(is_wrong_step) + 1


def _count_wrong_stamps(case: Case, stream: Stream, wrong_indices: Times) -> Measurement:
    if not len(wrong_indices):
        return Measurement(Subject(stream.name), 0.0)
    at_s = compute_sample_time_s(case, stream, int(wrong_indices[0]) - 1)  # the last correct timestamp
    return Measurement(Subject(stream.name), float(len(wrong_indices)), note("check.first_at", at_s=at_s), at_s=at_s)


def _find_longest_interruption(
    rhythm_of_stream: Rhythm, long_interval_periods: float, times: Times, *, repeats_in_rows: bool
) -> tuple[float, int]:
    """Return the most periods missed in a row and the index of the sample before the gap.

    Only timestamps later than all before them open a gap; samples with earlier timestamps fill it, and so do those that
    share one timestamp, unless they are one sample that a table repeats over several rows.
    """
    if rhythm_of_stream.steps_ns.max() / rhythm_of_stream.period_ns < long_interval_periods:
        return 0.0, 0
    latest = np.maximum.accumulate(times)
    further = times[1:] > latest[:-1] if repeats_in_rows else times[1:] >= latest[:-1]
    onward = np.flatnonzero(np.concatenate([[True], further]))
    back = np.diff(np.cumsum(times < latest)[onward])
    times = times[onward]
    missing = np.round(np.diff(times) / rhythm_of_stream.period_ns) - 1 - back
    worst, where = 0.0, 0
    gaps = np.flatnonzero(missing > 0)
    for index in gaps[np.argsort(-missing[gaps], kind="stable")]:
        gap = int(missing[index])
        if gap <= worst:
            break  # all others are shorter
        behind = times[index + 1 : index + 2 + min(gap, len(times))]
        caught_up = (behind - times[index]) / rhythm_of_stream.period_ns - np.arange(1, len(behind) + 1) - back[index]
        left = float(np.round(caught_up.min()))
        if left > worst:
            worst, where = left, int(onward[index])
    return worst, where


def _find_steady_time_bounds(case: Case, clock: ClockKind) -> tuple[int, int]:
    """Return the first and last timestamp of the steady streams that overlap on this clock."""
    return case.compute_once(("bounds", clock), lambda: _compute_steady_time_bounds(case, clock))


def _compute_steady_time_bounds(case: Case, clock: ClockKind) -> tuple[int, int]:
    spans = [find_time_span_ns(case, stream) for stream in find_overlapping_streams(case, clock)]
    return min((first for first, _ in spans), default=0), max((last for _, last in spans), default=0)


def _propose_edge_trim(case: Case, stream: Stream, *, at_head: bool) -> Fix | None:
    """Propose to trim the stretch without samples, unless the robot moves in it or that is unknown."""
    moved, why = find_movement(case), note("check.fix_silent_edge", stream=stream.name)
    first, last = find_time_span_ns(case, stream)
    if moved is None or explain_generated_timestamps(stream):
        return None
    if at_head:
        return propose_safe_trim(case, why, start_ns=first) if moved.onset_ns >= first else None
    return propose_safe_trim(case, why, end_ns=last) if moved.offset_ns <= last else None

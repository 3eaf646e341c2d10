"""Questions about each stream's own clock."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.astray import astray_ns, home, safe_trim
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.stamps import (
    EVENTFUL,
    Rhythm,
    Times,
    by_stamps,
    in_rows,
    made_up,
    moment,
    part_of_another,
    rhythm,
    rows_ns,
    said,
    span_ns,
    steady,
)
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.fix import Fix
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream
from fieldloop.stats.quantile import percentile

UNKNOWN = float("nan")
LONG = 1.5
"""An interval of so many periods is nearer to two than to one: it misses a sample."""


@check(
    "timing.longest_gap",
    unit="missing periods",
    needs=("streams",),
    advice="Look for dropped samples: bus load, USB bandwidth, a writer that could not keep up.",
)
def longest_gap(case: Case) -> Iterator[Measurement]:
    """How many periods in a row did each stream miss at most?

    Samples that arrive late in a bunch are not missing: a gap counts only as far as the samples behind it do not
    catch up, and a sample whose stamp was set back is there all the same. A stream that falls silent before the others
    end, or wakes after they begin, missed what lies between; where nothing moves in that stretch, cutting it off is
    proposed. A clock that never meets the others' says nothing of when they begin and end: `timing.stream_offset`
    names it. Commands sent on change have no period to miss.
    """
    slack_ns = case.parameter("timing.longest_gap", "edge_s") * NS_PER_S
    for stream in case.sensing():
        beat = rhythm(case, stream)
        if beat is None or not steady(case, stream):
            if stream.kind not in EVENTFUL:
                yield Measurement(stream.name, UNKNOWN, cannot_tell="too few stamps to know the stream's period.")
            continue
        missing, index = by_stamps(case, "gap", stream, partial(_worst_gap, beat, held=in_rows(stream)))
        (first, last), (begins, ends) = _bounds(case, stream.clock), span_ns(case, stream)
        early, late = begins - first - slack_ns, last - ends - slack_ns
        edge, fix = "", None
        edged = stream.kind not in EVENTFUL and astray_ns(case, stream) is None
        if edged and max(early, late) > missing * beat.period_ns:
            missing = float(round(max(early, late) / beat.period_ns))
            edge, index = (" (begins late)", 0) if early > late else (" (ends early)", len(stream) - 1)
            fix = _cut_off(case, stream, head=early > late)
        reason, at_s = made_up(stream), moment(case, stream, index)
        place = f"{said(at_s)}{edge}" if missing else ""
        unsure = f"{reason}." if reason else ""
        yield Measurement(stream.name, missing, place, unsure, at_s=at_s if missing else None, fix=fix)


@check(
    "timing.not_monotonic",
    unit="samples",
    needs=("streams",),
    advice="Look for a clock that was set during recording, or two devices writing to one topic.",
)
def not_monotonic(case: Case) -> Iterator[Measurement]:
    """How often did each stream's clock run backwards?"""
    for stream in case.sensing():
        yield _counted(case, stream, by_stamps(case, "backwards", stream, lambda times: _where(times[1:] < times[:-1])))


@check(
    "timing.repeated_stamps",
    unit="samples",
    needs=("streams",),
    advice="Look for messages that are sent or written twice, and for stamps rounded coarser than the stream's period.",
)
def repeated_stamps(case: Case) -> Iterator[Measurement]:
    """How many samples of each stream bear the stamp of the one before?

    A table holds a slower stream's sample over several rows, as long as none is nearer to the row: these are not
    counted, a sample that is held for longer is.
    """
    for stream in case.sensing():
        again = by_stamps(case, "repeated", stream, lambda times: _where(times[1:] == times[:-1]))
        beat = rhythm(case, stream)
        if len(again) and beat is not None and in_rows(stream):
            apart = _from_row(stream.times_ns, rows_ns(case, stream)) / beat.period_ns
            again = again[apart[again] > case.parameter("timing.repeated_stamps", "held_share")]
        yield _counted(case, stream, again)


@check(
    "timing.jitter",
    unit="share of period",
    needs=("streams",),
    advice="Stamp where the sample is taken, not where it arrives; look for a busy processor.",
)
def jitter(case: Case) -> Iterator[Measurement]:
    """How far from its period is each stream's interval, at worst but one in a hundred?

    Intervals that miss a sample are left out here: `timing.longest_gap` speaks of them. Velocities and efforts that
    come in the message of their positions have no clock of their own, so they are not asked again.
    """
    for stream in case.sensing():
        beat = rhythm(case, stream)
        if beat is None or not steady(case, stream) or part_of_another(case, stream):
            continue
        away = case.keep(("jitter", id(stream.times_ns)), partial(_away, beat, held=in_rows(stream)))
        if away is None:
            yield Measurement(stream.name, UNKNOWN, cannot_tell="every interval misses a sample.")
            continue
        reason, (value, index) = made_up(stream), away
        at_s = moment(case, stream, index)
        place = f"(worst {said(at_s)})" if value else ""
        yield Measurement(stream.name, value, place, cannot_tell=f"{reason}." if reason else "", at_s=at_s)


@check(
    "timing.rate",
    unit="share of declared rate",
    needs=("streams",),
    advice="Record at the rate that is declared, or declare the rate that is recorded.",
)
def rate(case: Case) -> Iterator[Measurement]:
    """How does each stream's rate compare with the one that was declared?

    Of a stream that a table holds over several rows, the rows are counted.
    """
    for stream in case.sensing():
        asked = case.protocol.sensors.get(stream.name)
        declared = stream.nominal_hz or (asked.hz if asked else None)
        beat = rhythm(case, stream)
        if not declared or beat is None:
            continue
        reason = made_up(stream) if stream.clock is ClockKind.SYNTHETIC else ""
        really = NS_PER_S / _period_ns(stream, beat)
        place = f"({really:.4g} Hz where {declared:g} Hz is declared)"
        yield Measurement(stream.name, really / declared, place, cannot_tell=f"{reason}." if reason else "")


@check(
    "timing.real_stamps",
    unit="share of streams",
    needs=("streams",),
    advice="Keep each sensor's own capture stamps as extra columns: once dropped they cannot be got back.",
)
def real_stamps(case: Case) -> Iterator[Measurement]:
    """Which share of the streams carries stamps from the moment of sensing or arrival?"""
    streams = list(case.sensing())
    if streams:
        invented = [stream.name for stream in streams if made_up(stream)]
        place = f"(made up: {', '.join(invented)})" if invented else ""
        yield Measurement("", 1.0 - len(invented) / len(streams), place)


def _period_ns(stream: Stream, beat: Rhythm) -> float:
    """Return the period that the declared rate speaks of."""
    if not in_rows(stream) or beat.steps_ns.all():
        return beat.period_ns
    return float(beat.steps_ns.mean())


def _from_row(times: Times, rows: Times) -> NDArray[np.float64]:
    """Return how far each stamp is from its row, the rows' clock being fitted to the stamps by a line.

    Rows before the first sample and behind the last have none nearer: they are not held against it.
    """
    when, stamp = ((clock - clock[0]).astype(np.float64) for clock in (rows, times))
    slope, start = np.polyfit(when, stamp, 1)
    return np.where((times == times[0]) | (times == times[-1]), 0.0, np.abs(stamp - slope * when - start))


def _away(beat: Rhythm, *, held: bool) -> tuple[float, int] | None:
    """Return how far intervals are from the period and behind which the farthest lies; None where all miss a sample."""
    shares = beat.steps_ns / beat.period_ns
    whole = np.flatnonzero((shares < LONG) & ((shares != 0) | (not held)))
    if not len(whole):
        return None
    away = np.abs(shares[whole] - 1.0)
    return percentile(away, 99), int(whole[np.argmax(away)]) + 1


def _where(wrong: NDArray[np.bool_]) -> Times:
    """Return which samples differ in this way from the one before."""
    return np.flatnonzero(wrong) + 1


def _counted(case: Case, stream: Stream, wrong: Times) -> Measurement:
    if not len(wrong):
        return Measurement(stream.name, 0.0)
    at_s = moment(case, stream, int(wrong[0]) - 1)  # the stamp before is the one that is right
    return Measurement(stream.name, float(len(wrong)), f"first {said(at_s)}", at_s=at_s)


def _worst_gap(beat: Rhythm, times: Times, *, held: bool) -> tuple[float, int]:
    """Return the most periods missed in a row and the index of the sample before the gap.

    Only stamps beyond all before them open a gap; samples stamped back in between fill it, and so do those that bear
    one stamp, unless they are one sample that a table holds over several rows.
    """
    if beat.steps_ns.max() / beat.period_ns < LONG:
        return 0.0, 0
    latest = np.maximum.accumulate(times)
    further = times[1:] > latest[:-1] if held else times[1:] >= latest[:-1]
    onward = np.flatnonzero(np.concatenate([[True], further]))
    back = np.diff(np.cumsum(times < latest)[onward])
    times = times[onward]
    missing = np.round(np.diff(times) / beat.period_ns) - 1 - back
    worst, where = 0.0, 0
    gaps = np.flatnonzero(missing > 0)
    for index in gaps[np.argsort(-missing[gaps], kind="stable")]:
        gap = int(missing[index])
        if gap <= worst:
            break  # the others are shorter still
        behind = times[index + 1 : index + 2 + min(gap, len(times))]
        caught_up = (behind - times[index]) / beat.period_ns - np.arange(1, len(behind) + 1) - back[index]
        left = float(np.round(caught_up.min()))
        if left > worst:
            worst, where = left, int(onward[index])
    return worst, where


def _bounds(case: Case, clock: ClockKind) -> tuple[int, int]:
    """First and last stamp of the steady streams that meet on this clock."""
    return case.keep(("bounds", clock), lambda: _find_bounds(case, clock))


def _find_bounds(case: Case, clock: ClockKind) -> tuple[int, int]:
    spans = [span_ns(case, stream) for stream in home(case, clock)]
    return min((first for first, _ in spans), default=0), max((last for _, last in spans), default=0)


def _cut_off(case: Case, stream: Stream, *, head: bool) -> Fix | None:
    """Propose to cut the stretch in which a stream is silent, unless the robot moves in it or nobody knows."""
    moved, why = movement(case), f"{stream.name} is silent there, and nothing moves."
    first, last = span_ns(case, stream)
    if moved is None or made_up(stream):
        return None
    if head:
        return safe_trim(case, why, start_ns=first) if moved.onset_ns >= first else None
    return safe_trim(case, why, end_ns=last) if moved.offset_ns <= last else None

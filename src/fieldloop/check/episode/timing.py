"""Questions about each stream's own clock."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import EVENTFUL, at, made_up, rhythm
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream

UNKNOWN = float("nan")


@check(
    "timing.longest_gap",
    unit="missing periods",
    needs=("streams",),
    advice="Look for dropped samples: bus load, USB bandwidth, a writer that could not keep up.",
)
def longest_gap(case: Case) -> Iterator[Measurement]:
    """How many periods in a row did each stream miss at most?

    Samples that arrive late in a bunch are not missing: a gap counts only as far as the samples behind it do not
    catch up. A stream that falls silent before the others end, or wakes after they begin, missed what lies between.
    """
    slack_ns = case.parameter("timing.longest_gap", "edge_s") * NS_PER_S
    bounds = {clock: _bounds(case, clock) for clock in ClockKind}
    for stream in case.sensing():
        beat = rhythm(stream)
        if beat is None or (
            stream.kind in EVENTFUL and beat.spread > case.parameter("timing.longest_gap", "steady_spread")
        ):
            if stream.kind not in EVENTFUL:
                yield Measurement(stream.name, UNKNOWN, cannot_tell="too few stamps to know the stream's period.")
            continue
        missing, index = _worst_gap(stream, beat.period_ns)
        first, last = bounds[stream.clock]
        early = int(stream.times_ns[0]) - first - slack_ns
        late = last - int(stream.times_ns[-1]) - slack_ns
        place = at(stream, index)
        if stream.kind not in EVENTFUL and max(early, late) > missing * beat.period_ns:
            missing = float(round(max(early, late) / beat.period_ns))
            place = at(stream, 0) + " (begins late)" if early > late else at(stream, len(stream) - 1) + " (ends early)"
        reason = made_up(stream)
        yield Measurement(stream.name, missing, place, cannot_tell=f"{reason}." if reason else "")


@check(
    "timing.not_monotonic",
    unit="samples",
    needs=("streams",),
    advice="Look for a clock that was set during recording, or two devices writing to one topic.",
)
def not_monotonic(case: Case) -> Iterator[Measurement]:
    """How often did each stream's clock stand still or run backwards?"""
    for stream in case.sensing():
        wrong = np.flatnonzero(np.diff(stream.times_ns) <= 0)
        place = f"first {at(stream, int(wrong[0]) + 1)}" if len(wrong) else ""
        yield Measurement(stream.name, float(len(wrong)), place)


@check(
    "timing.jitter",
    unit="share of period",
    needs=("streams",),
    advice="Stamp where the sample is taken, not where it arrives; look for a busy processor.",
)
def jitter(case: Case) -> Iterator[Measurement]:
    """How far from its period is each stream's interval, at worst but one in a hundred?

    Intervals that miss a sample are left out here: `timing.longest_gap` speaks of them.
    """
    for stream in case.sensing():
        beat = rhythm(stream)
        if beat is None:
            continue
        shares = beat.steps_ns / beat.period_ns
        whole = shares[shares < 1.5]  # noqa: PLR2004 - nearer to one period than to two
        if stream.kind in EVENTFUL and beat.spread > case.parameter("timing.longest_gap", "steady_spread"):
            continue
        reason = made_up(stream)
        value = float(np.percentile(np.abs(whole - 1.0), 99)) if len(whole) else UNKNOWN
        yield Measurement(stream.name, value, cannot_tell=f"{reason}." if reason or not len(whole) else "")


@check(
    "timing.rate",
    unit="share of declared rate",
    needs=("streams",),
    advice="Record at the rate that is declared, or declare the rate that is recorded.",
)
def rate(case: Case) -> Iterator[Measurement]:
    """How does each stream's rate compare with the one that was declared?"""
    for stream in case.sensing():
        asked = case.protocol.sensors.get(stream.name)
        declared = stream.nominal_hz or (asked.hz if asked else None)
        beat = rhythm(stream)
        if not declared or beat is None:
            continue
        reason = made_up(stream) if stream.clock is ClockKind.SYNTHETIC else ""
        really = NS_PER_S / beat.period_ns
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


def _worst_gap(stream: Stream, period_ns: float) -> tuple[float, int]:
    """Return the most periods missed in a row and the index of the sample before the gap."""
    times = stream.times_ns
    steps = np.diff(times) / period_ns
    missing = np.round(steps) - 1
    worst, where = 0.0, 0
    for index in np.flatnonzero(missing > 0):
        gap = int(missing[index])
        behind = times[index + 1 : index + 2 + min(gap, len(times))]
        caught_up = (behind - times[index]) / period_ns - np.arange(1, len(behind) + 1)
        left = float(np.round(caught_up.min()))
        if left > worst:
            worst, where = left, int(index)
    return worst, where


def _bounds(case: Case, clock: ClockKind) -> tuple[int, int]:
    """First and last stamp of any steady stream on this clock."""
    steady = [s.times_ns for s in case.sensing() if s.clock is clock and s.kind not in EVENTFUL and rhythm(s)]
    if not steady:
        return 0, 0
    return int(min(times[0] for times in steady)), int(max(times[-1] for times in steady))

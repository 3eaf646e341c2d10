"""Questions about two clocks of one stream: that of its sensor, and that of whoever received it."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.astray import astray_ns
from fieldloop.check.episode.latency import BEHIND, NS_PER_MS, Latency, excesses, latencies, restamp
from fieldloop.check.episode.stamps import moment, rhythm, said
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.stats.quantile import median, percentile


@check(
    "timing.stamped_ahead",
    unit="ms",
    needs=("streams",),
    advice="Synchronise the sensor's clock with the recorder's (PTP, NTP): every stamp of it is off by at least this.",
)
def stamped_ahead(case: Case) -> Iterator[Measurement]:
    """How far ahead of its own arrival is each stream stamped?

    Nothing arrives before it was sensed: stamps that lie in the future of the recorder's clock prove that the two
    clocks differ by at least this much. Stamps that lie in the past prove nothing, for every transport takes time.
    """
    same_day_ns = case.parameter("timing.stamped_ahead", "same_clock_s") * NS_PER_S
    for stream, latency in latencies(case):
        usual = median(latency.took_ns)
        if abs(usual) > same_day_ns:
            reason = f"header and {latency.arrival} clock count from different beginnings."
            yield Measurement(stream.name, float("nan"), cannot_tell=reason)
            continue
        earliest = percentile(latency.took_ns, 1)
        at_s = moment(case, stream, int(np.argmin(latency.took_ns)))
        place = f"{said(at_s)} (header against {latency.arrival} clock)" if earliest < 0 else ""
        ahead, seen_s = max(0.0, -earliest) / NS_PER_MS, at_s if earliest < 0 else None
        yield Measurement(stream.name, ahead, place, at_s=seen_s, fix=restamp(case, stream) if earliest < 0 else None)


@check(
    BEHIND,
    unit="ms",
    needs=("streams",),
    advice="Compare its clock with the recorder's; if its way is honestly that long, allow it in the protocol.",
)
def stamped_behind(case: Case) -> Iterator[Measurement]:
    """How much longer do each stream's samples take from stamp to arrival than those of its peers?

    Cameras are compared with cameras, numbers with numbers. A clock that is behind and a way that is long look alike,
    so that a long way alone is left open. It is the clock where that way is as steady as its peers', and where moving
    the clock by the difference brings its samples into step with theirs; then the move is proposed.
    """
    for stream, _ in latencies(case):
        excess = excesses(case).get(stream.name)
        if excess is None or astray_ns(case, stream) is not None:
            continue  # one that never meets the others is the matter of `timing.stream_offset`
        value, place = max(0.0, excess.ns / NS_PER_MS), f"(header against {excess.arrival} clock)"
        if excess.restamp is not None:
            yield Measurement(stream.name, value, place, fix=excess.restamp)
        else:
            place = f"{place[:-1]}: its way is that long, or its clock is behind)"
            yield Measurement(stream.name, value, place, low=0.0, high=value)


@check(
    "timing.clock_drift",
    unit="ms",
    needs=("streams",),
    advice="Let one clock discipline the other (PTP, NTP) for the whole session, not only at its start.",
)
def clock_drift(case: Case) -> Iterator[Measurement]:
    """How far did each sensor's clock drift against the arrival clock from the episode's start to its end?

    Waiting only ever adds to the time a sample takes, so the shortest time in each tenth of the episode follows the
    clocks; a line through these ten tells the drift, and their scatter about it how far it may be trusted.
    """
    for stream, latency in latencies(case):
        parts = int(case.parameter("timing.clock_drift", "parts"))
        if len(latency.took_ns) < parts * case.parameter("timing.clock_drift", "fewest_a_part"):
            yield Measurement(stream.name, float("nan"), cannot_tell="too few samples to follow its clock.")
            continue
        shortest = np.asarray([part.min() for part in np.array_split(latency.took_ns, parts)]) / NS_PER_MS
        along = (np.arange(parts) + 0.5) / parts - 0.5  # the middle of each part, the whole episode being one
        slope = float(along @ (shortest - shortest.mean()) / (along @ along))
        rest = shortest - shortest.mean() - slope * along
        error = float(np.sqrt(rest @ rest / (parts - 2) / (along @ along)))
        reach = case.parameter("timing.clock_drift", "deviations") * error
        value, place = abs(slope), f"(header against {latency.arrival} clock)"
        yield Measurement(stream.name, value, place, low=max(0.0, value - reach), high=value + reach)


@check(
    "timing.clock_step",
    unit="ms",
    needs=("streams",),
    advice="Keep the clock from being set while recording: let it slew, or synchronise before the session.",
)
def clock_step(case: Case) -> Iterator[Measurement]:
    """By how much was each sensor's clock set at once?

    The time from stamp to arrival changes from one sample to the next and stays changed, while the samples keep
    arriving in rhythm: then the stamps jumped. Where the stamps keep the rhythm and the arrival jumps, the transport
    became slower, which is no fault of a clock.
    """
    for stream, latency in latencies(case):
        beat = rhythm(case, stream)
        around = int(case.parameter("timing.clock_step", "samples_around"))
        if beat is None or len(latency.took_ns) < 2 * around:
            yield Measurement(stream.name, float("nan"), cannot_tell="too few samples to follow its clock.")
            continue
        step, index = _largest_step(stream, latency, beat.period_ns, around)
        at_s = moment(case, stream, index)
        place = f"{said(at_s)} (header against {latency.arrival} clock)" if step else ""
        yield Measurement(stream.name, step / NS_PER_MS, place, at_s=at_s if step else None)


def _largest_step(stream: Stream, latency: Latency, period_ns: float, around: int) -> tuple[float, int]:
    """Return the largest lasting jump of the stamps, and the sample that is the first behind it."""
    took = latency.took_ns.astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(took, around)
    middle = np.median(windows, axis=1)
    lasting = np.abs(middle[around:] - middle[:-around])  # the window from sample i on against the one that ends at i
    sudden = np.abs(np.diff(took))[around - 1 : around - 1 + len(lasting)]
    stamped, arrived = np.diff(stream.times_ns), np.diff(stream.clocks[latency.arrival])
    inside = slice(around - 1, around - 1 + len(lasting))
    in_rhythm = np.abs(arrived[inside] - period_ns) <= np.abs(stamped[inside] - period_ns)
    step = np.where(in_rhythm, np.minimum(lasting, sudden), 0.0)
    worst = int(np.argmax(step)) if len(step) else 0
    return (float(step[worst]), worst + around) if len(step) else (0.0, 0)

"""Each stream's latency from timestamp to arrival, compared with that of its peers."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.signals.stamps import (
    find_arrival_clock,
    find_rhythm,
    has_two_clocks,
    is_part_of_other_stream,
)
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_MS, ClockKind, Stream, StreamKind
from fieldloop.stats.quantile import compute_percentile, compute_percentiles

BEHIND = "timing.stamped_behind"
PLANNED = (StreamKind.ACTION, StreamKind.OTHER)
"""A command may carry its execution time, which is not a sensing time."""


class Latency(NamedTuple):
    """The latency of each sample from its sensor's timestamp to its arrival, and the receiving clock."""

    took_ns: NDArray[np.int64]
    arrival: ClockKind


class Excess(NamedTuple):
    """By how much a stream's least latency exceeds its peers', and a fix if one is certain."""

    ns: float
    arrival: ClockKind
    restamp: Fix | None


class _Way(NamedTuple):
    stream: Stream
    arrival: ClockKind
    shortest_ns: float
    spread_ns: float


def measure_latencies(case: Case) -> Iterator[tuple[Stream, Latency]]:
    """Yield the streams with both a sensor's and a receiver's timestamps.

    A stream of two clocks has no latency: `timing.not_monotonic` reports it.
    """
    for stream in case.find_sensing_streams():
        arrival = find_arrival_clock(stream)
        sensed = stream.clock is ClockKind.HEADER and stream.kind not in PLANNED and not has_two_clocks(stream)
        if sensed and arrival and not is_part_of_other_stream(case, stream):
            yield stream, Latency(stream.clocks[arrival] - stream.times_ns, arrival)


def find_stream_of_same_clock(case: Case) -> dict[str, str]:
    """Return, for each stream on a clock that is ahead, another stream before it that shows the same clock.

    Two streams show one clock if both are ahead of their arrival by the same amount: one cause, reported once.
    """
    return case.compute_once("same clock", lambda: _compute_streams_of_same_clock(case))


def _compute_streams_of_same_clock(case: Case) -> dict[str, str]:
    alike_ns = case.read_parameter(BEHIND, "alike_ms") * NS_PER_MS
    clocks: list[tuple[str, float]] = []
    found: dict[str, str] = {}
    for stream, latency in measure_latencies(case):
        least = compute_percentile(latency.took_ns, 1)
        first = next((name for name, known in clocks if abs(known - least) <= alike_ns), None)
        if least < -alike_ns and first is not None:
            found[stream.name] = first
        elif least < -alike_ns:
            clocks.append((stream.name, least))
    return found


def compare_latencies_with_peers(case: Case) -> dict[str, Excess]:
    """Compare each stream's latency with its peers': pictures with pictures, numbers with numbers."""
    return case.compute_once("excesses", lambda: _compute_latency_excesses(case))


def propose_restamp(case: Case, stream: Stream) -> Fix | None:
    """Return the fix for the stream's clock; None where no fix is certain."""
    excess = compare_latencies_with_peers(case).get(stream.name)
    return excess.restamp if excess else None


def _compute_latency_excesses(case: Case) -> dict[str, Excess]:
    sorts: dict[tuple[bool, ClockKind], list[_Way]] = {}
    for stream, latency in measure_latencies(case):
        if find_rhythm(case, stream) is not None:
            low, high = compute_percentiles(latency.took_ns, (1, 99))
            way = _Way(stream, latency.arrival, low, high - low)
            sorts.setdefault((stream.kind in PICTURES, latency.arrival), []).append(way)
    excess_by_stream: dict[str, Excess] = {}
    for ways in sorts.values():
        for way in ways:
            if peers := [other for other in ways if other is not way]:
                usual = sorted(peer.shortest_ns for peer in peers)[len(peers) // 2]  # of two peers the longer
                excess = way.shortest_ns - usual
                excess_by_stream[way.stream.name] = Excess(
                    excess, way.arrival, _propose_clock_shift(case, way, peers, excess)
                )
    return excess_by_stream


def _propose_clock_shift(case: Case, stream_latency: _Way, peer_latencies: list[_Way], excess_ns: float) -> Fix | None:
    """Propose to shift the sensor's clock where only that clock can be the cause.

    A slow transport adds variable waiting, a wrong clock adds none: the latency must be as steady as the peers'. There
    must be at least two peers, which agree with each other. One of the same rate must show it out of step before the
    shift and in step after it.
    """
    alike, off, steadier = (case.read_parameter(BEHIND, name) for name in ("alike_ms", "off_ms", "spread_ratio"))
    shortest = [peer.shortest_ns for peer in peer_latencies]
    alone = len(peer_latencies) > 1 and max(shortest) - min(shortest) <= alike * NS_PER_MS
    steady = stream_latency.spread_ns <= steadier * max(peer.spread_ns for peer in peer_latencies) + NS_PER_MS
    if not (alone and steady and abs(excess_ns) > off * NS_PER_MS):
        return None
    steps = [_measure_peer_distances_ns(case, stream_latency, peer, excess_ns) for peer in peer_latencies]
    if not any(before > alike * NS_PER_MS >= behind for before, behind in filter(None, steps)):
        return None
    why = note("check.fix_shift_peers", excess_ms=excess_ns / NS_PER_MS)
    return Fix(
        FixKind.RESTAMP, why, stream=stream_latency.stream.name, shift_ns=round(excess_ns), clock=ClockKind.HEADER
    )


def _measure_peer_distances_ns(
    case: Case, stream_latency: _Way, peer_latency: _Way, shift_ns: float
) -> tuple[float, float] | None:
    """Return the 99th percentile of the distance to the peer's nearest sample, now and shifted; None: other rates."""
    rhythm_of_stream, other = find_rhythm(case, stream_latency.stream), find_rhythm(case, peer_latency.stream)
    assert rhythm_of_stream is not None
    assert other is not None
    if abs(rhythm_of_stream.period_ns / other.period_ns - 1.0) > case.read_parameter(
        "timing.stream_offset", "same_rate"
    ):
        return None
    times, beside = stream_latency.stream.times_ns, np.sort(peer_latency.stream.times_ns)

    def measure_distance_percentile(moved: NDArray[np.int64]) -> float:
        right = np.clip(np.searchsorted(beside, moved), 1, len(beside) - 1)
        apart = np.minimum(np.abs(moved - beside[right - 1]), np.abs(moved - beside[right]))
        within = (moved >= beside[0] - other.period_ns) & (moved <= beside[-1] + other.period_ns)
        return compute_percentile(apart[within], 99) if within.any() else float("inf")

    return measure_distance_percentile(times), measure_distance_percentile(times + round(shift_ns))

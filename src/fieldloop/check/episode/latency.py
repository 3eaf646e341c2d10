"""How long each stream's samples took from stamp to arrival, and whose way is longer than its peers'."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import PICTURES, Case
from fieldloop.check.episode.stamps import part_of_another, rhythm
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind
from fieldloop.stats.quantile import percentile, percentiles

NS_PER_MS = NS_PER_S / 1000
BEHIND = "timing.stamped_behind"
ARRIVALS = (ClockKind.LOG, ClockKind.PUBLISH)
"""Clocks of the receiving side, the farthest from the sensor first."""

PLANNED = (StreamKind.ACTION, StreamKind.OTHER)
"""A command may bear the moment at which it shall be carried out, which is none of sensing."""


class Latency(NamedTuple):
    """How long each sample took from its sensor's stamp to its arrival, and by whose clock."""

    took_ns: NDArray[np.int64]
    arrival: ClockKind


class Excess(NamedTuple):
    """By how much a stream's shortest way is longer than its peers', and how it may be put right, if surely."""

    ns: float
    arrival: ClockKind
    restamp: Fix | None


class _Way(NamedTuple):
    stream: Stream
    arrival: ClockKind
    shortest_ns: float
    spread_ns: float


def latencies(case: Case) -> Iterator[tuple[Stream, Latency]]:
    """Yield the streams that bear both their sensor's stamps and their receiver's."""
    for stream in case.sensing():
        arrival = next((clock for clock in ARRIVALS if clock in stream.clocks), None)
        sensed = stream.clock is ClockKind.HEADER and stream.kind not in PLANNED
        if sensed and arrival and not part_of_another(case, stream):
            yield stream, Latency(stream.clocks[arrival] - stream.times_ns, arrival)


def excesses(case: Case) -> dict[str, Excess]:
    """Compare each stream's way with that of its peers: pictures with pictures, numbers with numbers."""
    return case.keep("excesses", lambda: _find(case))


def restamp(case: Case, stream: Stream) -> Fix | None:
    """Return how the stream's clock may surely be put right, if it may."""
    excess = excesses(case).get(stream.name)
    return excess.restamp if excess else None


def _find(case: Case) -> dict[str, Excess]:
    sorts: dict[tuple[bool, ClockKind], list[_Way]] = {}
    for stream, latency in latencies(case):
        if rhythm(case, stream) is not None:
            low, high = percentiles(latency.took_ns, (1, 99))
            way = _Way(stream, latency.arrival, low, high - low)
            sorts.setdefault((stream.kind in PICTURES, latency.arrival), []).append(way)
    found: dict[str, Excess] = {}
    for ways in sorts.values():
        for way in ways:
            if peers := [other for other in ways if other is not way]:
                usual = sorted(peer.shortest_ns for peer in peers)[len(peers) // 2]  # of two the longer: it excuses
                excess = way.shortest_ns - usual
                found[way.stream.name] = Excess(excess, way.arrival, _put_right(case, way, peers, excess))
    return found


def _put_right(case: Case, way: _Way, peers: list[_Way], excess: float) -> Fix | None:
    """Propose to move the sensor's clock where nothing but that clock can be the reason.

    A longer way adds waiting, a wrong clock adds none: its way must be as steady as its peers'. They must agree with
    each other, be two at least, and one of its rate must show it out of step before the move and in step behind it.
    """
    alike, off, steadier = (case.parameter(BEHIND, name) for name in ("alike_ms", "off_ms", "spread_ratio"))
    shortest = [peer.shortest_ns for peer in peers]
    alone = len(peers) > 1 and max(shortest) - min(shortest) <= alike * NS_PER_MS
    steady = way.spread_ns <= steadier * max(peer.spread_ns for peer in peers) + NS_PER_MS
    if not (alone and steady and abs(excess) > off * NS_PER_MS):
        return None
    steps = [_out_of_step(case, way, peer, excess) for peer in peers]
    if not any(before > alike * NS_PER_MS >= behind for before, behind in filter(None, steps)):
        return None
    why = (
        f"Its samples take {excess / NS_PER_MS:+.1f} ms from stamp to arrival beside its peers', as steadily as theirs."
    )
    return Fix(FixKind.RESTAMP, why, stream=way.stream.name, shift_ns=round(excess), clock=ClockKind.HEADER)


def _out_of_step(case: Case, way: _Way, peer: _Way, shift_ns: float) -> tuple[float, float] | None:
    """Return how far from the peer's nearest samples all but one in a hundred are, now and moved; None: other rates."""
    own, other = rhythm(case, way.stream), rhythm(case, peer.stream)
    assert own is not None
    assert other is not None
    if abs(own.period_ns / other.period_ns - 1.0) > case.parameter("timing.stream_offset", "same_rate"):
        return None
    times, beside = way.stream.times_ns, np.sort(peer.stream.times_ns)

    def step(moved: NDArray[np.int64]) -> float:
        right = np.clip(np.searchsorted(beside, moved), 1, len(beside) - 1)
        apart = np.minimum(np.abs(moved - beside[right - 1]), np.abs(moved - beside[right]))
        within = (moved >= beside[0] - other.period_ns) & (moved <= beside[-1] + other.period_ns)
        return percentile(apart[within], 99) if within.any() else float("inf")

    return step(times), step(times + round(shift_ns))

"""Start and end of an episode, by the clock that most of its streams share."""

from collections.abc import Iterable

from fieldloop.model.stream import FIRST_REAL_NS, NS_PER_S, ClockKind, Stream

REAL = (ClockKind.HEADER, ClockKind.PUBLISH, ClockKind.LOG)
MADE = (ClockKind.CONTAINER, ClockKind.SYNTHETIC)
UNDER_WAY_NS = 60 * NS_PER_S
"""No message is under way for longer: stamps that far from their own arrival are of a clock that was set wrong."""


def find_time_span(streams: Iterable[Stream]) -> tuple[int, int]:
    """Return the first and the last stamp of the clock that most streams share; (0, 0) without timestamps.

    Real clocks are never mixed with stamps that count from a file's beginning, nor stamps of the day with stamps since
    a device was switched on: an episode would last for decades. Nor does one sensor whose clock is hours from its own
    arrival stretch the episode of the others. Of clocks shared by equally many streams the most trusted counts.
    """
    sampled = [stream for stream in streams if len(stream)]
    for kinds in (REAL, MADE):
        spans: dict[tuple[ClockKind, bool, bool], list[tuple[int, int]]] = {}
        for kind in kinds:
            for stream in (stream for stream in sampled if kind in stream.clocks):
                first, last = _get_first_and_last_ns(stream, kind)
                spans.setdefault((kind, first >= FIRST_REAL_NS, _is_near_arrival(stream, first, last)), []).append(
                    (first, last)
                )
        if spans:
            best = spans[max(spans, key=lambda key: (len(spans[key]), *key[1:]))]  # of equals the first, kinds' order
            return min(first for first, _ in best), max(last for _, last in best)
    return 0, 0


def _is_near_arrival(stream: Stream, first_ns: int, last_ns: int) -> bool:
    """Are timestamps near the stream's arrival? Without arrival times they are accepted."""
    if ClockKind.LOG not in stream.clocks:
        return True
    arrived, done = _get_first_and_last_ns(stream, ClockKind.LOG)
    return first_ns <= done + UNDER_WAY_NS and last_ns >= arrived - UNDER_WAY_NS


def _get_first_and_last_ns(stream: Stream, kind: ClockKind) -> tuple[int, int]:
    times = stream.clocks[kind]
    return int(times.min()), int(times.max())

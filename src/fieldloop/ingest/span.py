"""From when to when an episode lasted, by the one clock that tells it of most of its streams."""

from collections.abc import Iterable

from fieldloop.model.stream import FIRST_REAL_NS, ClockKind, Stream

REAL = (ClockKind.HEADER, ClockKind.PUBLISH, ClockKind.LOG)
MADE = (ClockKind.CONTAINER, ClockKind.SYNTHETIC)


def span_of(streams: Iterable[Stream]) -> tuple[int, int]:
    """Return the first and the last stamp of the clock that most streams share; (0, 0) where there is no stamp.

    Real clocks are never mixed with stamps that count from a file's beginning, nor stamps of the day with stamps since
    a device was switched on: an episode would last for decades. Of clocks shared alike the most trusted counts.
    """
    told = [stream for stream in streams if len(stream)]
    for kinds in (REAL, MADE):
        spans: dict[tuple[ClockKind, bool], list[tuple[int, int]]] = {}
        for kind in kinds:
            for times in (stream.clocks[kind] for stream in told if kind in stream.clocks):
                first, last = int(times.min()), int(times.max())
                spans.setdefault((kind, first >= FIRST_REAL_NS), []).append((first, last))
        if spans:
            best = spans[max(spans, key=lambda key: (len(spans[key]), key[1]))]  # of equals the first, kinds' order
            return min(first for first, _ in best), max(last for _, last in best)
    return 0, 0

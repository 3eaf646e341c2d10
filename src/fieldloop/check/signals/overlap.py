"""Streams that overlap no other stream on their clock, and the ends that can be trimmed without losing a stream."""

from fieldloop.check.case import Case
from fieldloop.check.signals.stamps import EVENTFUL, made_up_reason, rhythm, span_ns
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Note
from fieldloop.model.stream import ClockKind, Stream

Span = tuple[int, int]


def overlapping(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    """Return the largest group of steady streams that overlap in time on this clock; all of them on a tie."""
    return case.keep(("overlapping", clock), lambda: _find_overlapping(case, clock))


def outside_ns(case: Case, stream: Stream) -> int | None:
    """Return how far a stream starts from the overlapping ones (earlier: negative); None where it overlaps them."""
    others = overlapping(case, stream.clock)
    if stream in others or not others:
        return None
    span, theirs = span_ns(case, stream), _hull([span_ns(case, other) for other in others])
    return None if _overlap(span, theirs) else span[0] - theirs[0]


def safe_trim(case: Case, why: Note, *, start_ns: int | None = None, end_ns: int | None = None) -> Fix | None:
    """Propose to trim the ends, unless a stream would lose every sample or overlaps no other stream."""
    for stream in case.sensing_streams():
        if made_up_reason(stream) or rhythm(case, stream) is None:
            continue
        first, last = span_ns(case, stream)
        lost = (start_ns is not None and last < start_ns) or (end_ns is not None and first > end_ns)
        if lost or outside_ns(case, stream) is not None:
            return None
    return Fix(FixKind.TRIM, why, start_ns=start_ns, end_ns=end_ns)


def _find_overlapping(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    held = [s for s in case.sensing_streams() if s.clock is clock and s.kind not in EVENTFUL and rhythm(case, s)]
    groups: list[tuple[Span, list[Stream]]] = []
    for stream in sorted(held, key=lambda s: span_ns(case, s)):  # sorted by start, so only the last group can overlap
        span = span_ns(case, stream)
        if groups and _overlap(groups[-1][0], span):
            known, streams = groups[-1]
            groups[-1] = (_hull([known, span]), [*streams, stream])
        else:
            groups.append((span, [stream]))
    sizes = sorted((len(streams) for _, streams in groups), reverse=True)
    if len(sizes) < 2 or sizes[0] == sizes[1]:  # noqa: PLR2004 - a tie does not show which group is right
        return tuple(held)
    return next(tuple(streams) for _, streams in groups if len(streams) == sizes[0])


def _overlap(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _hull(spans: list[Span]) -> Span:
    return min(first for first, _ in spans), max(last for _, last in spans)

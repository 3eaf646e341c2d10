"""Streams that overlap no other stream on their clock, and the ends that can be trimmed without losing a stream."""

from fieldloop.check.case import Case
from fieldloop.check.signals.stamps import EVENTFUL, explain_generated_timestamps, find_rhythm, find_time_span_ns
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.note import Note
from fieldloop.model.stream import ClockKind, Stream

Span = tuple[int, int]


def find_overlapping_streams(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    """Return the largest group of steady streams that overlap in time on this clock; all of them on a tie."""
    return case.compute_once(("overlapping", clock), lambda: _compute_overlapping_streams(case, clock))


def measure_distance_outside_ns(case: Case, stream: Stream) -> int | None:
    """Return how far a stream starts from the overlapping ones (earlier: negative); None where it overlaps them."""
    others = find_overlapping_streams(case, stream.clock)
    if stream in others or not others:
        return None
    span, theirs = find_time_span_ns(case, stream), _join_spans([find_time_span_ns(case, other) for other in others])
    return None if _do_spans_overlap(span, theirs) else span[0] - theirs[0]


def propose_safe_trim(
    case: Case, reason: Note, *, start_ns: int | None = None, end_ns: int | None = None
) -> Fix | None:
    """Propose to trim the ends, unless a stream would lose every sample or overlaps no other stream."""
    for stream in case.find_sensing_streams():
        if explain_generated_timestamps(stream) or find_rhythm(case, stream) is None:
            continue
        first, last = find_time_span_ns(case, stream)
        lost = (start_ns is not None and last < start_ns) or (end_ns is not None and first > end_ns)
        if lost or measure_distance_outside_ns(case, stream) is not None:
            return None
    return Fix(FixKind.TRIM, reason, start_ns=start_ns, end_ns=end_ns)


def _compute_overlapping_streams(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    held = [
        s for s in case.find_sensing_streams() if s.clock is clock and s.kind not in EVENTFUL and find_rhythm(case, s)
    ]
    groups: list[tuple[Span, list[Stream]]] = []
    for stream in sorted(
        held, key=lambda s: find_time_span_ns(case, s)
    ):  # sorted by start, so only the last group can overlap
        span = find_time_span_ns(case, stream)
        if groups and _do_spans_overlap(groups[-1][0], span):
            known, streams = groups[-1]
            groups[-1] = (_join_spans([known, span]), [*streams, stream])
        else:
            groups.append((span, [stream]))
    sizes = sorted((len(streams) for _, streams in groups), reverse=True)
    if len(sizes) < 2 or sizes[0] == sizes[1]:  # noqa: PLR2004 - a tie does not show which group is right
        return tuple(held)
    return next(tuple(streams) for _, streams in groups if len(streams) == sizes[0])


def _do_spans_overlap(first: Span, second: Span) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


def _join_spans(spans: list[Span]) -> Span:
    return min(first for first, _ in spans), max(last for _, last in spans)

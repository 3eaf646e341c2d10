"""Which stream's clock has nothing to do with the others'? And what may be cut off without losing a stream."""

from fieldloop.check.case import Case
from fieldloop.check.episode.stamps import EVENTFUL, made_up, rhythm, span_ns
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.stream import ClockKind, Stream

Span = tuple[int, int]


def home(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    """Return the steady streams of this clock that meet in time: the most there are; all where none are the most."""
    return case.keep(("home", clock), lambda: _find_home(case, clock))


def astray_ns(case: Case, stream: Stream) -> int | None:
    """How far the stream lies from those of its clock that meet (before them: negative); None where it meets them."""
    others = home(case, stream.clock)
    if stream in others or not others:
        return None
    own, theirs = span_ns(case, stream), _whole([span_ns(case, other) for other in others])
    return None if _meet(own, theirs) else own[0] - theirs[0]


def safe_trim(case: Case, why: str, *, start_ns: int | None = None, end_ns: int | None = None) -> Fix | None:
    """Propose to cut the ends off, unless a stream would lose every sample, or its clock does not say which."""
    for stream in case.sensing():
        if made_up(stream) or rhythm(case, stream) is None:
            continue
        first, last = span_ns(case, stream)
        lost = (start_ns is not None and last < start_ns) or (end_ns is not None and first > end_ns)
        if lost or astray_ns(case, stream) is not None:
            return None
    return Fix(FixKind.TRIM, why, start_ns=start_ns, end_ns=end_ns)


def _find_home(case: Case, clock: ClockKind) -> tuple[Stream, ...]:
    held = [s for s in case.sensing() if s.clock is clock and s.kind not in EVENTFUL and rhythm(case, s)]
    groups: list[tuple[Span, list[Stream]]] = []
    for stream in sorted(held, key=lambda s: span_ns(case, s)):  # by beginning: one that meets a group meets its end
        span = span_ns(case, stream)
        if groups and _meet(groups[-1][0], span):
            met, streams = groups[-1]
            groups[-1] = (_whole([met, span]), [*streams, stream])
        else:
            groups.append((span, [stream]))
    sizes = sorted((len(streams) for _, streams in groups), reverse=True)
    if len(sizes) < 2 or sizes[0] == sizes[1]:  # noqa: PLR2004 - of two alike nobody can say which is right
        return tuple(held)
    return next(tuple(streams) for _, streams in groups if len(streams) == sizes[0])


def _meet(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _whole(spans: list[Span]) -> Span:
    return min(first for first, _ in spans), max(last for _, last in spans)

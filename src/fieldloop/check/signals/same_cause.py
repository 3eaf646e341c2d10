"""One cause that shows in several streams, reported at the stream that it harms most.

Streams that the protocol names are judged one by one, and so are all streams of a log that names its protocol.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.check.case import Case
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Note, note
from fieldloop.model.stream import Stream

MOST_NAMED = 5
IsSameCause = Callable[[Case, Measurement, Measurement], bool]


def report_causes_once(
    case: Case, check: str, measured: Sequence[Measurement], is_same_cause: IsSameCause
) -> Iterator[Measurement]:
    """Yield the measurements; of those beyond the limit that have one cause, the worst names the others.

    The others are left open and name the stream that is reported.
    """
    if case.collected_by_protocol:
        yield from measured
        return
    leader: dict[int, int] = {}
    for index in sorted(
        (i for i, one in enumerate(measured) if _is_beyond_limit(case, check, one)),
        key=lambda i: -float(f"{abs(measured[i].value):.1e}"),  # of almost equal ones the first
    ):
        shared = (first for first in leader.values() if is_same_cause(case, measured[first], measured[index]))
        leader[index] = next(shared, index)
    for index, one in enumerate(measured):
        first = leader.get(index, index)
        if first != index:
            reason = note("check.same_cause", reported=str(measured[first].about))
            yield Measurement(one.about, UNKNOWN, cannot_tell=reason)
            continue
        others = [str(measured[i].about) for i, other in leader.items() if other == index and i != index]
        yield replace(one, place=_add_others(one.place, others)) if others else one


def have_same_times(case: Case, first: Measurement, second: Measurement) -> bool:
    """Have both streams the same timestamps? Rows of one table, and what is computed from one input, have them."""
    one, other = (_find_stream(case, measurement) for measurement in (first, second))
    if one is None or other is None:
        return False
    return one.times_ns is other.times_ns or np.array_equal(one.times_ns, other.times_ns)


def are_at_same_moment(case: Case, first: Measurement, second: Measurement) -> bool:
    """Do both show at the same moment?"""
    if first.at_s is None or second.at_s is None:
        return False
    return bool(abs(first.at_s - second.at_s) <= case.protocol.setting("episode.one_cause_s"))


def do_stretches_overlap(first: Measurement, first_s: float, second: Measurement, second_s: float) -> bool:
    """Is each stretch, which begins at the moment of its measurement, at least half within the other's time?"""
    if first.at_s is None or second.at_s is None:
        return False
    shared = min(first.at_s + first_s, second.at_s + second_s) - max(first.at_s, second.at_s)
    return shared >= min(first_s, second_s) / 2


def _is_beyond_limit(case: Case, check: str, measurement: Measurement) -> bool:
    if not np.isfinite(measurement.value) or not case.protocol.sensors.keys().isdisjoint(measurement.about.streams):
        return False
    if measurement.fix is not None and measurement.fix.stream:
        return False  # each stream keeps its own repair
    limit = case.protocol.limits[check]
    is_open = measurement.cannot_tell is not None
    too_uncertain = measurement.low is not None and limit.admits(measurement.low)
    return bool(not is_open and not too_uncertain and not limit.admits(measurement.value))


def _find_stream(case: Case, measurement: Measurement) -> Stream | None:
    return case.recording.streams.get(measurement.about.stream)


def _add_others(place: Note | None, others: list[str]) -> Note:
    shown, more = tuple(others[:MOST_NAMED]), max(0, len(others) - MOST_NAMED) or None
    return note("check.and_in_others", place=place, names=shown, more=more)

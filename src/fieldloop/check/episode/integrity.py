"""Checks of whether the data are complete and readable."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.stamps import compute_sample_time_s
from fieldloop.model.episode import Defect, Harm
from fieldloop.model.finding import Measurement
from fieldloop.model.note import NO_SUBJECT, Note, Subject, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.model.stream_notes import NOT_UNDERSTOOD

MOTION = (
    StreamKind.JOINT_POSITION,
    StreamKind.JOINT_VELOCITY,
    StreamKind.POSE,
    StreamKind.HAND_POSE,
    StreamKind.GRIPPER,
)
SELDOM_SET = (StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT)
"""Kinds of which a publisher may never set some columns."""
STATE_NAMES = {"state", "states", "obs", "observation", "observations", "proprio", "proprioception", "policy"}
STATE_WORD = re.compile(r"[^a-z]+")
MOST_NAMED = 5
FEWEST_SAMPLES = 2  # between two samples time passes
ABSENT = {"ingest.declared_but_missing", "ingest.file_missing", "ingest.part_unreadable"}
"""Defects that several cameras or files of one dataset have for one cause: they were never written or not copied."""
MOST_LISTED = 20  # a damaged file can have thousands; the rest are counted


@check(
    "integrity.readable",
    unit="defects",
    place_says_it=True,
    revision=3,
)
def count_unreadable_places(case: Case) -> Iterator[Measurement]:
    """How much of the log could not be read?

    A stream that was not decoded, or whose meaning nothing states, keeps the log from passing: no check looked at it.
    So does what a reader could not settle, a log without any understood motion, whose state is in arrays of unknown
    meaning, a log of commands alone, and one in which no stream has two samples.
    """
    lost = tuple(defect for defect in case.recording.defects if defect.harm is Harm.LOST)
    if lost:
        yield from measure_defects(lost)
    elif unclear := [defect for defect in case.recording.defects if defect.harm is Harm.UNCLEAR]:
        yield from measure_unclear_defects(unclear)
    elif names := _find_streams_not_understood(case):
        shown, more = names[:MOST_NAMED], max(0, len(names) - MOST_NAMED) or None
        reason = note("check.not_understood", streams=len(names), names=shown, more=more)
        yield Measurement(NO_SUBJECT, 0.0, cannot_tell=reason)
    elif unknown := _find_states_not_understood(case):
        shown, more = unknown[:MOST_NAMED], max(0, len(unknown) - MOST_NAMED) or None
        reason = note("check.states_not_understood", streams=shown, more=more)
        yield Measurement(NO_SUBJECT, 0.0, cannot_tell=reason)
    elif sensing := tuple(case.find_sensing_streams()):
        yield Measurement(NO_SUBJECT, 0.0, cannot_tell=_explain_empty_log(sensing))
    elif any(True for _ in case.find_streams()):
        yield Measurement(NO_SUBJECT, 0.0, cannot_tell=note("check.no_known_stream"))


@check(
    "integrity.described",
    unit="differences",
    place_says_it=True,
)
def compare_description_with_data(case: Case) -> Iterator[Measurement]:
    """Where does the log's own description differ from its data?

    A difference fails where a loader that trusts the description returns other data than were recorded.
    """
    if any(True for _ in case.find_streams()):
        yield from measure_description_differences(case.recording.defects)


@check(
    "integrity.required_streams",
    unit="missing streams",
)
def check_required_streams(case: Case) -> Iterator[Measurement]:
    """Which streams that the protocol requires are missing?"""
    there = {stream.name for stream in case.find_streams()}
    for sensor in case.protocol.sensors.values():
        if sensor.required:
            yield Measurement(Subject(sensor.stream), 0.0 if sensor.stream in there else 1.0)


def _is_same_loss(case: Case, first: Measurement, second: Measurement) -> bool:
    """Are both streams without numbers at the same time? What is computed from a missing number is none either."""
    (one_from, one_to), (other_from, other_to) = (_find_span_without_numbers_ns(case, m) for m in (first, second))
    shared = min(one_to, other_to) - max(one_from, other_from)
    return shared >= 0 and shared >= min(one_to - one_from, other_to - other_from) / 2


def _find_span_without_numbers_ns(case: Case, measurement: Measurement) -> tuple[int, int]:
    stream = case.recording.streams[measurement.about.stream]
    assert stream.values is not None
    bad = np.flatnonzero(~np.isfinite(stream.values).reshape(len(stream), -1).all(axis=1))
    return int(stream.times_ns[bad[0]]), int(stream.times_ns[bad[-1]])


@check(
    "integrity.not_finite",
    unit="share of values",
    needs=("streams",),
    rests_on=(StreamFact.MEANING,),
    same_cause=_is_same_loss,
    revision=5,
)
def measure_non_finite_share(case: Case) -> Iterator[Measurement]:
    """Which share of each stream's numbers is not a number, or infinite?"""
    for stream in case.find_streams():
        values = stream.values
        if values is None or not values.size or values.dtype.kind not in "fiub":
            continue
        finite = np.isfinite(values)
        if finite.all():
            yield Measurement(Subject(stream.name), 0.0)
            continue
        bad = ~finite.reshape(len(values), -1)
        never_set = bad.all(axis=0)
        unset = None
        if stream.kind is StreamKind.OTHER or (stream.kind in SELDOM_SET and not never_set.all()):
            bad = bad[:, ~never_set]  # a field that is never set is not a fault
            unset = _name_unset_columns(stream, never_set) if stream.kind in SELDOM_SET else None
        if bad.any():
            at_s = compute_sample_time_s(case, stream, int(np.argmax(bad.any(axis=1))))
            yield Measurement(Subject(stream.name), float(bad.mean()), note("check.first_at", at_s=at_s), at_s=at_s)
        elif bad.size:
            yield Measurement(Subject(stream.name), 0.0, cannot_tell=unset)


def _name_unset_columns(stream: Stream, never_set: NDArray[np.bool_]) -> Note | None:
    """Return which columns are never set: no fault, but no check judges them."""
    columns = np.flatnonzero(never_set)
    named = stream.columns if len(stream.columns) == len(never_set) else tuple(map(str, range(len(never_set))))
    names = tuple(named[i] for i in columns[:MOST_NAMED])
    return note("check.never_set", names=names, more=max(0, len(columns) - MOST_NAMED) or None) if names else None


def _find_streams_not_understood(case: Case) -> tuple[str, ...]:
    """Name the streams that their reader did not understand and the protocol does not describe."""
    known = case.protocol.sensors
    return tuple(s.name for s in case.find_streams() if NOT_UNDERSTOOD in s.notes and s.name not in known)


def _explain_empty_log(sensing: Sequence[Stream]) -> Note | None:
    """Return why a log that was read shows nothing: no time passes in it, or no sensor saw anything."""
    if max(map(len, sensing)) < FEWEST_SAMPLES:
        return note("check.one_sample")
    if all(stream.kind is StreamKind.ACTION for stream in sensing):
        return note("check.no_sensor", streams=tuple(stream.name for stream in sensing)[:MOST_NAMED])
    return None


def _find_states_not_understood(case: Case) -> tuple[str, ...]:
    """Return the streams that are named as a state but have no known meaning, where no other stream shows motion."""
    if any(True for _ in case.find_streams(*MOTION)):
        return ()
    others = [stream for stream in case.find_streams(StreamKind.OTHER) if stream.name not in case.protocol.sensors]
    return tuple(stream.name for stream in others if set(STATE_WORD.split(stream.name.lower())) & STATE_NAMES)


def measure_defects(defects: Sequence[Defect]) -> Iterator[Measurement]:
    """Yield one measurement per kind of defect and place, up to a readable number; the first subject names the others.

    A camera without video beside another, and several files that are missing, have one cause.
    """
    alike: dict[tuple[object, ...], list[Defect]] = defaultdict(list)
    for defect in defects:
        absent = defect.message.code in ABSENT
        alike[defect.place, defect.message.code, defect.message.numbers, absent or defect.subject].append(defect)
    groups = list(alike.values())
    for first, *others in groups[:MOST_LISTED]:
        place = _note_defect_place(first, [one.subject for one in others])
        yield Measurement(Subject(first.subject), 1.0 + len(others), place)
    if more := sum(map(len, groups[MOST_LISTED:])):
        yield Measurement(NO_SUBJECT, float(more), note("check.more_defects", more=more))


def measure_unclear_defects(defects: Sequence[Defect]) -> Iterator[Measurement]:
    """Yield what a reader could not settle: it never fails the data, and keeps them from passing."""
    for defect in defects[:MOST_LISTED]:
        yield Measurement(Subject(defect.subject), 0.0, cannot_tell=_note_defect_place(defect))
    if more := max(0, len(defects) - MOST_LISTED):
        yield Measurement(NO_SUBJECT, 0.0, cannot_tell=note("check.more_defects", more=more))


def measure_description_differences(defects: Sequence[Defect]) -> Iterator[Measurement]:
    """Yield where description and data differ: what misleads a loader counts, what is harmless is only named."""
    misleading = [defect for defect in defects if defect.harm is Harm.MISLEADS]
    harmless = [defect for defect in defects if defect.harm is Harm.HARMLESS]
    if not misleading:
        yield Measurement(NO_SUBJECT, 0.0)
    yield from measure_defects(misleading)
    yield from measure_unclear_defects(harmless)


def _note_defect_place(defect: Defect, others: Sequence[str] = ()) -> Note:
    named, more = tuple(others[:MOST_NAMED]) or None, max(0, len(others) - MOST_NAMED) or None
    return note("check.defect", where=defect.place, defect=defect.message, others=named, more=more)

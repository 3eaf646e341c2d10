"""Checks of whether the protocol was followed. They apply only to episodes that name their protocol."""

from collections.abc import Iterator
from enum import StrEnum

from fieldloop.check.case import Case
from fieldloop.check.naming import note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import NO_RATE, convert_to_episode_seconds
from fieldloop.check.signals.stamps import convert_ns_to_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Note, note
from fieldloop.model.taxonomy import PHASES

NO_PROTOCOL = note("check.no_protocol")
FAILED = note("check.attempt_failed")
NOT_SUCCEEDED = note("check.success_not_recorded")


def explain_exemption(case: Case) -> Note | None:
    """Return why the requirements for a good attempt do not apply to this one; None where they do."""
    if not case.collected_by_protocol:
        return NO_PROTOCOL
    return FAILED if case.episode.succeeded is False else None


@check(
    "adherence.duration",
    unit="s",
    needs=("streams",),
)
def measure_attempt_duration(case: Case) -> Iterator[Measurement]:
    """How long was the attempt, from the first to the last movement?"""
    yield _measure_episode_part_length(case, Part.ATTEMPT)


@check(
    "adherence.pre_roll",
    unit="s",
    needs=("streams",),
)
def measure_pre_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still before anything moved?"""
    yield _measure_episode_part_length(case, Part.BEFORE)


@check(
    "adherence.post_roll",
    unit="s",
    needs=("streams",),
)
def measure_post_roll(case: Case) -> Iterator[Measurement]:
    """For how long was the scene still after the last movement?"""
    yield _measure_episode_part_length(case, Part.AFTER)


@check(
    "adherence.operator_recorded",
    unit="operators",
    needs=("streams",),
)
def check_operator_recorded(case: Case) -> Iterator[Measurement]:
    """Does the episode name its operator?"""
    if case.episode.operator:
        yield Measurement(NO_SUBJECT, 1.0)
    elif case.collected_by_protocol:
        yield Measurement(NO_SUBJECT, 0.0)
    else:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note("check.no_operator"))


@check(
    "adherence.outcome_labelled",
    unit="labels",
    needs=("streams",),
)
def check_outcome_recorded(case: Case) -> Iterator[Measurement]:
    """Is it recorded how the attempt ended and, if it failed, by which failure mode?"""
    episode = case.episode
    if episode.succeeded or (episode.succeeded is False and episode.failure):
        yield Measurement(NO_SUBJECT, 1.0)
        return
    unlabelled = episode.succeeded is None
    if case.collected_by_protocol:
        missing = note("check.without_outcome") if unlabelled else note("check.without_failure_mode")
        yield Measurement(NO_SUBJECT, 0.0, missing)
    else:
        code = "check.no_outcome" if unlabelled else "check.no_failure_mode"
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note(code, NO_PROTOCOL))


@check(
    "adherence.phases",
    unit="missing phases",
    needs=("streams",),
)
def count_missing_phases(case: Case) -> Iterator[Measurement]:
    """Which phases of the task are missing from a success?

    The annotations must contain the protocol's phases, or the eight phases of the annotation taxonomy if the protocol
    names none.
    """
    if reason := explain_exemption(case) or (None if case.episode.succeeded else NOT_SUCCEEDED):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    seen = {a.label for a in case.annotations if a.kind == "phase" and a.end_ns > a.start_ns}
    if not seen:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note("check.phases_not_annotated"))
        return
    asked = tuple(phase.name for phase in case.protocol.phases) or PHASES
    missing = [name for name in asked if name not in seen]
    yield Measurement(NO_SUBJECT, float(len(missing)), note_listed_names(missing))


class Part(StrEnum):
    """A part of a recording whose length the protocol bounds."""

    ATTEMPT = "check.attempt_lasts"
    BEFORE = "check.still_before"
    AFTER = "check.still_after"


def _measure_episode_part_length(case: Case, part: Part) -> Measurement:
    moved = find_movement(case)
    if moved is None or not moved.paced:
        return Measurement(
            NO_SUBJECT, UNKNOWN, cannot_tell=explain_unknown_movement(case) if moved is None else NO_RATE
        )
    onset, offset = moved.onset_ns, moved.offset_ns
    value_s, moment = {
        Part.ATTEMPT: (convert_ns_to_s(offset - onset), onset),
        Part.BEFORE: (convert_ns_to_s(onset - moved.start_ns), onset),
        Part.AFTER: (convert_ns_to_s(moved.end_ns - offset), offset),
    }[part]
    if not case.collected_by_protocol:
        return Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note(part.value, NO_PROTOCOL, lasts_s=value_s))
    return Measurement(NO_SUBJECT, value_s, at_s=convert_to_episode_seconds(case, moment))

"""Checks of idle time before and after the attempt, with the proposed trim."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import Movement, explain_unknown_movement, find_movement
from fieldloop.check.signals.overlap import propose_safe_trim
from fieldloop.check.signals.signal import NO_RATE, convert_to_episode_seconds
from fieldloop.model.finding import ASSUMED, UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Note, note
from fieldloop.model.provenance import StreamFact
from fieldloop.model.stream import NS_PER_S


@check(
    "motion.idle_head",
    unit="s",
    needs=("streams",),
    revision=3,
)
def measure_idle_time_at_start(case: Case) -> Iterator[Measurement]:
    """For how long does nothing move at the beginning?

    Only the time in which all streams that show motion have samples counts. If the unit is unknown and a column still
    changes clearly, it may move slowly, so that is left open.
    The proposed trim keeps the stillness before the attempt that the protocol asks for.
    """
    moved = find_movement(case)
    if moved is None or not moved.paced:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=explain_unknown_movement(case) if moved is None else NO_RATE)
        return
    keep_from = moved.onset_ns - _read_required_stillness_ns(case, "adherence.pre_roll")
    fix = (
        propose_safe_trim(case, note("check.fix_idle_head"), start_ns=keep_from) if keep_from > moved.start_ns else None
    )
    still_from = min(max(moved.start_ns, moved.known_from_ns), moved.onset_ns)
    yield Measurement(
        NO_SUBJECT, (moved.onset_ns - still_from) / NS_PER_S,
        cannot_tell=_explain_uncertain_stillness(case, moved, still_from, moved.onset_ns),
        at_s=convert_to_episode_seconds(case, moved.onset_ns), fix=fix,
    )  # fmt: skip


@check(
    "motion.idle_tail",
    unit="s",
    needs=("streams",),
    revision=3,
)
def measure_idle_time_at_end(case: Case) -> Iterator[Measurement]:
    """For how long does nothing move at the end?

    Only the time in which all streams that show motion have samples counts. If the unit is unknown and a column still
    changes clearly, it may move slowly, so that is left open.
    The proposed trim keeps the stillness after the attempt that the protocol asks for.
    """
    moved = find_movement(case)
    if moved is None or not moved.paced:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=explain_unknown_movement(case) if moved is None else NO_RATE)
        return
    if moved.commanded:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note("check.only_commands", streams=moved.sources))
        return
    keep_to = moved.offset_ns + _read_required_stillness_ns(case, "adherence.post_roll")
    fix = propose_safe_trim(case, note("check.fix_idle_tail"), end_ns=keep_to) if keep_to < moved.end_ns else None
    still_to = max(min(moved.end_ns, moved.known_to_ns), moved.offset_ns)
    yield Measurement(
        NO_SUBJECT, (still_to - moved.offset_ns) / NS_PER_S,
        cannot_tell=_explain_uncertain_stillness(case, moved, moved.offset_ns, still_to),
        at_s=convert_to_episode_seconds(case, moved.offset_ns), fix=fix,
    )  # fmt: skip


def _read_required_stillness_ns(case: Case, check_name: str) -> int:
    return round((case.protocol.limits[check_name].minimum or 0.0) * NS_PER_S)


def _explain_uncertain_stillness(case: Case, moved: Movement, start_ns: int, end_ns: int) -> Note | None:
    """Return why stillness does not fail: what moves is known by a name alone, or moves too slowly for its unit."""
    if moved.assumed:
        return note(ASSUMED, stream=moved.assumed, fact=StreamFact.MEANING.value)
    slow = moved.find_slow_stream(case, start_ns, end_ns)
    return (
        note(ASSUMED, note("check.slow_motion", stream=slow), stream=slow, fact=StreamFact.UNIT.value) if slow else None
    )

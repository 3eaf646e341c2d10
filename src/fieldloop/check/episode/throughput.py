"""Check of the cycle time: a policy learns slowness from slow successes."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NOT_SUCCEEDED, explain_exemption
from fieldloop.check.registry import check
from fieldloop.check.signals.contact import find_holds
from fieldloop.check.signals.movement import explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import NO_RATE, convert_to_episode_seconds
from fieldloop.check.signals.stamps import convert_ns_to_s
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, note


@check(
    "throughput.cycle_time",
    unit="× target",
    needs=("streams",),
)
def compare_cycle_time_with_target(case: Case) -> Iterator[Measurement]:
    """How long did a success take, relative to the target cycle time?

    The time runs from the first to the last movement. The target does not apply to failures.
    """
    moved = find_movement(case)
    if reason := explain_exemption(case) or (None if case.episode.succeeded else NOT_SUCCEEDED):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    if moved is None or not moved.paced:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=explain_unknown_movement(case) if moved is None else NO_RATE)
        return
    target_s, took_s = (
        float(case.protocol.setting("task.target_cycle_s")),
        convert_ns_to_s(moved.offset_ns - moved.onset_ns),
    )
    grasps = sum(held.grasps for held in find_holds(case))
    place = note("check.took", took_s=took_s, grasps=grasps if grasps > 1 else None)
    yield Measurement(NO_SUBJECT, took_s / target_s, place, at_s=convert_to_episode_seconds(case, moved.onset_ns))

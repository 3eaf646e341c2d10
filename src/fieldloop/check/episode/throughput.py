"""Questions about pace: a success that takes far too long teaches slowness."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import not_held
from fieldloop.check.episode.contact import holds
from fieldloop.check.episode.movement import movement, still
from fieldloop.check.episode.signal import NO_RATE, at_s
from fieldloop.check.episode.stamps import seconds
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement

UNKNOWN = float("nan")


@check(
    "throughput.cycle_time",
    unit="× target",
    needs=("streams",),
    advice="Look at what took so long; show the operator the target, or leave the slowest out.",
)
def cycle_time(case: Case) -> Iterator[Measurement]:
    """How long did a success take, against the target on which operators qualify?

    From the first to the last movement. Failures are not held to it: they end when they end.
    """
    moved = movement(case)
    if reason := not_held(case) or ("" if case.episode.succeeded else "nobody said that it succeeded."):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    if moved is None or not moved.paced:
        yield Measurement("", UNKNOWN, cannot_tell=still(case) if moved is None else NO_RATE)
        return
    target_s, took_s = float(case.protocol.setting("task.target_cycle_s")), seconds(moved.offset_ns - moved.onset_ns)
    grasps = sum(held.grasps for held in holds(case))
    tried = f", {grasps} grasps" if grasps > 1 else ""
    yield Measurement("", took_s / target_s, f"({took_s:.1f} s{tried})", at_s=at_s(case, moved.onset_ns))

"""Check of how smoothly the arm moved: a rate, so that it does not depend on the episode's length."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import movement, reason_movement_unknown
from fieldloop.check.signals.signal import NO_RATE, Signal, paced, signals
from fieldloop.check.signals.speeds import unwrapped, windowed_velocity
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_S, StreamKind

ROUGHNESS = "motion.roughness"


@check(
    ROUGHNESS,
    unit="1/s",
    needs=("joints",),
)
def rough(case: Case) -> Iterator[Measurement]:
    """How roughly did the arm move?

    The joints' rms acceleration over their rms velocity while the robot moves. For a motion of a single frequency, the
    value is 2π times that frequency, whatever its size and duration.
    """
    for joints in signals(case, StreamKind.JOINT_POSITION, unit="rad"):
        if not paced(joints.stream):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NO_RATE)
        elif movement(case) is None:
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=reason_movement_unknown(case))
        elif joints.period_s > case.parameter(ROUGHNESS, "window_s"):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=note("check.sampled_too_slowly"))
        else:
            value = roughness(case, joints)
            reason = None if np.isfinite(value) else note("check.joints_do_not_move")
            yield Measurement(Subject(joints.name), value, cannot_tell=reason)


def roughness(case: Case, one: Signal) -> float:
    """Return the rms acceleration over the rms speed while the robot moves, in 1/s; NaN where nothing moves."""
    return float(case.keep(("roughness", one.name), lambda: _roughness(case, one)))


def _roughness(case: Case, joints: Signal) -> float:
    moved = movement(case)
    if moved is None:
        return UNKNOWN
    inside = joints.between(moved.onset_ns, moved.offset_ns)
    part = Signal(joints.stream, joints.times_ns[inside], joints.values[inside], joints.period_s)
    if len(part.times_ns) < 8:  # noqa: PLR2004 - two differences and something to average
        return UNKNOWN
    made = windowed_velocity(part, unwrapped(case, part.values), case.parameter(ROUGHNESS, "window_s"))
    reach = max(1, len(part.times_ns) - len(made.times_ns))
    if len(made.times_ns) <= reach:
        return UNKNOWN
    span_s = (made.times_ns[reach:] - made.times_ns[:-reach]) / NS_PER_S
    change = (made.velocity[reach:] - made.velocity[:-reach]) / np.maximum(span_s, part.period_s / 2)[:, None]
    size = float(np.sqrt((made.velocity**2).sum(axis=1).mean()))
    return float(np.sqrt((change**2).sum(axis=1).mean())) / size if size > 0 else UNKNOWN

"""Check of how smoothly the arm moved: a rate, so that it does not depend on the episode's length."""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.movement import explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import NO_RATE, Signal, find_signals, has_timed_stamps
from fieldloop.check.signals.speeds import compute_windowed_velocity, unwrap_full_turns
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import NS_PER_S, StreamKind

ROUGHNESS = "motion.roughness"


@check(
    ROUGHNESS,
    unit="1/s",
    needs=("joints",),
    revision=2,
)
def measure_arm_roughness(case: Case) -> Iterator[Measurement]:
    """How roughly did the arm move?

    The joints' rms acceleration over their rms velocity while the robot moves. For a motion of a single frequency, the
    value is 2π times that frequency, whatever its size and duration. How rough a motion may be depends on the task, so
    it is left open where the log names no protocol.
    """
    for joints in find_signals(case, StreamKind.JOINT_POSITION, unit="rad"):
        if not has_timed_stamps(joints.stream):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=NO_RATE)
        elif find_movement(case) is None:
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=explain_unknown_movement(case))
        elif joints.period_s > case.read_parameter(ROUGHNESS, "window_s"):
            yield Measurement(Subject(joints.name), UNKNOWN, cannot_tell=note("check.sampled_too_slowly"))
        else:
            value = measure_roughness(case, joints)
            reason = None if np.isfinite(value) else note("check.joints_do_not_move")
            open_ = reason is None and not case.collected_by_protocol
            low, high = (0.0, value) if open_ else (None, None)
            yield Measurement(Subject(joints.name), value, cannot_tell=reason, low=low, high=high)


def measure_roughness(case: Case, joint_signal: Signal) -> float:
    """Return the rms acceleration over the rms speed while the robot moves, in 1/s; NaN where nothing moves."""
    return float(case.compute_once(("roughness", joint_signal.name), lambda: _compute_roughness(case, joint_signal)))


def _compute_roughness(case: Case, joints: Signal) -> float:
    moved = find_movement(case)
    if moved is None:
        return UNKNOWN
    inside = joints.find_rows_between(moved.onset_ns, moved.offset_ns)
    part = Signal(joints.stream, joints.times_ns[inside], joints.values[inside], joints.period_s)
    if len(part.times_ns) < 8:  # noqa: PLR2004 - two differences and something to average
        return UNKNOWN
    made = compute_windowed_velocity(
        part, unwrap_full_turns(case, part.values), case.read_parameter(ROUGHNESS, "window_s")
    )
    reach = max(1, len(part.times_ns) - len(made.times_ns))
    if len(made.times_ns) <= reach:
        return UNKNOWN
    span_s = (made.times_ns[reach:] - made.times_ns[:-reach]) / NS_PER_S
    change = (made.velocity[reach:] - made.velocity[:-reach]) / np.maximum(span_s, part.period_s / 2)[:, None]
    size = float(np.sqrt((made.velocity**2).sum(axis=1).mean()))
    return float(np.sqrt((change**2).sum(axis=1).mean())) / size if size > 0 else UNKNOWN

"""Check of units: do streams that describe one motion agree on its size?"""

from collections.abc import Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.registry import check
from fieldloop.check.signals.arms import find_joints_of_arm, list_arms
from fieldloop.check.signals.contact import find_gripper_opening
from fieldloop.check.signals.follow import NotComparable, interpolate_signal, pair_columns
from fieldloop.check.signals.movement import explain_unknown_movement, find_movement
from fieldloop.check.signals.signal import (
    FEWEST,
    NO_RATE,
    Floats,
    Signal,
    find_signals,
    has_timed_stamps,
    replace_infinite_by_nan,
)
from fieldloop.check.signals.speeds import filter_by_median_of_three, unwrap_full_turns
from fieldloop.check.signals.tool import find_tool_pose
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import DEG_PER_RAD, MM_PER_M, NS_PER_S, StreamKind
from fieldloop.stats.quantile import compute_median

UNITS = "motion.units"
SUSPECTS = {DEG_PER_RAD: "degrees", MM_PER_M: "millimetres"}


@check(
    UNITS,
    unit="× off",
    needs=("streams",),
)
def compare_size_of_same_motion(case: Case) -> Iterator[Measurement]:
    """By which factor do streams that describe one motion disagree about its size?

    Integrated velocities must match the change of the positions. Commanded joints must move as far as those that follow
    them. A tool's path over its joints' rotation is a lever, which is at most an arm's length. A gripper's width is
    bounded too. A factor of 57.3 points to degrees, 1000 to millimetres. Commands may be scaled on purpose, so for them
    only these two factors are reported.
    """
    for position in find_signals(case, StreamKind.JOINT_POSITION):
        for velocity in find_signals(case, StreamKind.JOINT_VELOCITY):
            if _are_same_joints(position, velocity):
                yield _compare_velocity_unit(case, position, velocity)
        for command in find_signals(case, StreamKind.ACTION, unit=position.stream.unit):
            yield from _compare_command_unit(case, command, position)
    for arm in list_arms(case):
        pose, joints = find_tool_pose(case, arm), find_joints_of_arm(case, arm)
        if pose is not None and joints is not None:
            yield _compare_tool_and_joint_travel(case, pose, joints)
        wide = find_gripper_opening(case, arm)
        if wide is not None and wide[0].stream.unit == "m" and np.isfinite(wide[1]).any():
            factor = float(np.nanmax(np.abs(wide[1]))) / case.read_parameter(UNITS, "widest_m")
            place = note("check.wider_than_gripper") if factor > 1 else None
            yield Measurement(Subject(wide[0].name), max(1.0, factor), place)


def _are_same_joints(position: Signal, velocity: Signal) -> bool:
    """Do both streams describe the same joints? By their column names, or because they come in one message."""
    same_shape = position.values.shape == velocity.values.shape
    if not same_shape or not np.array_equal(position.times_ns, velocity.times_ns):
        return False
    return position.columns == velocity.columns


def _compare_velocity_unit(case: Case, position: Signal, velocity: Signal) -> Measurement:
    about = Subject(velocity.name, position.name)
    if not (has_timed_stamps(position.stream) and has_timed_stamps(velocity.stream)):
        return Measurement(about, UNKNOWN, cannot_tell=NO_RATE)
    if find_movement(case) is None:
        return Measurement(about, UNKNOWN, cannot_tell=explain_unknown_movement(case))
    gone, summed = _compute_window_displacements(case, position, velocity)
    moving = (gone.std(axis=0) > 0) & (summed.std(axis=0) > 0)
    if not moving.any():
        return Measurement(about, UNKNOWN, cannot_tell=note("check.joints_do_not_move"))
    gone, summed = gone[:, moving], summed[:, moving]
    agreement = (gone * summed).sum(axis=0) / np.sqrt((gone**2).sum(axis=0) * (summed**2).sum(axis=0))
    agreeing = agreement > case.read_parameter(UNITS, "min_agreement")
    if not agreeing.any():
        reason = note("check.velocities_disagree", correlation=float(np.nanmax(agreement)))
        return Measurement(about, UNKNOWN, cannot_tell=reason)
    ratios = np.sqrt((summed[:, agreeing] ** 2).sum(axis=0) / (gone[:, agreeing] ** 2).sum(axis=0))
    ratio = compute_median(ratios)
    factor = max(ratio, 1 / ratio)
    code = "check.velocities_too_large" if ratio > 1 else "check.velocities_too_small"
    return Measurement(about, factor, note(code, looks_like=_name_suspected_unit(case, factor)))


def _compare_command_unit(case: Case, command: Signal, position: Signal) -> Iterator[Measurement]:
    """Compare the ranges of commanded and measured joints, where they move together."""
    inside = command.find_rows_between(int(position.times_ns[0]), int(position.times_ns[-1]))
    when_ns = command.times_ns[inside]
    try:
        ours, theirs = pair_columns(command, position)
    except NotComparable:
        return
    if len(when_ns) < FEWEST:
        return
    asked, done = (
        replace_infinite_by_nan(command.values[inside][:, ours]),
        interpolate_signal(position, theirs, when_ns),
    )
    asked, done = asked - asked.mean(axis=0), done - done.mean(axis=0)
    sizes = np.sqrt((asked**2).sum(axis=0)), np.sqrt((done**2).sum(axis=0))
    together = (asked * done).sum(axis=0) > case.read_parameter(UNITS, "min_agreement") * sizes[0] * sizes[1]
    if not together.any():
        return
    ratio = compute_median(sizes[0][together] / sizes[1][together])
    factor, code = max(ratio, 1 / ratio), "check.commands_too_large" if ratio > 1 else "check.commands_too_small"
    about = Subject(command.name, position.name)
    if factor < case.read_parameter(UNITS, "near_factor"):
        yield Measurement(about, factor)
    elif suspect := _name_suspected_unit(case, factor):
        yield Measurement(about, factor, note(code, looks_like=suspect))


def _compute_window_displacements(case: Case, position: Signal, velocity: Signal) -> tuple[Floats, Floats]:
    """Return the displacement over windows: from positions, and from integrated velocities."""
    times_s = (position.times_ns - position.times_ns[0]) / NS_PER_S
    steps_s = np.diff(times_s)[:, None]
    rates = replace_infinite_by_nan(velocity.values)
    summed = np.vstack([np.zeros(rates.shape[1]), np.cumsum((rates[1:] + rates[:-1]) / 2 * steps_s, axis=0)])
    angles = filter_by_median_of_three(replace_infinite_by_nan(unwrap_full_turns(case, position.values)))
    window_s = float(case.protocol.setting("episode.moving_window_s"))
    reach = min(max(1, round(window_s / position.period_s)), len(angles) - 1)
    return angles[reach:] - angles[:-reach], summed[reach:] - summed[:-reach]


def _compare_tool_and_joint_travel(case: Case, pose: Signal, joints: Signal) -> Measurement:
    """Compare how far tool and joints moved from their start: no arm has a lever of fifty metres."""
    about = Subject(pose.name, joints.name)
    away_m = _find_farthest_from_start(pose.values[:, :3])
    turned = _find_farthest_from_start(unwrap_full_turns(case, joints.values))
    if turned < case.read_parameter(UNITS, "least_turn_rad"):
        return Measurement(about, UNKNOWN, cannot_tell=note("check.joints_hardly_move"))
    factor = away_m / turned / case.read_parameter(UNITS, "longest_lever_m")
    return Measurement(about, max(1.0, factor), note("check.farther_than_arm") if factor > 1 else None)


def _find_farthest_from_start(values: Floats) -> float:
    known = values[np.isfinite(values).all(axis=1)]
    return float(np.sqrt(((known - known[0]) ** 2).sum(axis=1)).max()) if len(known) else 0.0


def _name_suspected_unit(case: Case, factor: float) -> str:
    """Name the unit whose conversion is near this factor; '' where none is."""
    near = case.read_parameter(UNITS, "near_factor")
    for conversion, words in SUSPECTS.items():
        if conversion / near < factor < conversion * near:
            return words
    return ""

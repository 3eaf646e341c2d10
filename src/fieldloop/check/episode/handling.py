"""Checks of how the item was approached, lifted, carried and set down, from the tool's pose and the gripper.

The pose's third axis points up, as in a robot's base frame.
"""

from collections.abc import Callable, Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import explain_exemption
from fieldloop.check.registry import check
from fieldloop.check.signals.approach import find_approach
from fieldloop.check.signals.arms import list_arms
from fieldloop.check.signals.contact import NEVER, Hold, find_gripper_opening, find_holds
from fieldloop.check.signals.signal import Floats, Signal, convert_to_episode_seconds, note_place_at
from fieldloop.check.signals.tool import NO_TOOL, find_tool_pose
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Subject, note

UP = 2  # the third axis of a pose points up


@check(
    "adherence.approach_angle",
    unit="deg",
    needs=("gripper",),
)
def measure_approach_angles(case: Case) -> Iterator[Measurement]:
    """At which angle to straight down did the tool come to the item?

    The angle is measured over the last stretch before contact. The direction is stored, so that a batch can be checked
    for variety.
    """
    yield from _measure_each_hold(case, _measure_approach_angle)


def _measure_approach_angle(case: Case, hold: Hold, pose: Signal) -> Measurement:
    approached = find_approach(case, hold)
    if approached is None:
        return Measurement(Subject(pose.name), UNKNOWN, cannot_tell=note("check.no_approach"))
    angle = float(np.degrees(np.arccos(np.clip(-approached[1][UP], -1.0, 1.0))))
    return Measurement(
        Subject(pose.name),
        angle,
        note_place_at(case, hold.contact_ns),
        at_s=convert_to_episode_seconds(case, hold.contact_ns),
    )


@check(
    "adherence.lift_clearance",
    unit="m",
    needs=("gripper",),
)
def measure_lift_clearances(case: Case) -> Iterator[Measurement]:
    """How high was the item lifted above the place where it was picked up?"""
    yield from _measure_each_hold(case, _measure_lift_clearance)


def _measure_lift_clearance(case: Case, hold: Hold, pose: Signal) -> Measurement:
    rows = pose.find_rows_between(hold.contact_ns, hold.release_ns)
    height = pose.values[rows, UP]
    if not np.isfinite(height).any():
        return Measurement(Subject(pose.name), UNKNOWN, cannot_tell=note("check.heights_unknown"))
    top = int(np.nanargmax(height))
    moment = pose.times_ns[rows][top]
    value = float(height[top] - pose.find_row_nearest(hold.contact_ns)[UP])
    return Measurement(
        Subject(pose.name), value, note_place_at(case, moment), at_s=convert_to_episode_seconds(case, moment)
    )


@check(
    "adherence.place_height",
    unit="m",
    needs=("gripper",),
)
def measure_release_heights(case: Case) -> Iterator[Measurement]:
    """How high above its new place was the item released?

    The value is the tool's height at release minus its height at contact, minus the height difference of the two
    places, which the protocol states. If the item is released far below where it was picked up, the protocol lacks that
    difference.
    """
    yield from _measure_each_hold(case, _measure_place_height)


def _measure_place_height(case: Case, hold: Hold, pose: Signal) -> Measurement:
    if not hold.let_go:
        return Measurement(Subject(pose.name), UNKNOWN, cannot_tell=note("check.ends_before_release"))
    taken, left = pose.find_row_nearest(hold.contact_ns)[UP], pose.find_row_nearest(hold.release_ns)[UP]
    value = float(left - taken - case.read_parameter("adherence.place_height", "surface_m"))
    if value < -case.read_parameter("adherence.place_height", "deepest_m"):
        reason = note("check.released_below", below_m=-value)
        return Measurement(Subject(pose.name), UNKNOWN, cannot_tell=reason)
    return Measurement(
        Subject(pose.name),
        value,
        note_place_at(case, hold.release_ns),
        at_s=convert_to_episode_seconds(case, hold.release_ns),
    )


@check(
    "adherence.dragging",
    unit="m",
    needs=("gripper",),
)
def measure_dragging_distances(case: Case) -> Iterator[Measurement]:
    """How far was the item moved sideways while it was held and not lifted?

    The distance counts while the item is as low as at pick-up, and again while it is as low as at release.
    """
    yield from _measure_each_hold(case, _measure_dragging)


def _measure_dragging(case: Case, hold: Hold, pose: Signal) -> Measurement:
    rows = pose.find_rows_between(hold.contact_ns, hold.release_ns)
    # steps of several samples, so that noise does not add up to a path
    stride = max(1, round(float(case.protocol.setting("episode.moving_window_s")) / pose.period_s))
    times, way = pose.times_ns[rows][::stride], pose.values[rows, :3][::stride]
    if len(way) < 2 or not np.isfinite(way).all():  # noqa: PLR2004 - a path has two ends
        return Measurement(Subject(pose.name), UNKNOWN, cannot_tell=note("check.carry_path_unknown"))
    top = int(np.argmax(way[:, UP]))
    ground = np.where(np.arange(len(way)) <= top, way[0, UP], way[-1, UP])
    low = way[:, UP] < ground + case.read_parameter("adherence.dragging", "low_m")
    steps = np.sqrt((np.diff(way[:, :UP], axis=0) ** 2).sum(axis=1)) * (low[1:] & low[:-1])
    most = times[int(np.argmax(steps))]
    return Measurement(
        Subject(pose.name), float(steps.sum()), note_place_at(case, most), at_s=convert_to_episode_seconds(case, most)
    )


@check(
    "adherence.start_state",
    unit="share of widest opening",
    needs=("gripper",),
)
def measure_gripper_opening_at_start(case: Case) -> Iterator[Measurement]:
    """How far open is the gripper at the beginning?"""
    yield from _measure_gripper_opening(case, 0)


@check(
    "adherence.end_state",
    unit="share of widest opening",
    needs=("gripper",),
)
def measure_gripper_opening_at_end(case: Case) -> Iterator[Measurement]:
    """How far open is the gripper at the end?"""
    yield from _measure_gripper_opening(case, -1)


def _measure_gripper_opening(case: Case, row: int) -> Iterator[Measurement]:
    if reason := explain_exemption(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    for arm in list_arms(case):
        wide = find_gripper_opening(case, arm)
        if wide is None or not np.isfinite(wide[1]).any():
            yield Measurement(Subject(aspect=arm), UNKNOWN, cannot_tell=note("check.no_gripper_width"))
        else:
            yield _measure_opening_share(case, *wide, row)


def _measure_opening_share(case: Case, gripper: Signal, widths: Floats, row: int) -> Measurement:
    known = np.isfinite(widths)
    width, moment = widths[known], gripper.times_ns[known][row]
    widest = float(width.max())
    if widest - float(width.min()) < case.read_parameter("force.window", "closing_m"):
        return Measurement(Subject(gripper.name), UNKNOWN, cannot_tell=note("check.gripper_never_moved"))
    return Measurement(
        Subject(gripper.name),
        float(width[row]) / widest,
        note_place_at(case, moment),
        at_s=convert_to_episode_seconds(case, moment),
    )


def _measure_each_hold(case: Case, measure_hold: Callable[[Case, Hold, Signal], Measurement]) -> Iterator[Measurement]:
    """Measure each arm that held something, or give the reason why nothing is known or required."""
    if reason := explain_exemption(case) or (None if find_holds(case) else NEVER):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    for held in find_holds(case):
        pose = find_tool_pose(case, held.arm)
        if pose is None:
            yield Measurement(Subject(aspect=held.arm), UNKNOWN, cannot_tell=NO_TOOL)
        else:
            yield measure_hold(case, held, pose)

"""Questions about how the item was approached, lifted, carried and set down, from the tool's pose and the gripper.

The pose's third axis points up, as in a robot's base frame.
"""

from collections.abc import Callable, Iterator

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import not_held
from fieldloop.check.episode.approach import approach
from fieldloop.check.episode.arms import arms
from fieldloop.check.episode.contact import NEVER, Hold, holds, opening
from fieldloop.check.episode.signal import Floats, Signal, at, at_s
from fieldloop.check.episode.tool import NO_TOOL, tool
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement

UNKNOWN = float("nan")
UP = 2


@check(
    "adherence.approach_angle",
    unit="deg",
    needs=("gripper",),
    advice="Come to the item from a direction the task allows.",
)
def approach_angle(case: Case) -> Iterator[Measurement]:
    """At which angle to straight down did the tool come to the item?

    By its last stretch before contact. The direction itself is kept, so that a batch is asked for several.
    """
    yield from _each_hold(case, _angle)


def _angle(case: Case, span: Hold, pose: Signal) -> Measurement:
    found = approach(case, span)
    if found is None:
        said = "the tool did not travel before contact, or its pose is no number."
        return Measurement(pose.name, UNKNOWN, cannot_tell=said)
    angle = float(np.degrees(np.arccos(np.clip(-found[1][UP], -1.0, 1.0))))
    return Measurement(pose.name, angle, at(case, span.contact_ns), at_s=at_s(case, span.contact_ns))


@check(
    "adherence.lift_clearance",
    unit="m",
    needs=("gripper",),
    advice="Lift higher before moving sideways.",
)
def lift_clearance(case: Case) -> Iterator[Measurement]:
    """How high was the item lifted above the place where it was taken?"""
    yield from _each_hold(case, _clearance)


def _clearance(case: Case, span: Hold, pose: Signal) -> Measurement:
    rows = pose.between(span.contact_ns, span.release_ns)
    height = pose.values[rows, UP]
    if not np.isfinite(height).any():
        return Measurement(pose.name, UNKNOWN, cannot_tell="its heights are no numbers.")
    top = int(np.nanargmax(height))
    moment = pose.times_ns[rows][top]
    value = float(height[top] - pose.at(span.contact_ns)[UP])
    return Measurement(pose.name, value, at(case, moment), at_s=at_s(case, moment))


@check(
    "adherence.place_height",
    unit="m",
    needs=("gripper",),
    advice="Lower the item until it stands before letting go.",
)
def place_height(case: Case) -> Iterator[Measurement]:
    """How high above its new place was the item let go?

    The tool's height at release against its height at contact, less how much higher the new place lies, which the
    protocol says. An item let go far below where it was taken shows that the protocol does not.
    """
    yield from _each_hold(case, _height)


def _height(case: Case, span: Hold, pose: Signal) -> Measurement:
    if not span.let_go:
        return Measurement(pose.name, UNKNOWN, cannot_tell="the recording ends before the item is let go.")
    taken, left = pose.at(span.contact_ns)[UP], pose.at(span.release_ns)[UP]
    value = float(left - taken - case.parameter("adherence.place_height", "surface_m"))
    if value < -case.parameter("adherence.place_height", "deepest_m"):
        said = f"it was let go {-value:.3f} m below where it was taken: say in the protocol how low the place lies."
        return Measurement(pose.name, UNKNOWN, cannot_tell=said)
    return Measurement(pose.name, value, at(case, span.release_ns), at_s=at_s(case, span.release_ns))


@check(
    "adherence.dragging",
    unit="m",
    needs=("gripper",),
    advice="Lift before moving sideways, and set down before letting go.",
)
def dragging(case: Case) -> Iterator[Measurement]:
    """How far was the item moved sideways while it was held and not lifted?

    On the way up as low as where it was taken, on the way down as low as where it was let go.
    """
    yield from _each_hold(case, _dragged)


def _dragged(case: Case, span: Hold, pose: Signal) -> Measurement:
    rows = pose.between(span.contact_ns, span.release_ns)
    # every so many samples, so that noise does not add up to a way
    stride = max(1, round(float(case.protocol.setting("episode.moving_window_s")) / pose.period_s))
    times, way = pose.times_ns[rows][::stride], pose.values[rows, :3][::stride]
    if len(way) < 2 or not np.isfinite(way).all():  # noqa: PLR2004 - a way has two ends
        return Measurement(pose.name, UNKNOWN, cannot_tell="the tool's way while holding is not known.")
    top = int(np.argmax(way[:, UP]))
    ground = np.where(np.arange(len(way)) <= top, way[0, UP], way[-1, UP])
    low = way[:, UP] < ground + case.parameter("adherence.dragging", "low_m")
    steps = np.sqrt((np.diff(way[:, :UP], axis=0) ** 2).sum(axis=1)) * (low[1:] & low[:-1])
    most = times[int(np.argmax(steps))]
    return Measurement(pose.name, float(steps.sum()), at(case, most), at_s=at_s(case, most))


@check(
    "adherence.start_state",
    unit="share of widest opening",
    needs=("gripper",),
    advice="Begin with the gripper open and empty.",
)
def start_state(case: Case) -> Iterator[Measurement]:
    """How far open is the gripper at the beginning?"""
    yield from _open_at(case, 0)


@check(
    "adherence.end_state",
    unit="share of widest opening",
    needs=("gripper",),
    advice="End with the item let go and the gripper open.",
)
def end_state(case: Case) -> Iterator[Measurement]:
    """How far open is the gripper at the end?"""
    yield from _open_at(case, -1)


def _open_at(case: Case, row: int) -> Iterator[Measurement]:
    if reason := not_held(case):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    for arm in arms(case):
        wide = opening(case, arm)
        if wide is None or not np.isfinite(wide[1]).any():
            yield Measurement(arm, UNKNOWN, cannot_tell="no gripper tells its width in metres.")
        else:
            yield _opened(case, *wide, row)


def _opened(case: Case, one: Signal, told: Floats, row: int) -> Measurement:
    known = np.isfinite(told)
    width, moment = told[known], one.times_ns[known][row]
    widest = float(width.max())
    if widest - float(width.min()) < case.parameter("force.window", "closing_m"):
        return Measurement(one.name, UNKNOWN, cannot_tell="the gripper never moved, so open and shut look alike.")
    return Measurement(one.name, float(width[row]) / widest, at(case, moment), at_s=at_s(case, moment))


def _each_hold(case: Case, measure: Callable[[Case, Hold, Signal], Measurement]) -> Iterator[Measurement]:
    """Measure each arm that held something, or say why nothing is known or asked for."""
    if reason := not_held(case) or ("" if holds(case) else NEVER):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    for held in holds(case):
        pose = tool(case, held.arm)
        yield Measurement(held.arm, UNKNOWN, cannot_tell=NO_TOOL) if pose is None else measure(case, held, pose)

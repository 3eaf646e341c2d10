"""Checks of the limits of the control interface: SpaceMouse, VR or hand guiding."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NO_PROTOCOL, explain_exemption
from fieldloop.check.registry import check
from fieldloop.check.signals.arms import list_arms
from fieldloop.check.signals.contact import NEVER, find_holds
from fieldloop.check.signals.movement import find_movement
from fieldloop.check.signals.signal import (
    NO_RATE,
    Floats,
    Signal,
    convert_to_episode_seconds,
    find_signals,
    has_timed_stamps,
)
from fieldloop.check.signals.speeds import compute_speeds
from fieldloop.check.signals.tool import NO_TOOL, find_tool_pose
from fieldloop.check.signals.turning import NO_TURN, compute_angular_speed
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import NO_SUBJECT, Note, Subject, note
from fieldloop.model.stream import NS_PER_S, StreamKind
from fieldloop.protocol import Limit

FACT = "interface"
PLACE = 3  # the first three columns of a pose are its position
NO_JOINTS = note("check.no_joints_in_radians")
WORDS = {"tool_speed": "speed", "turn_speed": "turning", "joint_speed": "speed"}


@check(
    "adherence.speed_limit",
    unit="× limit",
    needs=("joints",),
)
def compare_speeds_with_interface_limits(case: Case) -> Iterator[Measurement]:
    """How fast did tool and joints move, relative to the limits of the control interface?

    The interface is the fact `interface` of the episode; its limits are in the protocol. If the interface has a minimum
    speed, the median speed is compared with it too: a value above 1 then means too slow.
    """
    if reason := _explain_missing_limits(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    for arm, name, signal in _list_limited_signals(case):
        limit = case.protocol.get_interface_limit(_find_control_interface(case), name)
        if limit is None:
            continue
        pace = _measure_signal_speed(case, signal, name)
        if isinstance(pace, Note):
            yield Measurement(Subject(aspect=f"{arm} {name}".strip()), UNKNOWN, cannot_tell=pace)
            continue
        yield from _compare_speed_with_limit(case, limit, pace)


def _list_limited_signals(case: Case) -> Iterator[tuple[str, str, Signal | None]]:
    """Yield each arm with its signals that may be limited."""
    for arm in list_arms(case):
        yield arm, "tool_speed", find_tool_pose(case, arm)
        yield arm, "turn_speed", find_tool_pose(case, arm)
    joints = tuple(find_signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    for one in joints or (None,):
        yield "", "joint_speed", one


class Pace(NamedTuple):
    """Speeds over time, and the name of what moved."""

    stream: str
    moved: str
    times_ns: NDArray[np.int64]
    fast: Floats


def _measure_signal_speed(case: Case, signal: Signal | None, quantity_name: str) -> Pace | Note:
    """Return the speeds, or why they are unknown."""
    if signal is None:
        return NO_JOINTS if quantity_name == "joint_speed" else NO_TOOL
    if not has_timed_stamps(signal.stream):
        return NO_RATE
    if quantity_name == "turn_speed":
        turned = compute_angular_speed(case, signal)
        return NO_TURN if turned is None else Pace(signal.name, WORDS[quantity_name], *turned)
    made = compute_speeds(case, signal, PLACE if quantity_name == "tool_speed" else None)
    fast: Floats = made.norm if quantity_name == "tool_speed" else np.abs(made.velocity).max(axis=1)
    return Pace(signal.name, WORDS[quantity_name], made.times_ns, fast)


def _compare_speed_with_limit(case: Case, limit: Limit, measured_speed: Pace) -> Iterator[Measurement]:
    times, fast = measured_speed.times_ns, measured_speed.fast
    row = int(np.argmax(fast))
    if limit.maximum:
        moment_s, most = convert_to_episode_seconds(case, times[row]), float(fast[row])
        place = note("check.fastest", speed=most, unit=limit.unit, at_s=moment_s)
        yield Measurement(
            Subject(measured_speed.stream, aspect=measured_speed.moved), most / limit.maximum, place, at_s=moment_s
        )
    moved = find_movement(case)
    if limit.minimum and moved is not None:
        usual = float(np.median(fast[(times >= moved.onset_ns) & (times <= moved.offset_ns)]))
        place = note("check.typical_speed", speed=usual, least=limit.minimum, unit=limit.unit)
        slowness = limit.minimum / usual if usual > 0 else UNKNOWN
        yield Measurement(Subject(measured_speed.stream, aspect="slowness"), slowness, place)


@check(
    "adherence.grasp_pause",
    unit="× asked",
    needs=("gripper",),
)
def measure_pause_at_grasp(case: Case) -> Iterator[Measurement]:
    """For how long did the tool stand still around contact, relative to what the control interface requires?"""
    asked = case.protocol.get_interface_limit(_find_control_interface(case), "grasp_pause")
    if reason := _explain_missing_limits(case) or explain_exemption(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    if asked is None or not asked.minimum:
        yield Measurement(
            NO_SUBJECT, UNKNOWN, cannot_tell=note("check.no_pause_asked", interface=_find_control_interface(case))
        )
        return
    if not find_holds(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=NEVER)
    for held in find_holds(case):
        pose = find_tool_pose(case, held.arm)
        if pose is None or not has_timed_stamps(pose.stream):
            reason = NO_TOOL if pose is None else NO_RATE
            yield Measurement(Subject(aspect=held.arm), UNKNOWN, cannot_tell=reason)
            continue
        paused = _measure_stillness_around_s(case, pose, held.contact_ns)
        place = note("check.paused", paused_s=paused, at_s=convert_to_episode_seconds(case, held.contact_ns))
        yield Measurement(
            Subject(pose.name), paused / asked.minimum, place, at_s=convert_to_episode_seconds(case, held.contact_ns)
        )


def _measure_stillness_around_s(case: Case, pose: Signal, moment_ns: int) -> float:
    """Return how long the tool stayed within a small ball around its position at this moment."""
    away: Floats = np.sqrt(((pose.values[:, :PLACE] - pose.find_row_nearest(moment_ns)[:PLACE]) ** 2).sum(axis=1))
    gone = pose.times_ns[~(away <= case.read_parameter("adherence.grasp_pause", "ball_m"))]
    before, behind = gone[gone <= moment_ns], gone[gone > moment_ns]
    begin = before[-1] if len(before) else pose.times_ns[0]
    end = behind[0] if len(behind) else pose.times_ns[-1]
    return float(end - begin) / NS_PER_S


def _find_control_interface(case: Case) -> str:
    return (case.episode.get_fact(FACT) or "").lower()


def _explain_missing_limits(case: Case) -> Note | None:
    if not case.collected_by_protocol:
        return NO_PROTOCOL
    if not _find_control_interface(case):
        return note("check.no_interface", fact=FACT)
    if _find_control_interface(case) not in case.protocol.interfaces:
        return note("check.unknown_interface", interface=_find_control_interface(case))
    return None

"""Checks of the limits of the control interface: SpaceMouse, VR or hand guiding."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import NO_PROTOCOL, exemption_reason
from fieldloop.check.registry import check
from fieldloop.check.signals.arms import arms
from fieldloop.check.signals.contact import NEVER, holds
from fieldloop.check.signals.movement import movement
from fieldloop.check.signals.signal import NO_RATE, Floats, Signal, at_s, paced, signals
from fieldloop.check.signals.speeds import speeds
from fieldloop.check.signals.tool import NO_TOOL, tool
from fieldloop.check.signals.turning import NO_TURN, angular_speed
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
def speed_limit(case: Case) -> Iterator[Measurement]:
    """How fast did tool and joints move, relative to the limits of the control interface?

    The interface is the fact `interface` of the episode; its limits are in the protocol. If the interface has a minimum
    speed, the median speed is compared with it too: a value above 1 then means too slow.
    """
    if reason := _reason_no_limits(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    for arm, name, signal in _limited_signals(case):
        limit = case.protocol.interface_limit(_interface(case), name)
        if limit is None:
            continue
        pace = _pace(case, signal, name)
        if isinstance(pace, Note):
            yield Measurement(Subject(aspect=f"{arm} {name}".strip()), UNKNOWN, cannot_tell=pace)
            continue
        yield from _compare_with_limit(case, limit, pace)


def _limited_signals(case: Case) -> Iterator[tuple[str, str, Signal | None]]:
    """Yield each arm with its signals that may be limited."""
    for arm in arms(case):
        yield arm, "tool_speed", tool(case, arm)
        yield arm, "turn_speed", tool(case, arm)
    joints = tuple(signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    for one in joints or (None,):
        yield "", "joint_speed", one


class Pace(NamedTuple):
    """Speeds over time, and the name of what moved."""

    stream: str
    moved: str
    times_ns: NDArray[np.int64]
    fast: Floats


def _pace(case: Case, signal: Signal | None, name: str) -> Pace | Note:
    """Return the speeds, or why they are unknown."""
    if signal is None:
        return NO_JOINTS if name == "joint_speed" else NO_TOOL
    if not paced(signal.stream):
        return NO_RATE
    if name == "turn_speed":
        turned = angular_speed(case, signal)
        return NO_TURN if turned is None else Pace(signal.name, WORDS[name], *turned)
    made = speeds(case, signal, PLACE if name == "tool_speed" else None)
    fast: Floats = made.norm if name == "tool_speed" else np.abs(made.velocity).max(axis=1)
    return Pace(signal.name, WORDS[name], made.times_ns, fast)


def _compare_with_limit(case: Case, limit: Limit, pace: Pace) -> Iterator[Measurement]:
    times, fast = pace.times_ns, pace.fast
    row = int(np.argmax(fast))
    if limit.maximum:
        moment_s, most = at_s(case, times[row]), float(fast[row])
        place = note("check.fastest", speed=most, unit=limit.unit, at_s=moment_s)
        yield Measurement(Subject(pace.stream, aspect=pace.moved), most / limit.maximum, place, at_s=moment_s)
    moved = movement(case)
    if limit.minimum and moved is not None:
        usual = float(np.median(fast[(times >= moved.onset_ns) & (times <= moved.offset_ns)]))
        place = note("check.typical_speed", speed=usual, least=limit.minimum, unit=limit.unit)
        slowness = limit.minimum / usual if usual > 0 else UNKNOWN
        yield Measurement(Subject(pace.stream, aspect="slowness"), slowness, place)


@check(
    "adherence.grasp_pause",
    unit="× asked",
    needs=("gripper",),
)
def grasp_pause(case: Case) -> Iterator[Measurement]:
    """For how long did the tool stand still around contact, relative to what the control interface requires?"""
    asked = case.protocol.interface_limit(_interface(case), "grasp_pause")
    if reason := _reason_no_limits(case) or exemption_reason(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=reason)
        return
    if asked is None or not asked.minimum:
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=note("check.no_pause_asked", interface=_interface(case)))
        return
    if not holds(case):
        yield Measurement(NO_SUBJECT, UNKNOWN, cannot_tell=NEVER)
    for held in holds(case):
        pose = tool(case, held.arm)
        if pose is None or not paced(pose.stream):
            reason = NO_TOOL if pose is None else NO_RATE
            yield Measurement(Subject(aspect=held.arm), UNKNOWN, cannot_tell=reason)
            continue
        paused = _stillness_around_s(case, pose, held.contact_ns)
        place = note("check.paused", paused_s=paused, at_s=at_s(case, held.contact_ns))
        yield Measurement(Subject(pose.name), paused / asked.minimum, place, at_s=at_s(case, held.contact_ns))


def _stillness_around_s(case: Case, pose: Signal, moment_ns: int) -> float:
    """Return how long the tool stayed within a small ball around its position at this moment."""
    away: Floats = np.sqrt(((pose.values[:, :PLACE] - pose.at(moment_ns)[:PLACE]) ** 2).sum(axis=1))
    gone = pose.times_ns[~(away <= case.parameter("adherence.grasp_pause", "ball_m"))]
    before, behind = gone[gone <= moment_ns], gone[gone > moment_ns]
    begin = before[-1] if len(before) else pose.times_ns[0]
    end = behind[0] if len(behind) else pose.times_ns[-1]
    return float(end - begin) / NS_PER_S


def _interface(case: Case) -> str:
    return (case.episode.fact(FACT) or "").lower()


def _reason_no_limits(case: Case) -> Note | None:
    if not case.collected_by_protocol:
        return NO_PROTOCOL
    if not _interface(case):
        return note("check.no_interface", fact=FACT)
    if _interface(case) not in case.protocol.interfaces:
        return note("check.unknown_interface", interface=_interface(case))
    return None

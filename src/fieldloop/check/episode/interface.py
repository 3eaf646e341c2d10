"""Questions about what the protocol asks of whoever moves the robot by SpaceMouse, VR or hand."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import HELD_TO_NOTHING, not_held
from fieldloop.check.episode.contact import NEVER, hold
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.signal import NO_RATE, Floats, Signal, at, at_s, paced, signals
from fieldloop.check.episode.speeds import speeds
from fieldloop.check.episode.tool import NO_TOOL, tool
from fieldloop.check.episode.turning import NO_TURN, turning
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, StreamKind

UNKNOWN = float("nan")
FACT = "interface"
PLACE = 3
WORDS = {"tool_speed": "speed", "turn_speed": "turning", "joint_speed": "speed"}


@check(
    "adherence.speed_limit",
    unit="× limit",
    needs=("joints",),
    advice="Move more slowly with this interface; the limit stands in its instructions.",
)
def speed_limit(case: Case) -> Iterator[Measurement]:
    """How fast did tool and joints go, against the limits of the control interface?

    The interface is the fact `interface` of the episode; its limits stand in the protocol. Where it asks for a least
    speed too, so does the typical one: above 1 it was slower.
    """
    if reason := _unasked(case):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    for name, one in _limited(case):
        limit = case.protocol.interface_limit(_interface(case), name)
        if limit is None:
            continue
        if one is None or not paced(one.stream):
            yield Measurement(name, UNKNOWN, cannot_tell=NO_TOOL if one is None else NO_RATE)
            continue
        times, fast = _pace(case, one, name)
        row = int(np.argmax(fast))
        if limit.maximum:
            place = f"({fast[row]:.3g} {limit.unit} {at(case, times[row])})"
            yield Measurement(
                f"{one.name} {WORDS[name]}", float(fast[row]) / limit.maximum, place, at_s=at_s(case, times[row])
            )
        moved = movement(case)
        if limit.minimum and moved is not None:
            usual = float(np.median(fast[(times >= moved.onset_ns) & (times <= moved.offset_ns)]))
            place = f"({usual:.3g} {limit.unit} typically: too slow above 1)"
            yield Measurement(f"{one.name} slowness", limit.minimum / usual if usual > 0 else UNKNOWN, place)


def _limited(case: Case) -> Iterator[tuple[str, Signal | None]]:
    yield "tool_speed", tool(case)
    yield "turn_speed", tool(case)
    yield "joint_speed", next(signals(case, StreamKind.JOINT_POSITION, unit="rad"), None)


def _pace(case: Case, one: Signal, name: str) -> tuple[NDArray[np.int64], Floats]:
    if name == "joint_speed":
        made = speeds(case, one)
        fastest: Floats = np.abs(made.velocity).max(axis=1)
        return made.times_ns, fastest
    if name == "tool_speed":
        made = speeds(case, one, PLACE)
        return made.times_ns, made.norm
    made = speeds(case, one)
    # of a unit quaternion that turns, the four numbers change half as fast as the angle
    turning: Floats = 2 * np.sqrt((made.velocity[:, PLACE:] ** 2).sum(axis=1))
    return made.times_ns, turning


@check(
    "adherence.grasp_pause",
    unit="× asked",
    needs=("gripper",),
    advice="Hold still while the gripper closes.",
)
def grasp_pause(case: Case) -> Iterator[Measurement]:
    """For how long did the tool stand still around contact, against what the control interface asks for?"""
    asked = case.protocol.interface_limit(_interface(case), "grasp_pause")
    if reason := _unasked(case) or not_held(case):
        yield Measurement("", UNKNOWN, cannot_tell=reason)
        return
    if asked is None or not asked.minimum:
        yield Measurement("", UNKNOWN, cannot_tell=f"no pause is asked for by {_interface(case)}.")
        return
    held, pose = hold(case), tool(case)
    if held is None or pose is None or not paced(pose.stream):
        yield Measurement("", UNKNOWN, cannot_tell=NEVER if held is None else NO_TOOL if pose is None else NO_RATE)
        return
    paused = _still_around(case, pose, held.contact_ns)
    place = f"({paused:.2f} s {at(case, held.contact_ns)})"
    yield Measurement(pose.name, paused / asked.minimum, place, at_s=at_s(case, held.contact_ns))


def _still_around(case: Case, pose: Signal, moment_ns: int) -> float:
    """Return how long the tool stayed within a small ball around where it was at this moment."""
    away: Floats = np.sqrt(((pose.values[:, :PLACE] - pose.at(moment_ns)[:PLACE]) ** 2).sum(axis=1))
    gone = pose.times_ns[~(away <= case.parameter("adherence.grasp_pause", "ball_m"))]
    before, behind = gone[gone <= moment_ns], gone[gone > moment_ns]
    begin = before[-1] if len(before) else pose.times_ns[0]
    end = behind[0] if len(behind) else pose.times_ns[-1]
    return float(end - begin) / NS_PER_S


def _interface(case: Case) -> str:
    return (case.episode.fact(FACT) or "").lower()


def _unasked(case: Case) -> str:
    if not case.collected_by_protocol:
        return HELD_TO_NOTHING
    if not _interface(case):
        return f"the log does not say by which control interface it was made (fact {FACT!r})."
    if _interface(case) not in case.protocol.interfaces:
        return f"the protocol has no instructions for the interface {_interface(case)!r}."
    return ""

"""Questions about what the protocol asks of whoever moves the robot by SpaceMouse, VR or hand."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.adherence import HELD_TO_NOTHING, not_held
from fieldloop.check.episode.arms import arms
from fieldloop.check.episode.contact import NEVER, holds
from fieldloop.check.episode.movement import movement
from fieldloop.check.episode.signal import NO_RATE, Floats, Signal, at, at_s, paced, signals
from fieldloop.check.episode.speeds import speeds
from fieldloop.check.episode.tool import NO_TOOL, tool
from fieldloop.check.episode.turning import NO_TURN, turning
from fieldloop.check.registry import check
from fieldloop.model.finding import Measurement
from fieldloop.model.stream import NS_PER_S, StreamKind
from fieldloop.protocol import Limit

UNKNOWN = float("nan")
FACT = "interface"
PLACE = 3
NO_JOINTS = "no stream tells joints in radians."
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
    for arm, name, one in _limited(case):
        limit = case.protocol.interface_limit(_interface(case), name)
        if limit is None:
            continue
        pace = _pace(case, one, name)
        if isinstance(pace, str):
            yield Measurement(f"{arm} {name}".strip(), UNKNOWN, cannot_tell=pace)
            continue
        yield from _against(case, limit, pace)


def _limited(case: Case) -> Iterator[tuple[str, str, Signal | None]]:
    """Yield each arm with what of it may be limited."""
    for arm in arms(case):
        yield arm, "tool_speed", tool(case, arm)
        yield arm, "turn_speed", tool(case, arm)
    joints = tuple(signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    for one in joints or (None,):
        yield "", "joint_speed", one


class Pace(NamedTuple):
    """How fast something went when, and what to call it."""

    subject: str
    moved: str
    times_ns: NDArray[np.int64]
    fast: Floats


def _pace(case: Case, one: Signal | None, name: str) -> Pace | str:
    """Return how fast it went, or why nobody knows."""
    if one is None:
        return NO_JOINTS if name == "joint_speed" else NO_TOOL
    if not paced(one.stream):
        return NO_RATE
    if name == "turn_speed":
        turned = turning(case, one)
        return NO_TURN if turned is None else Pace(one.name, WORDS[name], *turned)
    made = speeds(case, one, PLACE if name == "tool_speed" else None)
    fast: Floats = made.norm if name == "tool_speed" else np.abs(made.velocity).max(axis=1)
    return Pace(one.name, WORDS[name], made.times_ns, fast)


def _against(case: Case, limit: Limit, pace: Pace) -> Iterator[Measurement]:
    times, fast = pace.times_ns, pace.fast
    row = int(np.argmax(fast))
    if limit.maximum:
        place = f"({fast[row]:.3g} {limit.unit} {at(case, times[row])})"
        share = float(fast[row]) / limit.maximum
        yield Measurement(f"{pace.subject} {pace.moved}", share, place, at_s=at_s(case, times[row]))
    moved = movement(case)
    if limit.minimum and moved is not None:
        usual = float(np.median(fast[(times >= moved.onset_ns) & (times <= moved.offset_ns)]))
        place = f"({usual:.3g} {limit.unit} typically: too slow above 1)"
        yield Measurement(f"{pace.subject} slowness", limit.minimum / usual if usual > 0 else UNKNOWN, place)


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
    if not holds(case):
        yield Measurement("", UNKNOWN, cannot_tell=NEVER)
    for held in holds(case):
        pose = tool(case, held.arm)
        if pose is None or not paced(pose.stream):
            yield Measurement(held.arm, UNKNOWN, cannot_tell=NO_TOOL if pose is None else NO_RATE)
            continue
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

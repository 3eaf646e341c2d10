"""The arm that a stream belongs to, by the stream's name; with one arm, all streams belong to it."""

import re
from collections.abc import Iterable

from fieldloop.check.case import Case
from fieldloop.check.signals.signal import Signal, signals
from fieldloop.model.stream import StreamKind

TOOL_WORDS = ("tool", "tcp", "eef", "end_effector", "ee_pose", "gripper")
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORDS = re.compile(r"[a-z0-9]+")
ARM = re.compile(r"left|right|(?:robot|arm)\d+")
FINGER = ("finger", "fingers")
"""In a finger's name, left and right do not mean an arm."""


def arm_of(name: str) -> str:
    """Return the word of a stream's name that names the arm; '' where there is none.

    >>> arm_of("left_arm/gripper"), arm_of("robot1_eef"), arm_of("leftTool"), arm_of("bright"), arm_of("left_finger")
    ('left', 'robot1', 'left', '', '')
    """
    words = WORDS.findall(CAPITAL.sub(" ", name).lower())
    if any(word in FINGER for word in words):
        return ""
    return next((word for word in words if ARM.fullmatch(word)), "")


def arms(case: Case) -> tuple[str, ...]:
    """Return the arms named by grippers and tools; one arm called '' where fewer than two are named."""
    return case.keep("arms", lambda: _find_arms(case))


def signals_of_arm(found: Iterable[Signal], arm: str) -> list[Signal]:
    """Return the signals of an arm; '' stands for the only arm and returns all."""
    return [one for one in found if not arm or arm_of(one.name) == arm]


def joints_of(case: Case, arm: str) -> Signal | None:
    """Return an arm's joints in radians, or else joints that name no arm."""
    joints = list(signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    return next(iter(signals_of_arm(joints, arm) or [one for one in joints if not arm_of(one.name)]), None)


def is_tool(name: str) -> bool:
    """Does the stream's name mean a tool?"""
    return any(word in name.lower() for word in TOOL_WORDS)


def _find_arms(case: Case) -> tuple[str, ...]:
    held = (*signals(case, StreamKind.GRIPPER), *(one for one in signals(case, StreamKind.POSE) if is_tool(one.name)))
    named = tuple(dict.fromkeys(arm for one in held if (arm := arm_of(one.name))))
    return named if len(named) > 1 else ("",)

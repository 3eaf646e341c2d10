"""Which arm does a stream belong to? Told by its name; where there is one arm nothing needs to tell."""

import re
from collections.abc import Iterable

from fieldloop.check.case import Case
from fieldloop.check.episode.signal import Signal, signals
from fieldloop.model.stream import StreamKind

TOOL_WORDS = ("tool", "tcp", "eef", "end_effector", "ee_pose", "gripper")
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORDS = re.compile(r"[a-z0-9]+")
ARM = re.compile(r"left|right|(?:robot|arm)\d+")
FINGER = ("finger", "fingers")
"""A gripper has a left and a right finger too."""


def arm_of(name: str) -> str:
    """Return the word of a stream's name that says which arm it is; '' where none does.

    >>> arm_of("left_arm/gripper"), arm_of("robot1_eef"), arm_of("leftTool"), arm_of("bright"), arm_of("left_finger")
    ('left', 'robot1', 'left', '', '')
    """
    words = WORDS.findall(CAPITAL.sub(" ", name).lower())
    if any(word in FINGER for word in words):
        return ""
    return next((word for word in words if ARM.fullmatch(word)), "")


def arms(case: Case) -> tuple[str, ...]:
    """Return the arms that grippers and tools are named after; one without a name where fewer than two are."""
    return case.keep("arms", lambda: _find(case))


def of_arm(found: Iterable[Signal], arm: str) -> list[Signal]:
    """Return those that belong to an arm; all of them to the one without a name."""
    return [one for one in found if not arm or arm_of(one.name) == arm]


def joints_of(case: Case, arm: str) -> Signal | None:
    """Return the joints in radians of an arm, or those that are no one arm's."""
    joints = list(signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    return next(iter(of_arm(joints, arm) or [one for one in joints if not arm_of(one.name)]), None)


def is_tool(name: str) -> bool:
    """Is a stream called a tool's?"""
    return any(word in name.lower() for word in TOOL_WORDS)


def _find(case: Case) -> tuple[str, ...]:
    held = (*signals(case, StreamKind.GRIPPER), *(one for one in signals(case, StreamKind.POSE) if is_tool(one.name)))
    named = tuple(dict.fromkeys(arm for one in held if (arm := arm_of(one.name))))
    return named if len(named) > 1 else ("",)

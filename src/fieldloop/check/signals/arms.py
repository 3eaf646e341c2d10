"""The arm that a stream belongs to, by the stream's name; with one arm, all streams belong to it."""

import re
from collections.abc import Iterable

from fieldloop.check.case import Case
from fieldloop.check.signals.signal import Signal, find_signals
from fieldloop.model.stream import StreamKind

TOOL_WORDS = ("tool", "tcp", "eef", "end_effector", "ee_pose", "gripper")
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
WORDS = re.compile(r"[a-z0-9]+")
ARM = re.compile(r"left|right|(?:robot|arm)\d+")
FINGER = ("finger", "fingers")
"""In a finger's name, left and right do not mean an arm."""


def find_arm_name(stream_name: str) -> str:
    """Return the word of a stream's name that names the arm; '' where there is none.

    >>> (find_arm_name("left_arm/gripper"), find_arm_name("robot1_eef"),
    ...  find_arm_name("leftTool"), find_arm_name("bright"), find_arm_name("left_finger"))
    ('left', 'robot1', 'left', '', '')
    """
    words = WORDS.findall(CAPITAL.sub(" ", stream_name).lower())
    if any(word in FINGER for word in words):
        return ""
    return next((word for word in words if ARM.fullmatch(word)), "")


def list_arms(case: Case) -> tuple[str, ...]:
    """Return the arms named by grippers and tools; one arm called '' where fewer than two are named."""
    return case.compute_once("arms", lambda: _find_arms(case))


def select_signals_of_arm(candidate_signals: Iterable[Signal], arm: str) -> list[Signal]:
    """Return the signals of an arm; '' stands for the only arm and returns all."""
    return [one for one in candidate_signals if not arm or find_arm_name(one.name) == arm]


def find_joints_of_arm(case: Case, arm: str) -> Signal | None:
    """Return an arm's joints in radians, or else joints that name no arm."""
    joints = list(find_signals(case, StreamKind.JOINT_POSITION, unit="rad"))
    return next(
        iter(select_signals_of_arm(joints, arm) or [one for one in joints if not find_arm_name(one.name)]), None
    )


def is_tool_name(stream_name: str) -> bool:
    """Does the stream's name mean a tool?"""
    return any(word in stream_name.lower() for word in TOOL_WORDS)


def _find_arms(case: Case) -> tuple[str, ...]:
    held = (
        *find_signals(case, StreamKind.GRIPPER),
        *(one for one in find_signals(case, StreamKind.POSE) if is_tool_name(one.name)),
    )
    named = tuple(dict.fromkeys(arm for one in held if (arm := find_arm_name(one.name))))
    return named if len(named) > 1 else ("",)

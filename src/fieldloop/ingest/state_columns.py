"""Tell from a state's column names whether they are joints."""

import re
from collections.abc import Sequence
from enum import StrEnum

JOINT = re.compile(
    r"joint|motor|servo|shoulder|elbow|wrist|waist|hip|knee|ankle|finger|thumb|palm|gripper|torso|neck|head|arm|hand|^j_?\d|^q_?\d"
)
OTHER = re.compile(
    r"vel|speed|torque|effort|current|force|accel|goal|target|object|obs|quat|reward|cart"
    r"|^v[xyz]$|^[xyz]$|_[xyz]$|^(roll|pitch|yaw|r[xyz]|q[xyzw]|w[xyz])$|^(theta|phi)$"
)


class StateColumns(StrEnum):
    """What the names of a state's columns say."""

    JOINTS = "joints"
    MIXED = "mixed"
    UNNAMED = "unnamed"
    NO_JOINT = "no joint"


def classify_state_columns(names: Sequence[str]) -> StateColumns:
    """Return whether the columns are joint positions, by their names.

    >>> classify_state_columns(["shoulder_pan.pos", "kLeftElbow"]), classify_state_columns(["goal_rel_x", "vx"])
    (<StateColumns.JOINTS: 'joints'>, <StateColumns.NO_JOINT: 'no joint'>)
    >>> classify_state_columns(["x", "y", "joint_1"]), classify_state_columns([]), classify_state_columns(["a", "b"])
    (<StateColumns.MIXED: 'mixed'>, <StateColumns.UNNAMED: 'unnamed'>, <StateColumns.UNNAMED: 'unnamed'>)
    """
    plain = [name.lower() for name in names]
    other = [bool(OTHER.search(name)) for name in plain]
    joint = [bool(JOINT.search(name)) and not no for name, no in zip(plain, other, strict=True)]
    if plain and all(joint):
        return StateColumns.JOINTS
    if any(joint):
        return StateColumns.MIXED
    return StateColumns.NO_JOINT if any(other) else StateColumns.UNNAMED

"""Infer the kind of a stream from the words of its name."""

import re

from fieldloop.model.stream import StreamKind

COMMAND_WORDS = {"action", "actions", "command", "commands", "cmd", "target", "setpoint", "leader", "desired", "goal"}
WORDS: tuple[tuple[StreamKind, set[str]], ...] = (
    (StreamKind.ACTION, COMMAND_WORDS),
    (StreamKind.DEPTH, {"depth"}),
    (StreamKind.RGB, {"rgb", "camera", "cam", "image", "images", "color", "colour"}),
    (StreamKind.FORCE_TORQUE, {"force", "wrench", "ft", "torque"}),
    (StreamKind.IMU, {"imu", "gyro", "accel", "accelerometer"}),
    (StreamKind.GRIPPER, {"gripper", "fingers", "finger"}),
    (StreamKind.HAND_POSE, {"hand", "hands"}),
    (StreamKind.JOINT_VELOCITY, {"velocity", "velocities", "qvel"}),
    (StreamKind.JOINT_EFFORT, {"effort", "efforts", "current", "currents"}),
    (StreamKind.JOINT_POSITION, {"joint", "joints", "qpos"}),
    (StreamKind.POSE, {"pose", "tool", "tcp", "eef", "ee"}),
)


def split_into_words(name: str) -> set[str]:
    """Split a topic or feature name into its words.

    >>> sorted(split_into_words("/left_arm/jointStates"))
    ['arm', 'joint', 'left', 'states']
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def infer_kind_from_name(name: str) -> StreamKind:
    """Infer a stream's kind from its name; OTHER where no word matches.

    >>> (infer_kind_from_name("gripper_command"),
    ...  infer_kind_from_name("observation.force"), infer_kind_from_name("next.reward"))
    (<StreamKind.ACTION: 'action'>, <StreamKind.FORCE_TORQUE: 'force_torque'>, <StreamKind.OTHER: 'other'>)
    """
    name_words = split_into_words(name)
    return next((kind for kind, words in WORDS if words & name_words), StreamKind.OTHER)

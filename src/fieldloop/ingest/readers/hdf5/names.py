"""Infer the kind of an array from its name, as robot-learning files use it."""

from fieldloop.ingest.words import infer_kind_from_name, split_into_words
from fieldloop.model.stream import StreamKind

COMMANDS = {"action", "actions", "command", "commands", "cmd"}
NOT_A_QUANTITY = {"cos", "sin", "lin", "ang"}


def infer_array_kind(name: str) -> StreamKind:
    """Infer an array's kind; a goal shown to the robot is not a command.

    >>> [infer_array_kind(n).value for n in ("robot0_joint_vel", "robot0_joint_pos_cos", "target_pos", "base_action")]
    ['joint_velocity', 'other', 'other', 'action']
    """
    words = split_into_words(name)
    if words & NOT_A_QUANTITY:
        return StreamKind.OTHER
    kind = infer_kind_from_name(name)
    if kind is StreamKind.ACTION and not words & COMMANDS:
        return StreamKind.OTHER
    if kind is StreamKind.JOINT_POSITION and words & {"vel", "velocity", "velocities"}:
        return StreamKind.JOINT_VELOCITY
    if kind is StreamKind.JOINT_POSITION and words & {"torque", "torques", "effort", "efforts"}:
        return StreamKind.JOINT_EFFORT
    return kind

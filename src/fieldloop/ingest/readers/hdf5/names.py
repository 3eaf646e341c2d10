"""Infer the kind of an array from its name, as robot-learning files use it."""

from fieldloop.ingest.words import kind_of, words_of
from fieldloop.model.stream import StreamKind

COMMANDS = {"action", "actions", "command", "commands", "cmd"}
NOT_A_QUANTITY = {"cos", "sin", "lin", "ang"}


def kind_of_array(name: str) -> StreamKind:
    """Infer an array's kind; a goal shown to the robot is not a command.

    >>> [kind_of_array(n).value for n in ("robot0_joint_vel", "robot0_joint_pos_cos", "target_pos", "base_action")]
    ['joint_velocity', 'other', 'other', 'action']
    """
    words = words_of(name)
    if words & NOT_A_QUANTITY:
        return StreamKind.OTHER
    kind = kind_of(name)
    if kind is StreamKind.ACTION and not words & COMMANDS:
        return StreamKind.OTHER
    if kind is StreamKind.JOINT_POSITION and words & {"vel", "velocity", "velocities"}:
        return StreamKind.JOINT_VELOCITY
    if kind is StreamKind.JOINT_POSITION and words & {"torque", "torques", "effort", "efforts"}:
        return StreamKind.JOINT_EFFORT
    return kind

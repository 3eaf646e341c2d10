"""What an array carries, told from its name as robot-learning files use it."""

import re

from fieldloop.ingest.words import kind_of, words_of
from fieldloop.model.stream import StreamKind

COMMANDS = {"action", "actions", "command", "commands", "cmd"}
NOT_A_QUANTITY = {"cos", "sin", "lin", "ang"}
UNITS = {
    StreamKind.JOINT_POSITION: "rad",
    StreamKind.JOINT_VELOCITY: "rad/s",
    StreamKind.POSE: "m",
    StreamKind.RGB: "8-bit",
    StreamKind.DEPTH: "m",
}
ENDING_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "sec": 1_000_000_000}
STAMP_WORDS = {"timestamp", "timestamps", "stamp", "stamps", "time", "times", "ts"}


def kind_of_array(name: str) -> StreamKind:
    """Tell an array's kind; a goal that the robot was shown is no command that it was given.

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


def is_stamp(name: str) -> bool:
    """Does a name say that the array holds moments?

    >>> is_stamp("timestamps"), is_stamp("camera_time_ns"), is_stamp("timeouts")
    (True, True, False)
    """
    return bool(words_of(name) & STAMP_WORDS)


def unit_in_name(name: str) -> int | None:
    """Return the nanoseconds of the unit that a name ends in, None where it does not say.

    >>> unit_in_name("stamp_ms"), unit_in_name("timestamp")
    (1000000, None)
    """
    ending = re.split(r"[^a-z]+", name.lower())[-1]
    return ENDING_UNITS.get(ending) if ending != name.lower() else None

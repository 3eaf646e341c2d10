"""Pairs of joint streams and their commands, by the names of columns and streams."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import arm_of
from fieldloop.check.signals.signal import Signal, signals
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

NOT_COMMANDED = note("check.no_commands_to_joints")


def commands_and_joints(case: Case) -> tuple[tuple[Signal | None, Signal], ...]:
    """Return every stream of joints with its commands; None where only other joints are commanded."""
    return case.keep("commanded", lambda: tuple(_pair_commands_and_joints(case)))


def _pair_commands_and_joints(case: Case) -> Iterator[tuple[Signal | None, Signal]]:
    actions, joints = list(signals(case, StreamKind.ACTION)), list(signals(case, StreamKind.JOINT_POSITION))
    commands = [_find_commands_of(actions, one) for one in joints]
    if not any(commands) and actions and joints:  # no names to pair by: compare the first of each if possible
        commands[0] = actions[0]
    if any(commands):
        yield from zip(commands, joints, strict=True)


def _find_commands_of(actions: list[Signal], joints: Signal) -> Signal | None:
    """Return the commands that name these joints, preferably in their unit; else those of the same arm."""
    arm, named = arm_of(joints.name), set(joints.columns)
    near = [one for one in actions if not arm or arm_of(one.name) in ("", arm)]
    naming = [one for one in near if named & set(one.columns)]
    if not naming:
        naming = [one for one in near if arm and arm_of(one.name) == arm]
    return next(iter(sorted(naming, key=lambda one: one.stream.unit != joints.stream.unit)), None)

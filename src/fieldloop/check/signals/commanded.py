"""Pairs of joint streams and their commands, by the names of columns and streams."""

from collections.abc import Iterator

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import find_arm_name
from fieldloop.check.signals.signal import Signal, find_signals
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

NOT_COMMANDED = note("check.no_commands_to_joints")


def pair_commands_and_joints(case: Case) -> tuple[tuple[Signal | None, Signal], ...]:
    """Return every stream of joints with its commands; None where only other joints are commanded."""
    return case.compute_once("commanded", lambda: tuple(_find_command_joint_pairs(case)))


def _find_command_joint_pairs(case: Case) -> Iterator[tuple[Signal | None, Signal]]:
    actions, joints = list(find_signals(case, StreamKind.ACTION)), list(find_signals(case, StreamKind.JOINT_POSITION))
    commands = [_find_commands_of(actions, one) for one in joints]
    if not any(commands) and actions and joints:  # no names to pair by: compare the first of each if possible
        commands[0] = actions[0]
    if any(commands):
        yield from zip(commands, joints, strict=True)


def _find_commands_of(actions: list[Signal], joints: Signal) -> Signal | None:
    """Return the commands that name these joints, preferably in their unit; else those of the same arm."""
    arm, named = find_arm_name(joints.name), set(joints.columns)
    near = [one for one in actions if not arm or find_arm_name(one.name) in ("", arm)]
    naming = [one for one in near if named & set(one.columns)]
    if not naming:
        naming = [one for one in near if arm and find_arm_name(one.name) == arm]
    return next(iter(sorted(naming, key=lambda one: one.stream.unit != joints.stream.unit)), None)

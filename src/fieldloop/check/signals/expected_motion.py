"""When a sensor should have changed, by the motion of the streams that it depends on."""

from dataclasses import replace

from fieldloop.check.case import Case
from fieldloop.check.signals.arms import is_tool_name
from fieldloop.check.signals.movement import Movement, find_movement
from fieldloop.model.episode import Recording
from fieldloop.model.stream import Stream, StreamKind

TABLE = 2
"""Dimensions of numbers in rows and columns."""

MOVES_WITH_JOINTS = (StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.POSE, StreamKind.HAND_POSE)


def find_expected_motion(case: Case, stream: Stream) -> Movement | None:
    """Return when a stream should have changed; None where that is unknown.

    An arm's joints should change while their own commands do; its tool, velocities and efforts while its joints do. A
    closing gripper, another arm or an object's pose shows nothing about them. A pose that is not named as a tool's may
    belong to an object at rest. Noisy sensors should change whatever moves.
    """
    if stream.kind is StreamKind.POSE and not is_tool_name(stream.name):
        return None
    if stream.kind is StreamKind.JOINT_POSITION:
        return _find_movement_of_streams(case, _find_commands_of_joints(case, stream))
    if stream.kind in MOVES_WITH_JOINTS:
        return _find_movement_of_streams(case, _find_joints_of_stream(case, stream))
    return find_movement(case, excluded_stream=stream.name)


def _find_commands_of_joints(case: Case, joints: Stream) -> tuple[Stream, ...]:
    """Return the commands of these joints: columns of the same names, or as many columns where none is named."""
    commands = []
    for action in case.find_streams(StreamKind.ACTION):
        if action.values is None or action.values.ndim != TABLE or action.unit != joints.unit:
            continue
        columns = [i for i, name in enumerate(action.columns[: action.values.shape[1]]) if name in joints.columns]
        if columns:
            commands.append(replace(action, values=action.values[:, columns], columns=()))
        elif joints.values is not None and action.values.shape[1:] == joints.values.shape[1:]:
            commands.append(action)
    return tuple(commands)


def _find_joints_of_stream(case: Case, stream: Stream) -> tuple[Stream, ...]:
    """Return the joints that a stream belongs to: those of its message or its columns, or the only ones."""
    joints = tuple(case.find_streams(StreamKind.JOINT_POSITION))
    belonging = tuple(j for j in joints if j.name == stream.name.rpartition("/")[0] or _have_same_columns(j, stream))
    return belonging or (joints if len(joints) == 1 else ())


def _have_same_columns(first: Stream, second: Stream) -> bool:
    return bool(first.columns) and first.columns == second.columns


def _find_movement_of_streams(case: Case, streams: tuple[Stream, ...]) -> Movement | None:
    names = tuple(stream.name for stream in streams)
    alone = Recording(case.episode, {stream.name: stream for stream in streams})
    return case.compute_once(("expected motion", names), lambda: find_movement(Case(alone, case.protocol)))

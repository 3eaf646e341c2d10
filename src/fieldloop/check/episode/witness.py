"""Who can say that a sensor should have changed? Not everything that moves has to do with it."""

from dataclasses import replace

from fieldloop.check.case import Case
from fieldloop.check.episode.arms import is_tool
from fieldloop.check.episode.movement import Movement, movement
from fieldloop.model.episode import Recording
from fieldloop.model.stream import Stream, StreamKind

TABLE = 2
"""Dimensions of numbers in rows and columns."""

TOLD_BY_JOINTS = (StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.POSE, StreamKind.HAND_POSE)


def witnessed(case: Case, stream: Stream) -> Movement | None:
    """Return when a stream should have changed; None where nothing can say.

    An arm's joints should while their own commands do, and its tool, its speeds and efforts while its joints do. A
    gripper that closes, another arm, or another thing's pose says nothing of them, and a pose that is not called the
    tool's may be that of a thing which lies still. What trembles anyway should change whatever moves.
    """
    if stream.kind is StreamKind.POSE and not is_tool(stream.name):
        return None
    if stream.kind is StreamKind.JOINT_POSITION:
        return _told_by(case, _commands(case, stream))
    if stream.kind in TOLD_BY_JOINTS:
        return _told_by(case, _joints(case, stream))
    return movement(case, without=stream.name)


def _commands(case: Case, joints: Stream) -> tuple[Stream, ...]:
    """Return the commands to these very joints: columns of the same names, or as many columns where none has a name."""
    found = []
    for action in case.streams(StreamKind.ACTION):
        if action.values is None or action.values.ndim != TABLE or action.unit != joints.unit:
            continue
        columns = [i for i, name in enumerate(action.columns[: action.values.shape[1]]) if name in joints.columns]
        if columns:
            found.append(replace(action, values=action.values[:, columns], columns=()))
        elif joints.values is not None and action.values.shape[1:] == joints.values.shape[1:]:
            found.append(action)
    return tuple(found)


def _joints(case: Case, stream: Stream) -> tuple[Stream, ...]:
    """Return the joints that a stream belongs to: those it comes with, or the only ones there are."""
    joints = tuple(case.streams(StreamKind.JOINT_POSITION))
    own = tuple(j for j in joints if j.name == stream.name.rpartition("/")[0] or _same_columns(j, stream))
    return own or (joints if len(joints) == 1 else ())


def _same_columns(one: Stream, other: Stream) -> bool:
    return bool(one.columns) and one.columns == other.columns


def _told_by(case: Case, streams: tuple[Stream, ...]) -> Movement | None:
    names = tuple(stream.name for stream in streams)
    alone = Recording(case.episode, {stream.name: stream for stream in streams})
    return case.keep(("witness", names), lambda: movement(Case(alone, case.protocol)))

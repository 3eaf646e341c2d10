"""Which streams of a recording are devices of their own, with a clock that a protocol has to declare.

A commanded action is decided, not sensed. What is computed, or comes in one message with the joints, has the clock of
another stream. So has a part of a declared stream (`joints/velocity` of `joints`).
"""

from collections.abc import Collection, Iterable, Sequence

from fieldloop.ingest.words import split_into_words
from fieldloop.loop.data.streams import StreamShown
from fieldloop.model.provenance import ASSUMPTION_NOTES, StreamFact
from fieldloop.model.stream import StreamKind
from fieldloop.model.stream_notes import ABOUT_PROGRAMS, NOT_UNDERSTOOD

CAMERAS = (StreamKind.RGB, StreamKind.DEPTH)
SENSED = (StreamKind.JOINT_POSITION, StreamKind.FORCE_TORQUE, StreamKind.IMU, StreamKind.HAND_POSE)
"""Kinds that a sensor of its own takes."""
WITH_JOINTS = (StreamKind.JOINT_VELOCITY, StreamKind.JOINT_EFFORT, StreamKind.POSE)
"""An arm reports these with its joints, or they are computed from them; without joints they are sensed."""
SEPARATORS = ("/", ".")


def list_devices(streams: Iterable[StreamShown], sensor_words: Collection[str]) -> list[StreamShown]:
    """Return the streams of an episode that are devices of their own.

    `sensor_words` are words in the name of a sensor that has no kind of its own, such as tactile.
    """
    sampled = [one for one in streams if one.samples and ABOUT_PROGRAMS not in dict(one.notes)]
    joints = [one for one in sampled if one.kind is StreamKind.JOINT_POSITION]
    names = {one.name for one in sampled}
    return [
        one
        for one in sampled
        if _is_device(one, joints, sensor_words)
        and (one.kind in CAMERAS or not is_name_covered(one.name, names - {one.name}))
    ]


def find_undeclared_devices(
    streams: Sequence[StreamShown], declared: Collection[str], sensor_words: Collection[str]
) -> set[str]:
    """Return the names of the devices of an episode that no declaration covers."""
    serials = {one.serial for one in streams if one.serial and one.name in declared}
    return {
        one.name
        for one in list_devices(streams, sensor_words)
        if not is_declared(one.name, declared, camera=one.kind in CAMERAS)
        and (one.kind in CAMERAS or one.serial not in serials)
    }


def is_declared(name: str, declared: Collection[str], *, camera: bool) -> bool:
    """Is a stream declared? A camera has a clock of its own, so the name of a sensor beside it does not cover it.

    >>> [is_declared("wrist/camera", ["wrist"], camera=camera) for camera in (True, False)]
    [False, True]
    """
    return name in declared if camera else is_name_covered(name, declared)


def is_name_covered(name: str, declared: Iterable[str]) -> bool:
    """Is a stream declared, or a part of a declared one?

    >>> [is_name_covered(name, ["joints"]) for name in ("joints", "joints/velocity", "joints_2", "camera")]
    [True, True, False, False]
    """
    return any(name == one or name.startswith(tuple(one + mark for mark in SEPARATORS)) for one in declared)


def _is_device(stream: StreamShown, joints: Sequence[StreamShown], sensor_words: Collection[str]) -> bool:
    if stream.kind in CAMERAS:
        return True
    if stream.kind is StreamKind.OTHER:
        return bool(split_into_words(stream.name) & set(sensor_words))
    if NOT_UNDERSTOOD in dict(stream.notes):
        return False  # only its name suggests what it is, or no number was ever set
    if stream.kind is StreamKind.POSE and ASSUMPTION_NOTES[StreamFact.CLOCK] in dict(stream.notes):
        return False  # a transform states from when on it is valid, not when it was sensed
    if stream.kind is StreamKind.GRIPPER:
        return not any(_does_come_with(stream, one) for one in joints)
    return stream.kind in SENSED or (stream.kind in WITH_JOINTS and not joints)


def _does_come_with(stream: StreamShown, other: StreamShown) -> bool:
    """Do two streams come in the same messages, or on the same rows of a table?"""
    return (stream.samples, stream.hz, stream.clocks) == (other.samples, other.hz, other.clocks)

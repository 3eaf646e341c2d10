"""Cameras whose pictures last longer or shorter than the joints that were written with them."""

from collections.abc import Mapping

from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind


def find_drifting_cameras(recording: Recording, numbers: Mapping[str, float]) -> list[Note]:
    """Report cameras with one picture a sample of the joints, whose clock runs faster or slower than the joints'.

    A boundary found in the joints then lies elsewhere in the pictures, by more the later it is.
    """
    joints = next((s for s in recording.streams.values() if s.kind is StreamKind.JOINT_POSITION), None)
    if joints is None:
        return []
    cameras = [s for s in recording.streams.values() if s.pictures is not None and len(s) == len(joints) > 1]
    lasted = _measure_span_s(joints)
    return [
        note(
            "propose.pictures_drift",
            camera=camera.name, pictures_s=_measure_span_s(camera), joints=joints.name, joints_s=lasted,
        )
        for camera in cameras
        if abs(_measure_span_s(camera) - lasted) > numbers["near_s"]
    ]  # fmt: skip


def _measure_span_s(stream: Stream) -> float:
    return (int(stream.times_ns[-1]) - int(stream.times_ns[0])) / NS_PER_S

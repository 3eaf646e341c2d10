"""Recordings written as MCAP logs, the way a station writes them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.model.episode import Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop_robot.messages import CompressedImage, Imu, JointState, PoseStamped, WrenchStamped
from fieldloop_robot.recorder import Recorder

FACTS = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
PARTS = ("velocity", "effort")
MM_PER_M = 1000.0


def write_mcap(recording: Recording, path: Path) -> Path:
    """Write a recording as one MCAP log; every stream's messages with their three clocks, in order of arrival."""
    episode = recording.episode
    facts = {key: str(getattr(episode, key)) for key in FACTS if getattr(episode, key)}
    facts |= {
        key: str(getattr(episode, key)).lower()
        for key in ("simulated", "succeeded")
        if getattr(episode, key) is not None
    }
    facts |= {"stratum": str(episode.stratum), **dict(episode.facts)}
    messages = [
        (arrival, topic, stream, index)
        for topic, stream in _topics(recording)
        for index, arrival in enumerate(stream.clocks[ClockKind.LOG].tolist())
    ]
    messages.sort(key=lambda message: message[:2])
    with Recorder(path, facts) as recorder:
        pictures = {s.name: s.pictures.frames() for s in recording.streams.values() if s.pictures is not None}
        for arrival, topic, stream, index in messages:
            made = _message(recording, stream, index, pictures)
            header, publish = (int(stream.clocks[kind][index]) for kind in (ClockKind.HEADER, ClockKind.PUBLISH))
            if not recorder.write(topic, made, header, publish, arrival):
                raise AssertionError(recorder.last_drop)
    if recorder.failed:
        raise AssertionError(recorder.failed)
    return path


def _topics(recording: Recording) -> Iterator[tuple[str, Stream]]:
    """Velocity and effort travel in the message of their positions."""
    for name, stream in recording.streams.items():
        base, _, part = name.rpartition("/")
        if not (part in PARTS and base in recording.streams):
            yield f"/{name}", stream


def _message(recording: Recording, stream: Stream, index: int, pictures: dict[str, Iterator[Any]]) -> Any:
    if stream.pictures is not None:
        return _picture(stream, next(pictures[stream.name]))
    assert stream.values is not None
    row = stream.values[index].tolist()
    match stream.kind:
        case StreamKind.FORCE_TORQUE:
            return WrenchStamped(row)
        case StreamKind.IMU:
            return Imu(row)
        case StreamKind.POSE:
            return PoseStamped(row)
        case _:
            more = {part: recording.streams.get(f"{stream.name}/{part}") for part in PARTS}
            rows = {
                part: s.values[index].tolist() for part, s in more.items() if s is not None and s.values is not None
            }
            return JointState(stream.columns, row, **rows)


def _picture(stream: Stream, frame: Any) -> CompressedImage:
    import cv2

    if stream.kind is StreamKind.DEPTH:
        millimetres = np.nan_to_num(frame * MM_PER_M).round().astype(np.uint16)
        return CompressedImage("16UC1; png", cv2.imencode(".png", millimetres)[1].tobytes())
    return CompressedImage("jpeg", cv2.imencode(".jpg", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))[1].tobytes())

"""A Recording becomes a real MCAP log, through the robot's own recorder."""

import heapq
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput, StoreError
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.simulate.compression import depth_png, jpeg
from fieldloop_robot import messages
from fieldloop_robot.messages import Message
from fieldloop_robot.recorder import Recorder

Stamped = tuple[int, int, int, str, Message]
"""Received, published, sensed (ns), topic, message."""


def write_log(recording: Recording, path: Path) -> Path:
    """Write all streams of a recording in the order in which a recorder would have received them."""
    rows = [_messages(name, stream, recording.streams) for name, stream in recording.streams.items()]
    with Recorder(path, episode_metadata(recording.episode)) as recorder:
        for log_ns, publish_ns, header_ns, topic, message in heapq.merge(*rows, key=lambda row: (row[0], row[3])):
            recorder.write(topic, message, header_ns, publish_ns, log_ns)
            if recorder.failed:
                break  # no use in rendering what cannot be kept
    if recorder.failed or recorder.dropped:
        raise StoreError(
            f"{path} was not written completely: {recorder.failed or recorder.last_drop}. Is the disk full?"
        )
    return path


def episode_metadata(episode: Episode) -> dict[str, str]:
    """Return the facts of an episode as text, by the names of Episode's fields; further facts follow."""
    fields = ("name", "task", "robot", "site", "operator", "session", "provider", "protocol", "failure")
    text = {name: str(getattr(episode, name)) for name in fields if getattr(episode, name)}
    text["stratum"] = str(episode.stratum)
    for name in ("simulated", "succeeded"):
        value = getattr(episode, name)
        if value is not None:
            text[name] = "true" if value else "false"
    return text | dict(episode.facts)


def _messages(name: str, stream: Stream, others: Mapping[str, Stream]) -> Iterator[Stamped]:
    part, _, of = name.rpartition("/")
    if part in others and of in ("velocity", "effort"):
        return  # travels inside the JointState of its topic
    header = stream.times_ns.tolist()
    publish = stream.clocks.get(ClockKind.PUBLISH, stream.times_ns).tolist()
    log = stream.clocks.get(ClockKind.LOG, stream.times_ns).tolist()
    for i, message in enumerate(_contents(name, stream, others)):
        yield log[i], publish[i], header[i], f"/{name}", message


def _contents(name: str, stream: Stream, others: Mapping[str, Stream]) -> Iterator[Message]:
    frame = stream.frame_id
    match stream.kind:
        case StreamKind.RGB:
            yield from (messages.CompressedImage("jpeg", jpeg(seen), frame) for seen in _pictures(stream))
        case StreamKind.DEPTH:
            yield from (messages.CompressedImage("16UC1; png", depth_png(seen), frame) for seen in _pictures(stream))
        case StreamKind.FORCE_TORQUE:
            yield from (messages.WrenchStamped(row, frame) for row in _rows(stream))
        case StreamKind.IMU:
            yield from (messages.Imu(row, frame) for row in _rows(stream))
        case StreamKind.POSE:
            yield from (messages.PoseStamped(row, frame) for row in _rows(stream))
        case StreamKind.JOINT_POSITION | StreamKind.GRIPPER | StreamKind.ACTION:
            empty: list[list[float]] = [[]] * len(stream)
            speeds = _rows(others[f"{name}/velocity"]) if f"{name}/velocity" in others else empty
            efforts = _rows(others[f"{name}/effort"]) if f"{name}/effort" in others else empty
            for position, velocity, effort in zip(_rows(stream), speeds, efforts, strict=True):
                yield messages.JointState(stream.columns, position, velocity, effort, frame)
        case other:
            raise BadInput(f"Stream {name!r} is of kind {other}, for which our logs have no message.")


def _rows(stream: Stream) -> list[list[float]]:
    if stream.values is None:
        raise BadInput(f"Stream {stream.name!r} has no values to write.")
    return np.asarray(stream.values, dtype=float).tolist()  # type: ignore[no-any-return]


def _pictures(stream: Stream) -> Iterator[Any]:
    if stream.pictures is None:
        raise BadInput(f"Stream {stream.name!r} has no pictures to write.")
    return stream.pictures.frames()

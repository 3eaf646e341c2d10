"""One recording becomes one MCAP log, through the robot's own recorder."""

import heapq
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from fieldloop.errors import StoreError
from fieldloop.model.episode import Recording
from fieldloop.model.episode_text import convert_to_texts, find_losses_in_texts
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import Stream
from fieldloop.release.writers.mcap import numbers
from fieldloop.release.writers.mcap.about import find_unwritable_texts, make_channel_metadata
from fieldloop.release.writers.mcap.pictures import Compression, Compressor
from fieldloop.release.writers.mcap.slots import Slots, assign_slots
from fieldloop_robot.messages import Message
from fieldloop_robot.recorder import Recorder

ROWS = 1024  # at a time: a stream of any length is never held as Python numbers
Stamped = tuple[int, int, int, int, Message]
"""Received, number of its topic, published, sensed (ns), message."""


class WrittenLog(NamedTuple):
    """How many messages a log holds, and what of the recording it does not."""

    messages: int
    left_out: tuple[Note, ...]


class _Topic(NamedTuple):
    name: str
    stream: Stream
    parts: Mapping[str, Stream]
    slots: Slots
    compressor: Compressor


def write_log(recording: Recording, path: Path, compression: Compression | None = None) -> WrittenLog:
    """Write all streams in the order in which a recorder would have received them; a log of that name is replaced.

    Where the disk fails, StoreError says so and `<path>.part` keeps what was written.
    """
    left_out: list[Note] = []
    topics = _choose_topics(recording, compression or Compression(), left_out)
    channels = {topic.name: make_channel_metadata(topic.stream, topic.slots) for topic in topics}
    names = list(channels)
    with Recorder(path, convert_to_texts(recording.episode), channels) as recorder:
        for log_ns, number, publish_ns, header_ns, message in heapq.merge(
            *(_make_messages(number, topic) for number, topic in enumerate(topics))
        ):
            if not recorder.write(names[number], message, header_ns, publish_ns, log_ns):
                raise _make_incomplete_error(
                    path, recorder.last_drop
                )  # inside, so that half a log does not get its name
    if recorder.failed:
        raise _make_incomplete_error(path, recorder.failed)
    for topic in topics:
        about = Subject(topic.stream.name)
        left_out += (replace(loss, subject=about) for loss in sorted(topic.compressor.losses, key=lambda n: n.code))
    return WrittenLog(recorder.written, (*left_out, *find_losses_in_texts(recording.episode)))


def _make_incomplete_error(path: Path, reason: str) -> StoreError:
    return StoreError(f"{path} was not written completely: {reason}. Is the disk full?")


def _choose_topics(recording: Recording, compression: Compression, left_out: list[Note]) -> list[_Topic]:
    """Decide which streams become a topic each; those that travel in another's message, or in none, become none."""
    unfit = {name: why for name, stream in recording.streams.items() if (why := _explain_unfit(stream))}
    left_out += unfit.values()
    fit = {name: stream for name, stream in recording.streams.items() if name not in unfit}
    inside = _find_carried_parts(fit)
    carried = {part.name for parts in inside.values() for part in parts.values()}
    topics: list[_Topic] = []
    for stream in (stream for name, stream in fit.items() if name not in carried):
        slots, parts = assign_slots(stream), inside[stream.name]
        left_out += find_unwritable_texts(stream)
        for carried_stream in (stream, *parts.values()):
            if carried_stream.values is not None:
                left_out += numbers.report_losses(carried_stream)
            left_out += (
                note("release.clock_without_slot", about=Subject(carried_stream.name), clock=kind.value)
                for kind in slots.left_out
            )
        name = _make_topic_name(stream.name, {topic.name for topic in topics})
        topics.append(_Topic(name, stream, parts, slots, Compressor(compression)))
    return topics


def _find_carried_parts(streams: Mapping[str, Stream]) -> dict[str, dict[str, Stream]]:
    """Return the parts that travel in each stream's message; what travels in another's carries nothing itself."""
    inside: dict[str, dict[str, Stream]] = {}
    carried: set[str] = set()
    for name in sorted(streams, key=len):
        inside[name] = {} if name in carried else numbers.find_carried_parts(streams[name], streams)
        carried |= {part.name for part in inside[name].values()}
    return inside


def _explain_unfit(stream: Stream) -> Note | None:
    about = Subject(stream.name)
    if not len(stream):
        return note("release.no_samples", about=about)
    if not assign_slots(stream).held:
        return note("release.timestamps_too_early", about=about)
    if stream.pictures is None:
        return numbers.explain_unwritable(stream)
    count = len(stream.pictures)
    if count == len(stream):
        return None
    return note("release.pictures_without_timestamps", about=about, timestamps=len(stream), pictures=count)


def _make_messages(topic_number: int, topic: _Topic) -> Iterator[Stamped]:
    stream = topic.stream
    pictures = topic.compressor.make_messages(stream) if stream.pictures is not None else None
    for first in range(0, len(stream), ROWS):
        rows = slice(first, first + ROWS)
        log, publish, header = (stamps.tolist() for stamps in topic.slots.compute_stamps(stream, rows))
        messages = pictures or numbers.make_messages(stream, topic.parts, rows)
        for log_ns, publish_ns, header_ns, message in zip(log, publish, header, messages, strict=False):
            yield log_ns, topic_number, publish_ns, header_ns, message


def _make_topic_name(stream: str, taken_names: set[str]) -> str:
    """Name a topic as ROS 2 allows: letters, digits and underscores between slashes, no part beginning with a digit."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) for part in stream.split("/") if part]
    name = "/" + ("/".join(f"_{part}" if part[0].isdigit() else part for part in parts) or "unnamed")
    return next(n for n in (name, *(f"{name}_{i}" for i in range(2, len(taken_names) + 3))) if n not in taken_names)

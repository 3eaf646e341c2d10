"""List the streams of one episode."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from fieldloop.loop.data.find_episode import find_episode
from fieldloop.loop.work.reopen import reopen_episode
from fieldloop.loop.workspace import Workspace
from fieldloop.model.codec import from_plain, to_plain
from fieldloop.model.episode import Recording
from fieldloop.model.stream import MOST_TRUSTED_FIRST, Stream, StreamKind


@dataclass(frozen=True, slots=True)
class StreamShown:
    """A stream with all its properties, without samples."""

    name: str
    kind: StreamKind
    unit: str
    samples: int
    hz: float | None
    clocks: tuple[str, ...]
    holds: str
    frame: str
    serial: str
    notes: tuple[tuple[str, str], ...]


def list_streams(workspace: Workspace, episode: str) -> tuple[StreamShown, ...]:
    """List an episode's streams: kind, unit, rate and every clock it came with, the most trusted first.

    Arguments:
        episode: the episode's name or id
    """
    known = find_episode(workspace, episode)
    if (kept := read_kept_streams(workspace, known.id)) is not None:
        return kept
    shown = describe_streams(reopen_episode(workspace, known))
    cache_stream_list(workspace, known.id, shown)
    return shown


def read_kept_streams(workspace: Workspace, episode: str) -> tuple[StreamShown, ...] | None:
    """Return the list of an episode's streams that ingest kept, None where it is gone; no log is opened."""
    try:
        rows = json.loads(_get_cache_file(workspace, episode).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return tuple(from_plain(StreamShown, row) for row in rows)


def describe_streams(recording: Recording) -> tuple[StreamShown, ...]:
    """Describe every stream of a recording."""
    return tuple(_describe_stream(stream) for stream in recording.streams.values())


def cache_stream_list(workspace: Workspace, episode: str, shown: tuple[StreamShown, ...]) -> None:
    """Cache the list, so that showing it needs no log; it can always be rebuilt."""
    file = _get_cache_file(workspace, episode)
    file.parent.mkdir(exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(to_plain(shown)), encoding="utf-8")
    part.replace(file)


def _get_cache_file(workspace: Workspace, episode: str) -> Path:
    return workspace.cache / "streams" / f"{episode}.json"


def _describe_stream(stream: Stream) -> StreamShown:
    order = [kind.value for kind in MOST_TRUSTED_FIRST if kind in stream.clocks]
    return StreamShown(
        stream.name, stream.kind, stream.unit, len(stream) if stream.clocks else 0, stream.hz if order else None,
        tuple(order), _describe_content(stream), stream.frame_id, stream.serial, tuple(stream.notes.items()),
    )  # fmt: skip


def _describe_content(stream: Stream) -> str:
    if stream.pictures is not None:
        width, height = stream.pictures.size
        return f"pictures {width} × {height}"
    if stream.values is None:
        return "stamps only"
    return ", ".join(stream.columns) or f"{stream.values.shape[1]} columns"

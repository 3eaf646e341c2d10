"""What one episode's log holds, stream by stream."""

from dataclasses import dataclass

from fieldloop.loop.ingest import reopen
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Episode, Log
from fieldloop.model.stream import Stream, StreamKind


@dataclass(frozen=True, slots=True)
class StreamShown:
    """A stream with everything that is known of it but its samples."""

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


def streams(workspace: Workspace, episode: str) -> tuple[StreamShown, ...]:
    """List an episode's streams: kind, unit, rate and every clock it came with, the most trusted first.

    Arguments:
        episode: id or beginning of it
    """
    recording = reopen(workspace, workspace.store.get(Episode, episode))
    return tuple(_shown(stream) for stream in recording.streams.values())


def logs(workspace: Workspace, *, limit: int = 100) -> tuple[Log, ...]:
    """List the logs that were taken in, newest first, each with what was wrong with it.

    Arguments:
        limit: at most so many
    """
    return tuple(workspace.store.find(Log, newest=True, limit=limit))


def _shown(stream: Stream) -> StreamShown:
    order = [kind.value for kind in type(stream.clock) if kind in stream.clocks] if stream.clocks else []
    return StreamShown(
        stream.name, stream.kind, stream.unit, len(stream) if stream.clocks else 0, stream.hz if order else None,
        tuple(order), _holds(stream), stream.frame_id, stream.serial, tuple(stream.notes.items()),
    )  # fmt: skip


def _holds(stream: Stream) -> str:
    if stream.pictures is not None:
        width, height = stream.pictures.size
        return f"pictures {width} × {height}"
    if stream.values is None:
        return "stamps only"
    return ", ".join(stream.columns) or f"{stream.values.shape[1]} columns"

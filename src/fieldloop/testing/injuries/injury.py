"""Injury types for a case and a batch, and functions to build injuries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.check import Batch, Case
from fieldloop.model.episode import Episode
from fieldloop.model.imprint import Imprint
from fieldloop.model.stream import NS_PER_S, Stream
from fieldloop.testing.batches import make_healthy_batch
from fieldloop.testing.synthetic import Pictures, make_healthy_case, replace_streams

STEP_NS = NS_PER_S // 1000


@dataclass(frozen=True, slots=True)
class Injury:
    """A function that damages a case, and the other checks that fail too.

    `healthy`: the case to damage, where the usual healthy one lacks what the check examines.
    """

    hurt: Callable[[Case], Case]
    also: Mapping[str, str] = field(default_factory=dict)
    healthy: Callable[[], Case] = make_healthy_case


@dataclass(frozen=True, slots=True)
class BatchInjury:
    """A function that damages a batch, and the other checks that fail too; `healthy` as above."""

    hurt: Callable[[Batch], Batch]
    also: Mapping[str, str] = field(default_factory=dict)
    healthy: Callable[[], Batch] = make_healthy_batch


def change_stream(case: Case, name: str, **fields: Any) -> Case:
    """Replace fields of one stream."""
    stream = replace(case.recording.streams[name], **fields)
    return replace(case, recording=replace_streams(case.recording, {name: stream}), _kept={})


def change_episode(case: Case, **fields: Any) -> Case:
    """Replace facts of the episode."""
    recording = replace(case.recording, episode=replace(case.episode, **fields))
    return replace(case, recording=recording, _kept={})


def keep_samples(stream: Stream, rows: NDArray[np.int64]) -> Stream:
    """Keep some samples of a stream."""
    pictures = stream.pictures
    if isinstance(pictures, Pictures):
        pictures = replace(pictures, places=tuple(pictures.places[i] for i in rows))
    clocks = {kind: times[rows] for kind, times in stream.clocks.items()}
    return replace(
        stream, clocks=clocks, values=None if stream.values is None else stream.values[rows], pictures=pictures
    )


def change_values(case: Case, name: str, change: Callable[[NDArray[Any]], None]) -> Case:
    """Change a copy of one stream's values in place."""
    values = np.array(case.recording.streams[name].values)
    change(values)
    return change_stream(case, name, values=values)


def change_stamps(case: Case, name: str, change: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Case:
    """Apply the same change to every clock of one stream."""
    clocks = {kind: change(np.array(times)) for kind, times in case.recording.streams[name].clocks.items()}
    return change_stream(case, name, clocks=clocks)


def drop_samples(case: Case, name: str = "force", first: int = 900, count: int = 4) -> Case:
    """Drop some successive samples."""
    stream = case.recording.streams[name]
    rows = np.delete(np.arange(len(stream)), slice(first, first + count))
    return replace(case, recording=replace_streams(case.recording, {name: keep_samples(stream, rows)}), _kept={})


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A FrameSource with some frames replaced."""

    inner: Pictures
    instead: Mapping[int, NDArray[Any]]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.inner.size

    def __len__(self) -> int:
        return len(self.inner)

    def frames(self, indices: Any = None) -> Any:
        """Yield the inner frames, some replaced."""
        wanted = list(range(len(self)) if indices is None else sorted(indices))
        for index, frame in zip(wanted, self.inner.frames(wanted), strict=True):
            yield self.instead.get(index, frame)


def keep_span(case: Case, is_kept: Callable[[NDArray[np.float64]], NDArray[np.bool_]]) -> Case:
    """Keep the samples of every stream within a span of seconds from the start."""
    start = min(int(s.times_ns[0]) for s in case.recording.streams.values())
    shorter: dict[str, Stream | None] = {
        name: keep_samples(stream, np.flatnonzero(is_kept((stream.times_ns - start) / NS_PER_S)))
        for name, stream in case.recording.streams.items()
    }
    return replace(case, recording=replace_streams(case.recording, shorter), _kept={})


def relabel(batch: Batch, change: Callable[[int, Episode], Mapping[str, Any]]) -> Batch:
    """Replace facts of the episodes of a batch."""
    return replace(batch, episodes=tuple(replace(e, **change(i, e)) for i, e in enumerate(batch.episodes)))


def change_imprints(batch: Batch, name: str, change: Callable[[int, NDArray[Any]], NDArray[Any]]) -> Batch:
    """Change one array of every episode's imprint that holds it."""
    imprints = dict(batch.imprints)
    for i, episode in enumerate(batch.episodes):
        arrays = batch.find_imprint(episode.id).arrays
        if name in arrays:
            imprints[episode.id] = Imprint({**arrays, name: change(i, arrays[name])})
    return replace(batch, imprints=imprints)

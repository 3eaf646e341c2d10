"""A recording on one frame grid: what every training format holds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.grid import Rule, Times, nearest, resample, rule_for

MISSING: NDArray[Any] = np.empty((0, 0, 3), np.uint8)
MOST_ROWS = 50_000_000
"""More than two weeks at 30 Hz: a grid longer than that comes of a broken stamp."""


@dataclass(slots=True, eq=False)
class Framed:
    """One row a moment of the grid. `notes` says what was not as it should be; it grows while pictures are drawn."""

    episode: Episode
    times_ns: Times
    values: Mapping[str, NDArray[Any]]
    picks: Mapping[str, NDArray[np.int64]]
    rules: Mapping[str, Rule]
    streams: Mapping[str, Stream]
    notes: list[str]

    def __len__(self) -> int:
        return len(self.times_ns)

    def stamps_ns(self, camera: str) -> Times:
        """When was the picture that each row shows really taken?"""
        return self.streams[camera].times_ns[self.picks[camera]]

    def pictures(self, camera: str) -> Iterator[NDArray[Any]]:
        """Yield one picture a row; one that does not decode is replaced by the one before, and named."""
        stream = self.streams[camera]
        assert stream.pictures is not None
        width, height = stream.pictures.size
        depth = stream.kind is StreamKind.DEPTH
        before: NDArray[Any] = (
            np.full((height, width), np.nan, np.float32) if depth else np.zeros((height, width, 3), np.uint8)
        )
        broken = 0
        for run in ascending(self.picks[camera]):
            wanted, times = np.unique(run, return_counts=True)
            source = iter(stream.pictures.frames(wanted.tolist()))
            for rows in times.tolist():
                picture = next(source, MISSING)
                if picture.shape == before.shape:
                    before = picture
                else:
                    broken += rows
                yield from [before] * rows
        if broken:
            self.notes.append(f"{self.episode.name}: {broken} frames of {camera} do not decode; the one before stands")


def ascending(picks: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Cut picks into runs that never step back: a source hands out its frames in ascending order only.

    >>> [run.tolist() for run in ascending(np.array([0, 1, 1, 3, 2]))]
    [[0, 1, 1, 3], [2]]
    """
    return np.split(picks, np.flatnonzero(np.diff(picks) < 0) + 1)


def frame(recording: Recording, features: Features) -> Framed:
    """Bring a recording onto the grid of the dataset it will be part of."""
    episode, streams = recording.episode, recording.streams
    wanted = [f.name for f in (*features.signals, *features.cameras)]
    if missing := [name for name in wanted if name not in streams or not len(streams[name])]:
        raise BadInput(f"{episode.name} has no sample of {', '.join(missing)}, which the dataset is to hold.")
    times = _grid(streams[features.clock].times_ns, features)
    rules = {name: rule_for(streams[name], times) for name in wanted}
    values = {f.name: resample(streams[f.name], times, rules[f.name]) for f in features.signals}
    picks = {f.name: _picks(streams[f.name], times, rules[f.name]) for f in features.cameras}
    notes = [
        note for f in features.cameras if (note := _late(episode, streams[f.name], picks[f.name], times, features))
    ]
    notes += [note for f in features.signals if (note := _apart(episode, streams[f.name], times, features))]
    return Framed(episode, times, values, picks, rules, {name: streams[name] for name in wanted}, notes)


def _picks(camera: Stream, times: Times, rule: Rule) -> NDArray[np.int64]:
    return np.arange(len(times)) if rule is Rule.AS_RECORDED else nearest(camera.times_ns, times)


def _apart(episode: Episode, stream: Stream, times: Times, features: Features) -> str:
    """Name a signal that shares no moment with the frames: its clock is another one, and every row a guess."""
    if not len(times) or (stream.times_ns.min() <= times[-1] and stream.times_ns.max() >= times[0]):
        return ""
    return (
        f"{episode.name}: {stream.name} ({stream.clock} clock) shares no moment with the frames of {features.clock}; "
        f"its rows repeat one sample"
    )


def _grid(stamps_ns: Times, features: Features) -> Times:
    ordered = np.sort(stamps_ns)
    if not features.uniform:
        return ordered
    span_s = (int(ordered[-1]) - int(ordered[0])) / NS_PER_S
    count = int(span_s * features.hz) + 1
    if count > MOST_ROWS:
        raise BadInput(
            f"{features.clock} spans {span_s:.0f} s, which is {count} rows at {features.hz:g} Hz. Its stamps are "
            "hardly right; take its own samples as the grid instead."
        )
    even: Times = ordered[0] + np.round(np.arange(count) * (NS_PER_S / features.hz)).astype(np.int64)
    return even


def _late(episode: Episode, stream: Stream, picks: NDArray[np.int64], times: Times, features: Features) -> str:
    """Name pictures taken more than one period from the moment they stand for."""
    off = np.abs(stream.times_ns[picks] - times)
    period_ns = NS_PER_S / features.hz
    if not (late := int((off > period_ns).sum())):
        return ""
    return (
        f"{episode.name}: {late} of {len(times)} rows show a picture of {stream.name} taken more than "
        f"{period_ns / 1e6:.0f} ms away, at worst {off.max() / 1e6:.0f} ms"
    )

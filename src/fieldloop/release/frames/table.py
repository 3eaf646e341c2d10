"""All frames of some episodes: values of every row in memory, and for pictures where they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.note import Note
from fieldloop.model.stream import FrameSource, StreamKind
from fieldloop.release.writers.framed import put_recording_on_grid
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.survey import survey_recordings

NO_LABEL = -1


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Pictures of one camera: a source for each episode, and which of its frames each row shows."""

    sources: tuple[FrameSource, ...]
    picks: NDArray[np.int64]
    size: tuple[int, int]
    is_depth: bool


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """Rows of all episodes one after the other; `starts` has one entry more than there are episodes.

    `values` and `cameras` are by stream, `actions` names the streams of commands. `labels` are by kind, each row the
    place of its label in `label_names`. `weights` are by episode. `left_out` states what no row holds.
    """

    episodes: tuple[Episode, ...]
    starts: NDArray[np.int64]
    times_ns: NDArray[np.int64]
    values: Mapping[str, NDArray[Any]]
    columns: Mapping[str, tuple[str, ...]]
    cameras: Mapping[str, Camera]
    actions: tuple[str, ...]
    hz: float
    weights: NDArray[np.float64]
    labels: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    label_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return int(self.starts[-1])


def make_frame_table(
    recordings: Iterable[Recording],
    *,
    weights: Mapping[str, float] | None = None,
    labels: Sequence[Annotation] = (),
    streams: Sequence[str] = (),
    clock: str = "",
    hz: float | None = None,
    pair: Pair = "",
) -> FrameTable:
    """Bring recordings onto rows, by the same rules as an export; no picture is decoded but the first of a camera."""
    read = [_choose_streams(one, streams, clock) for one in recordings]
    if not read:
        raise BadInput("No episode is left to open. Name another split, or another release.")
    features = survey_recordings(read, clock=clock, hz=hz, pair=pair)
    framed = [put_recording_on_grid(recording, features) for recording in read]
    notes = [*features.left_out, *(loss for one in framed for loss in one.notes)]
    lengths = [len(one) for one in framed]
    episodes = tuple(one.episode for one in framed)
    times = np.concatenate([one.times_ns for one in framed])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    made = _label_rows(episodes, starts, times, labels)
    return FrameTable(
        episodes, starts, times,
        {f.name: _stack([one.values[f.name] for one in framed]) for f in features.signals},
        {f.name: f.columns for f in features.signals},
        {f.name: _gather_camera(f.name, episodes, [one.streams[f.name].pictures for one in framed],
                                [one.picks[f.name] for one in framed], f.kind) for f in features.cameras},
        tuple(f.name for f in features.signals if f.kind is StreamKind.ACTION),
        features.hz,
        np.asarray([(weights or {}).get(e.id, 1.0) for e in episodes]),
        {kind: rows for kind, (rows, _) in made.items()},
        {kind: names for kind, (_, names) in made.items()},
        tuple(notes),
    )  # fmt: skip


def _choose_streams(recording: Recording, wanted: Sequence[str], clock: str) -> Recording:
    """Keep the streams that are asked for, and the one that sets the rows."""
    if not wanted:
        return recording
    if unknown := [name for name in wanted if name not in recording.streams]:
        raise BadInput(
            f"{recording.episode.name} has no stream {unknown[0]!r}. Streams: {', '.join(sorted(recording.streams))}."
        )
    kept = {name: s for name, s in recording.streams.items() if name in wanted or name == clock}
    return Recording(recording.episode, kept, recording.defects)


def _stack(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Put rows of all episodes into one array: 32-bit floats; whole numbers and flags stay what they are."""
    rows = np.concatenate([np.asarray(part).reshape(len(part), -1) for part in parts])
    return np.ascontiguousarray(rows, np.float32 if rows.dtype.kind == "f" else rows.dtype)


def _gather_camera(
    name: str,
    episodes: Sequence[Episode],
    sources: Sequence[FrameSource | None],
    picks: Sequence[NDArray[np.int64]],
    kind: StreamKind,
) -> Camera:
    there = tuple(source for source in sources if source is not None)
    if len(there) < len(sources):  # a row finds its pictures by the place of its episode
        without = next(one.name for one, source in zip(episodes, sources, strict=True) if source is None)
        raise BadInput(f"{without} has no pictures of {name}. Leave the episode out, or name the streams to open.")
    return Camera(there, np.concatenate(picks), there[0].size, kind is StreamKind.DEPTH)


def _label_rows(
    episodes: Sequence[Episode], starts: NDArray[np.int64], times_ns: NDArray[np.int64], labels: Sequence[Annotation]
) -> dict[str, tuple[NDArray[np.int64], tuple[str, ...]]]:
    """Say for each kind of label and each row which label it has; the later of two that overlap counts."""
    made = {}
    place = {episode.id: k for k, episode in enumerate(episodes)}
    for kind in sorted({label.kind for label in labels}):
        of_kind = sorted((a for a in labels if a.kind == kind), key=lambda a: (a.episode, a.start_ns, a.label))
        names = tuple(sorted({a.label for a in of_kind}))
        rows = np.full(len(times_ns), NO_LABEL, np.int64)
        for span in of_kind:
            if span.episode in place:
                part = slice(*starts[place[span.episode] : place[span.episode] + 2])
                inside = (times_ns[part] >= span.start_ns) & (times_ns[part] < span.end_ns)
                rows[part][inside] = names.index(span.label)
        made[kind] = (rows, names)
    return made

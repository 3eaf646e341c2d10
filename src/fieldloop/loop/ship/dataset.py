"""Open a release, or any log or dataset, as frames for a trainer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fieldloop.annotate import choose_labels
from fieldloop.errors import BadInput, UnknownName
from fieldloop.ingest import open_log
from fieldloop.loop.data.as_frozen import find_labels_as_frozen, find_release_episodes
from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.ship.export import WEIGHT
from fieldloop.loop.ship.release import find_release
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Track, Workspace, track_silently
from fieldloop.model.annotation import Annotation
from fieldloop.model.episode import Recording
from fieldloop.release.frames import FrameDataset, make_frame_table
from fieldloop.release.frames.dataset import Broken
from fieldloop.release.writers import Pair

SPLITS = ("", "train", "validation")


@dataclass(frozen=True, slots=True)
class FrameOptions:
    """How frames are opened: which streams, on which rows, with which window around each."""

    streams: tuple[str, ...] = ()
    deltas_s: Mapping[str, Sequence[float]] = field(default_factory=dict)
    chunk: int = 0
    clock: str = ""
    hz: float | None = None
    pair: Pair = ""
    tensors: bool | None = None
    on_broken: Broken = "raise"


def open_release_dataset(
    workspace: Workspace, release: str, split: str = "", options: FrameOptions | None = None
) -> FrameDataset:
    """Open a release as frames: its fixes are applied, its weights and labels are those it was frozen with."""
    frozen = find_release(workspace, release)
    _refuse_unknown_split(split)
    chosen = {"train": frozen.train, "validation": frozen.validation}.get(split, frozen.episodes)
    if not chosen:
        raise BadInput(f"{frozen.name} has no {split} episodes: all of its episodes come from one session.")
    asked = options or FrameOptions()
    episodes = find_release_episodes(workspace, frozen, chosen)
    recordings = list(Reopened(workspace, episodes, frozen.name, frozen))
    labels = [label for label in find_labels_as_frozen(workspace, frozen) if label.episode in set(chosen)]
    return _make_dataset(
        recordings,
        asked,
        asked.pair or ("time" if frozen.fixes else ""),
        frozen.get_weights(episodes),
        choose_labels(labels),
    )


def open_log_dataset(
    path: Path, split: str = "", options: FrameOptions | None = None, track: Track = track_silently
) -> FrameDataset:
    """Open a log or a dataset folder as frames; weights are those that an export stated."""
    log = open_log(path, find_mapping_in_force(None, None))
    recordings = [
        one
        for one in track(log.recordings, f"reading {path.name}", log.expected_recordings)
        if not split or (one.episode.get_fact("split") or "train") == split
    ]
    if not recordings:
        raise BadInput(f"{path} has no episode{f' in the split {split!r}' if split else ''} that can be read.")
    asked = options or FrameOptions()
    weights = {one.episode.id: float(one.episode.get_fact(WEIGHT) or 1.0) for one in recordings}
    return _make_dataset(recordings, asked, asked.pair, weights, [])


def _make_dataset(
    recordings: Sequence[Recording],
    asked: FrameOptions,
    pair: Pair,
    weights: Mapping[str, float],
    labels: Sequence[Annotation],
) -> FrameDataset:
    table = make_frame_table(
        recordings, weights=weights, labels=labels, streams=asked.streams, clock=asked.clock, hz=asked.hz, pair=pair
    )
    return FrameDataset(
        table, deltas_s=asked.deltas_s, chunk=asked.chunk, tensors=asked.tensors, on_broken=asked.on_broken
    )


def _refuse_unknown_split(split: str) -> None:
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS[1:], "train and validation; leave it out for both")


__all__ = ["FrameDataset", "FrameOptions", "open_log_dataset", "open_release_dataset"]

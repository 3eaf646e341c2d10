"""Export a frozen release as files that trainers read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from fieldloop.loop.data.as_frozen import find_labels_as_frozen, find_release_episodes
from fieldloop.loop.ship.convert import (
    Codec,
    Converted,
    Format,
    Options,
    WithLosses,
    compare_with_source,
    make_conversion_result,
    write_recordings,
)
from fieldloop.loop.ship.dataset_labels import add_labels_to_dataset
from fieldloop.loop.ship.release import find_release
from fieldloop.loop.ship.release_manifest import write_manifest
from fieldloop.loop.ship.target import prepare_target
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.episode import Recording
from fieldloop.model.event import ReleaseExported
from fieldloop.model.release import Release
from fieldloop.release.writers import Pair

WEIGHT = "release_weight"
"""The fact that states how often an episode counts."""


def export_release(  # noqa: PLR0913 - each is an option of the command
    workspace: Workspace,
    release: str,
    target: Path,
    *,
    to: Format = "lerobot",
    clock: str = "",
    hz: float | None = None,
    codec: Codec = "keep",
    actions_from: str = "",
    pair: Pair = "",
) -> Converted:
    """Write a release's episodes in a training format; the ledger records how they were resampled.

    Arguments:
        release: the release's id, a unique beginning of it, or its name
        target: a new path; the dataset is written completely or not
        to: the format to write; mcap keeps every rate and clock, the other formats have one row per frame
        clock: the stream that sets the rows' timestamps (default: the first camera, else the actions)
        hz: write rows at this fixed rate, instead of the timestamps of --clock
        codec: how LeRobot's videos are compressed; `keep` copies h264 and AV1 videos, and encodes others as h264
        actions_from: the stream to use as actions in HDF5 if no stream is of the kind action
        pair: pair samples with rows by index or by time (default: as the logs' formats define; by time after a fix)
    """
    frozen = find_release(workspace, release)
    target = prepare_target(target, to, len(frozen.episodes))
    episodes = {e.id: e for e in find_release_episodes(workspace, frozen)}
    reopened = Reopened(workspace, [episodes[id_] for id_ in frozen.episodes], frozen.name, frozen)
    weights = frozen.get_weights(episodes.values())
    recordings = WithLosses(lambda: _add_release_facts(reopened, frozen, weights))
    options = Options(clock, hz, codec, actions_from, pair or ("time" if frozen.fixes else ""))
    settings = workspace.operations["convert"]
    written = write_recordings(to, recordings, target, options, settings)
    done = make_conversion_result(to, written, options, recordings.losses)
    done = replace(done, compared=compare_with_source(reopened, written, options, settings))
    labels = find_labels_as_frozen(workspace, frozen)
    done = replace(done, left_out=(*done.left_out, *add_labels_to_dataset(written.path, to, labels)))
    listed = write_manifest(written.path, to, frozen, [episodes[id_] for id_ in frozen.episodes], labels)
    exported = ReleaseExported(
        frozen.id, target.name, done.format, done.episodes, done.frames, done.clock, done.rules, done.left_out, listed
    )
    workspace.write(exported)
    return done


def _add_release_facts(
    recordings: Iterable[Recording], release: Release, weights: Mapping[str, float]
) -> Iterator[Recording]:
    """Add to each episode what the release decided about it: its side of the split, and how often it counts."""
    sides = {e: part for part in ("train", "validation") for e in getattr(release, part)}
    for recording in recordings:
        episode = recording.episode
        facts = dict(episode.facts) | {"split": sides[episode.id], WEIGHT: repr(weights[episode.id])}
        yield replace(recording, episode=replace(episode, facts=tuple(sorted(facts.items()))))

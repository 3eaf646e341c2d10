"""Write recordings as one HDF5 file in robomimic's layout, episode by episode and picture by picture."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import Stream, StreamKind
from fieldloop.release.writers.account import Account
from fieldloop.release.writers.features import Features
from fieldloop.release.writers.framed import Framed, put_recording_on_grid
from fieldloop.release.writers.hdf5.demonstration import write_pictures, write_rows, write_stamps
from fieldloop.release.writers.hdf5.description import (
    ATTRIBUTE,
    describe_episode,
    make_env_args,
    report_shared_descriptions,
)
from fieldloop.release.writers.hdf5.keys import ACTIONS, Place, assign_places, make_key
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.splits import choose_split
from fieldloop.release.writers.survey import ensure_rereadable, survey_recordings
from fieldloop.release.writers.written import Written, write_whole_or_nothing

VERSIONS = ("v108", "v110")
"""Old enough for every reader of today, new enough to check its own headers and to hold attributes over 64 kB."""

MASKS = {"val": "valid", "validation": "valid"}
"""What robomimic calls a split that others call so."""

MADE = "action"


def write_hdf5(
    recordings: Iterable[Recording],
    target: Path,
    *,
    clock: str = "",
    hz: float | None = None,
    pair: Pair = "",
    longest_gap_s: float | None = None,
    actions_from: str = "",
) -> Written:
    """Write one file in robomimic's layout, whole or not at all; the recordings are gone through twice.

    `clock` and `hz` choose the grid (see `survey`). robomimic cannot do without actions: where nothing was recorded
    as an action, `actions_from` names the stream whose next row is to stand for one.
    """
    walk = ensure_rereadable(recordings)
    chosen = _WithActions(walk, actions_from) if actions_from else walk
    features = survey_recordings(chosen, clock=clock, hz=hz, pair=pair, longest_gap_s=longest_gap_s)
    if not any(f.kind is StreamKind.ACTION for f in features.signals):
        raise BadInput(
            "robomimic's layout needs actions, and no stream of the kind 'action' is in every episode. "
            "Name a stream whose next row serves as the action (actions_from), or write another format."
        )
    with write_whole_or_nothing(target) as part:
        writer = _Writer(part, features)
        try:
            for recording in chosen:
                writer.write_demonstration(recording)
            writer.finish()
        finally:
            writer.file.close()
    made = chosen.report_made_actions() if isinstance(chosen, _WithActions) else ()
    return writer.account.make_result(target, (*made, *writer.report_losses()))


class _Writer:
    """A file being written: what was seen so far is what the attributes at its end say."""

    def __init__(self, path: Path, features: Features) -> None:
        import h5py

        self.file = h5py.File(path, "w", libver=VERSIONS)
        self.account = Account(features)
        self._features, self._places = features, assign_places(features)
        self._data = self.file.create_group("data")
        self._masks: dict[str, list[str]] = {}
        self._environments: dict[str, None] = {}
        self._own_environments: dict[str, None] = {}
        self._tasks: dict[str, None] = {}
        self._lost: dict[Note, None] = {}
        self._reach = [np.inf, -np.inf]

    def write_demonstration(self, recording: Recording) -> None:
        """Write one recording as the next demonstration."""
        framed = put_recording_on_grid(recording, self._features)
        if self.account.is_empty(framed):
            return
        name = f"demo_{self.account.episodes}"
        group = self._data.create_group(name)
        group.attrs["num_samples"] = len(framed)
        self._lost |= dict.fromkeys(write_rows(group, framed, self._features, self._places))
        for camera in self._features.cameras:
            write_pictures(group, framed, camera, self._places[camera.name][0])
        stamps = write_stamps(group, framed, self._places)
        description = describe_episode(framed, self._find_places_in_actions(), stamps)
        group.attrs[ATTRIBUTE] = np.bytes_(
            description.encode()
        )  # in the group itself: text of free length lies elsewhere
        self._remember_demonstration(framed, name, group[ACTIONS])

    def finish(self) -> None:
        """Write what speaks of the whole."""
        self.account.refuse_unusable()
        self._data.attrs["total"] = self.account.frames
        self._data.attrs["env_args"] = next(iter(self._environments))
        for mask, names in sorted(self._masks.items()):
            self.file.create_dataset(f"mask/{mask}", data=np.asarray(names, "S"))

    def report_losses(self) -> Iterator[Note]:
        """Yield what the file does not hold, or holds otherwise than robomimic's tools expect."""
        yield from self._lost
        yield from self.account.report_flattened_streams()
        yield from report_shared_descriptions(list(self._own_environments), list(self._tasks))
        low, high = self._reach
        if low < -1 or high > 1:
            yield note("release.actions_not_rescaled", about=Subject(ACTIONS), low=low, high=high)

    def _find_places_in_actions(self) -> Mapping[str, tuple[Place, ...]]:
        """Say which columns of `actions` belong to which stream: they stand side by side."""
        places_of, at = dict(self._places), 0
        for feature in self._features.signals:
            if places_of[feature.name][0].path == ACTIONS:
                places_of[feature.name] = (Place(ACTIONS, at, at + feature.width),)
                at += feature.width
        return places_of

    def _remember_demonstration(self, framed: Framed, name: str, actions: Any) -> None:
        self.account.add_episode(framed)
        self._lost |= dict.fromkeys(_report_reader_losses(framed.episode))
        self._environments.setdefault(make_env_args(framed.episode, self._features.hz))
        self._own_environments |= dict.fromkeys(filter(None, [framed.episode.get_fact("env_args")]))
        self._tasks |= dict.fromkeys(filter(None, [framed.episode.task]))
        for mask in _list_filter_keys(framed.episode):
            self._masks.setdefault(mask, []).append(name)
        if len(framed):
            self._reach = [
                min(self._reach[0], float(np.min(actions))), max(self._reach[1], float(np.max(actions)))
            ]  # fmt: skip


class _WithActions:
    """The recordings, each with an action made of the next row of a stream; can be gone through again."""

    def __init__(self, recordings: Iterable[Recording], source: str) -> None:
        self._recordings, self._source = recordings, source
        self._replaces = False

    def report_made_actions(self) -> tuple[Note, ...]:
        """Return what was made."""
        replaced = MADE if self._replaces else ""
        return (note("release.actions_made", about=Subject(ACTIONS), source=self._source, replaced=replaced),)

    def __iter__(self) -> Iterator[Recording]:
        for recording in self._recordings:
            stream = recording.streams.get(self._source)
            if stream is None or stream.values is None or not len(stream):
                raise BadInput(f"{recording.episode.name} has no values of {self._source}, so no actions can be made.")
            self._replaces = self._replaces or MADE in recording.streams
            yield replace(recording, streams={**recording.streams, MADE: _convert_to_action(stream)})


def _convert_to_action(stream: Stream) -> Stream:
    assert stream.values is not None
    values = np.concatenate([stream.values[1:], stream.values[-1:]])
    notes = {**stream.notes, "made": f"the next row of {stream.name}"}
    return replace(stream, name=MADE, kind=StreamKind.ACTION, values=values, notes=notes)


def _list_filter_keys(episode: Episode) -> list[str]:
    """Return the filter keys an episode is listed under: its own, and that of its split."""
    came = [mask for mask in (episode.get_fact("masks") or "").split(", ") if mask]
    split = choose_split(episode).lower() if episode.get_fact("split") else ""
    return sorted({make_key(mask) for mask in (*came, MASKS.get(split, split)) if mask})


def _report_reader_losses(episode: Episode) -> Iterator[Note]:
    """Yield what the reader of the source did not pass on."""
    for key, _ in episode.facts:
        if key.startswith("attachment."):
            yield note("release.attachment_not_kept", name=key)
    if episode.get_fact("next_obs"):
        yield note("release.last_next_observation_lost", name="next_obs")

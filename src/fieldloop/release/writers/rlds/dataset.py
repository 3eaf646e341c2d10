"""Write Recordings as an RLDS dataset: one record an episode, one step a moment of the grid, real stamps beside."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.episode import Episode, Recording
from fieldloop.model.episode_text import FIELDS
from fieldloop.model.note import Note, Subject, note
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.release.writers.account import Account
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.framed import Framed, put_recording_on_grid
from fieldloop.release.writers.pairing import Pair
from fieldloop.release.writers.rlds import declared
from fieldloop.release.writers.rlds.describe import (
    GRID,
    KEPT,
    STAMPS,
    collect_episode_facts,
    collect_stamps,
    format_description,
)
from fieldloop.release.writers.rlds.example import Pieces, encode_bytes_list, encode_example, encode_numbers_list
from fieldloop.release.writers.rlds.keys import choose_step_paths, make_unique_keys
from fieldloop.release.writers.rlds.pictures import JPEG_QUALITY, PictureForm, encode_pictures
from fieldloop.release.writers.rlds.shards import ShardWriter
from fieldloop.release.writers.splits import TRAIN, choose_split
from fieldloop.release.writers.survey import ensure_rereadable, survey_recordings
from fieldloop.release.writers.written import Written, write_whole_or_nothing

MARKS = ("is_first", "is_last", "is_terminal")
SCALARS = ("reward", "discount", "is_terminal")
TERMINAL = note("release.is_terminal_made", about=Subject("is_terminal"))
VERSION = re.compile(r"\d+\.\d+\.\d+")
MIB = 1 << 20  # bytes
DESCRIPTION = (
    "Written by fieldloop. A step's timestamp_ns is the moment its observation stands for; stamps_ns holds, for each "
    "stream whose rows are samples, the stamps they really had. The action of the last step (is_last) is valid: it was "
    "recorded like all others. episode_metadata/fieldloop is JSON that names every stream's kind, unit, columns, clock "
    "and how it was brought onto the grid."
)


def write_rlds(  # noqa: PLR0913 - each is an option of the format
    recordings: Iterable[Recording],
    target: Path,
    *,
    name: str = "",
    version: str = "1.0.0",
    pictures: PictureForm = "png",
    shard_mb: int = 256,
    clock: str = "",
    hz: float | None = None,
    pair: Pair = "",
    longest_gap_s: float | None = None,
) -> Written:
    """Write `<target>/<name>/<version>/`, whole or not at all; `name` is made of the target's where none is given.

    Colour pictures are PNG, or JPEG where `pictures` says so; distances keep every bit. Numbers with a fraction are
    float32, as the format has it. A file is closed before it grows beyond `shard_mb`.
    """
    if not VERSION.fullmatch(version):
        raise BadInput(f"{version!r} is not a version such as 1.0.0.")
    if shard_mb < 1:
        raise BadInput("A shard must have at least one MiB.")
    walk = ensure_rereadable(recordings)
    features = survey_recordings(walk, clock=clock, hz=hz, pair=pair, longest_gap_s=longest_gap_s)
    dataset = _make_dataset_name(name or target.name)
    with write_whole_or_nothing(target) as part:
        folder = part / dataset / version
        folder.mkdir(parents=True)
        writing = _Writing(folder, dataset, features, pictures=pictures, most_bytes=shard_mb * MIB)
        try:
            for recording in walk:
                writing.append_episode(recording)
            writing.account.refuse_unusable()
        except BaseException:
            writing.abandon()
            raise
        writing.close(version)
    return writing.account.make_result(target, writing.lost)


class _Writing:
    """A dataset being written."""

    def __init__(self, folder: Path, name: str, features: Features, *, pictures: PictureForm, most_bytes: int) -> None:
        self._folder, self._name, self._features, self._form = folder, name, features, pictures
        self._paths = choose_step_paths(features)
        self._dtypes = {f.name: _choose_stored_dtype(f) for f in features.signals}
        self._stamps = _choose_stamp_paths(self._paths, features)
        self.account = Account(features)
        self.lost: dict[Note, None] = {}
        self._most_bytes = most_bytes
        self._shards: dict[str, ShardWriter] = {}

    def append_episode(self, recording: Recording) -> None:
        """Append one episode as one record."""
        framed = put_recording_on_grid(recording, self._features)
        if self.account.is_empty(framed):
            return
        features = {f"steps/{path}": pieces for path, pieces in self._make_step_features(framed)}
        for key, text in self._make_metadata(framed).items():
            features[f"episode_metadata/{key}"] = encode_bytes_list([text.encode()])
        self._get_split_writer(framed.episode).append_record(encode_example(features), framed.episode.name)
        self.account.add_episode(framed)

    def close(self, version: str) -> None:
        """Name the shards, and write what TFDS reads first."""
        for shards in self._shards.values():
            shards.close()
        metadata = declared.nest_by_path(dict.fromkeys((*FIELDS, "id", KEPT), declared.declare_text()))
        _write_json(
            self._folder / "features.json",
            declared.declare_episodes(declared.nest_by_path(self._declare_features()), metadata),
        )
        splits = [(split, shards.lengths, shards.payload_bytes) for split, shards in sorted(self._shards.items())]
        _write_json(
            self._folder / "dataset_info.json", declared.make_dataset_info(self._name, version, DESCRIPTION, splits)
        )

    def abandon(self) -> None:
        """Let go of open files; what was written is not kept."""
        for shards in self._shards.values():
            shards.abandon()

    def _get_split_writer(self, episode: Episode) -> ShardWriter:
        """Return the files of the split an episode is in, under a name that TFDS takes."""
        split = re.sub(r"\W+", "_", choose_split(episode)) or TRAIN
        if split not in self._shards:
            self._shards[split] = ShardWriter(self._folder, self._name, split, self._most_bytes)
        return self._shards[split]

    def _make_step_features(self, framed: Framed) -> Iterator[tuple[str, Pieces]]:
        count = len(framed)
        yield "is_first", encode_numbers_list(np.arange(count) == 0)
        yield "is_last", encode_numbers_list(np.arange(count) == count - 1)
        if "is_terminal" not in self._paths.values():
            known = framed.episode.succeeded is not None
            yield "is_terminal", encode_numbers_list((np.arange(count) == count - 1) & known)
            self.lost[TERMINAL] = None
        yield "language_instruction", encode_bytes_list([framed.episode.task.encode()] * count)
        yield GRID, encode_numbers_list(framed.times_ns)
        for name, (path, kinds) in self._stamps.items():
            yield path, encode_numbers_list(collect_stamps(framed, name, kinds))
        for feature in self._features.signals:
            yield (
                self._paths[feature.name],
                encode_numbers_list(self._encode_numbers(feature, framed.values[feature.name])),
            )
        for feature in self._features.cameras:
            yield self._paths[feature.name], encode_bytes_list(self._encode_pictures(framed, feature))

    def _encode_pictures(self, framed: Framed, feature: Feature) -> Iterator[bytes]:
        for data, made_here in encode_pictures(framed, feature.name, self._form):
            if made_here and self._form == "jpeg" and feature.kind is not StreamKind.DEPTH:
                how = f"JPEG of quality {JPEG_QUALITY}"
                self.lost[note("release.pixels_recompressed", about=Subject(feature.name), how=how)] = None
            yield data

    def _encode_numbers(self, feature: Feature, values: NDArray[Any]) -> NDArray[Any]:
        stored = self._dtypes[feature.name]
        with np.errstate(over="ignore", invalid="ignore"):
            kept = values.astype(stored, copy=False)
            same = np.array_equal(kept.astype(values.dtype), values, equal_nan=values.dtype.kind == "f")
        if not same:
            self.lost[note("release.values_rounded", about=Subject(feature.name), stored=stored.name)] = None
        return kept

    def _make_metadata(self, framed: Framed) -> dict[str, str]:
        facts = collect_episode_facts(framed.episode)
        kept = format_description(framed, self._paths, self._stamps)
        return {key: facts.get(key, "") for key in FIELDS} | {"id": framed.episode.id, KEPT: kept}

    def _declare_features(self) -> dict[str, declared.Declared]:
        leaves = {mark: declared.declare_tensor("bool") for mark in MARKS}
        leaves |= {
            "language_instruction": declared.declare_text(),
            GRID: declared.declare_tensor("int64", description="nanoseconds"),
        }
        leaves |= {
            path: declared.declare_tensor("int64", len(kinds), description=", ".join(kinds))
            for path, kinds in self._stamps.values()
        }
        for feature in self._features.signals:
            path, description = self._paths[feature.name], _describe_feature(feature)
            shape = () if path in SCALARS else (feature.width,)
            leaves[path] = declared.declare_tensor(self._dtypes[feature.name].name, *shape, description=description)
        for feature in self._features.cameras:
            depth = feature.kind is StreamKind.DEPTH
            leaves[self._paths[feature.name]] = declared.declare_image(
                *feature.size, depth=depth, form=self._form, description=_describe_feature(feature)
            )
        return leaves


def _choose_stored_dtype(feature: Feature) -> np.dtype[Any]:
    """Return the type in which a stream's numbers are written: all fractions are float32."""
    dtype = np.dtype(feature.dtype)
    return np.dtype(np.float32) if dtype.kind == "f" else dtype


def _choose_stamp_paths(
    paths_by_stream: Mapping[str, str], features: Features
) -> dict[str, tuple[str, tuple[ClockKind, ...]]]:
    """Say where the stamps go that the grid does not tell, beside each other under the streams' own keys."""
    clocks_by_stream = {feature.name: feature.clocks for feature in features.list_all if feature.own_clocks}
    keys = make_unique_keys(
        {name: paths_by_stream[name].removeprefix("observation/").replace("/", "_") for name in clocks_by_stream}
    )
    return {name: (f"{STAMPS}/{key}", clocks_by_stream[name]) for name, key in keys.items()}


def _describe_feature(feature: Feature) -> str:
    parts = (feature.name, feature.unit and f"in {feature.unit}", ", ".join(feature.columns))
    return "; ".join(part for part in parts if part)


def _make_dataset_name(wanted_name: str) -> str:
    """Make a name that TFDS allows: a letter, then letters, digits and underscores.

    >>> _make_dataset_name("Bin picking (v2)"), _make_dataset_name("7up")
    ('bin_picking_v2', 'set_7up')
    """
    name = re.sub(r"[^a-z0-9]+", "_", wanted_name.lower()).strip("_")
    return name if name[:1].isalpha() else f"set_{name}".rstrip("_")


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")

"""Which shards make up a dataset, which are missing, and what dataset_info.json says of them."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldloop.ingest.readers.rlds.framing import begins_with_record
from fieldloop.ingest.readers.rlds.inflated import open_shard
from fieldloop.ingest.readers.rlds.schema import FEATURES
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

INFO = "dataset_info.json"
SHARD = re.compile(r"(?P<split>[\w-]+?)\.\w+?(?:\.\w+)?-(?P<index>\d{5,})-of-\d{5,}(?:\.\w+)?")
OTHER_FORMATS = ("array_record", "riegeli", "parquet")
HEAD_BYTES = 16
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of records, and what is stated about it."""

    path: Path
    split: str = ""
    first: int = 0
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class DatasetFiles:
    """A dataset on disk."""

    name: str
    shards: tuple[Shard, ...]
    episodes: int | None
    defects: tuple[Defect, ...]


def read_layout(path: Path) -> DatasetFiles:
    """Look at a dataset's folder, or at a single file of records."""
    if path.is_file():
        return DatasetFiles(path.name.split(".")[0], (Shard(path),), None, ())
    info, defects = _read_info(path)
    name = str(info.get("name") or path.parent.name)
    files = {
        file: _parse_shard_name(file, name) for file in sorted(path.iterdir()) if file.is_file() and is_shard(file)
    }
    splits = dict(_parse_splits(info))
    shards, at = [], 0
    for split, lengths in splits.items():
        mine = {index: file for file, (its, index) in files.items() if its == split}
        for index, length in enumerate(lengths):
            if index in mine:
                shards.append(Shard(mine[index], split, at, length))
                del files[mine[index]]
            at += length
        defects += _find_missing_shards(split, lengths, set(mine))
    for file, (split, _) in files.items():
        shards.append(Shard(file, split, at))
        if splits:
            defects.append(Defect(file.name, INFO, note("ingest.file_not_listed", note("ingest.read_anyway"))))
    defects += _find_unread_files(path, {shard.path for shard in shards})
    config = str(info.get("configName") or "")
    name = f"{name}/{config}" if config else name
    return DatasetFiles(name, tuple(shards), sum(map(sum, splits.values())) if splits else None, tuple(defects))


def is_dataset(path: Path) -> bool:
    """Does a folder hold a TFDS dataset? Its own description, or shards with at least half of it."""
    if not path.is_dir():
        return False
    features, info = path / FEATURES, path / INFO
    if not features.is_file() and not info.is_file():
        return False
    if b"featuresDict" in _read_head(features) or b"pythonClassName" in _read_head(features):
        return True
    return any(".tfrecord" in file.name for file in path.iterdir())


def is_shard(path: Path) -> bool:
    """Does a file hold records, plain or compressed? One that is named as a shard counts, so that it is missed."""
    if SHARD.search(path.name) and ".tfrecord" in path.name:
        return True
    try:
        file, _ = open_shard(path)
        with file:
            return begins_with_record(file.read(HEAD_BYTES))
    except OSError:
        return False


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1 << 12)
    except OSError:
        return b""


def _read_info(path: Path) -> tuple[Mapping[str, Any], list[Defect]]:
    if not (path / INFO).is_file():
        return {}, [Defect(INFO, "", note("ingest.file_missing", note("ingest.shards_as_found")))]
    try:
        info = json.loads((path / INFO).read_bytes())
        if isinstance(info, dict):
            return info, []
        wrong = "an object was expected"
    except (ValueError, RecursionError) as broken:
        wrong = "it is empty" if not (path / INFO).stat().st_size else str(broken)
    message = note("ingest.file_unreadable", note("ingest.shards_as_found"), reason=wrong)
    return {}, [Defect.from_place(INFO, "byte", 0, message)]


def _parse_splits(info: Mapping[str, Any]) -> Iterator[tuple[str, list[int]]]:
    """Yield each split with the number of records in each of its shards."""
    rows = info.get("splits")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, Mapping) or not isinstance(row.get("shardLengths", []), list):
            continue
        try:
            yield str(row.get("name", "")), [max(int(length), 0) for length in row.get("shardLengths", [])]
        except (TypeError, ValueError, OverflowError):
            continue


def _parse_shard_name(file: Path, dataset: str) -> tuple[str, int]:
    match = SHARD.fullmatch(file.name.removeprefix(f"{dataset}-"))
    return (match["split"], int(match["index"])) if match else ("", 0)


def _find_unread_files(path: Path, read_files: set[Path]) -> Iterator[Defect]:
    """Report files of other formats, and a folder without any records."""
    others = [file.name for file in path.iterdir() if file not in read_files]
    strange = {form: count for form in OTHER_FORMATS if (count := sum(f".{form}-" in name for name in others))}
    for form, count in strange.items():
        yield Defect("shards", INFO, note("ingest.shards_of_other_format", count=count, format=form))
    if not strange and not read_files:
        yield Defect("shards", "", note("ingest.no_episode"))


def _find_missing_shards(split: str, records_by_shard: list[int], present_shards: set[int]) -> Iterator[Defect]:
    gone = [index for index in range(len(records_by_shard)) if index not in present_shards]
    if not gone:
        return
    named = ", ".join(map(str, gone[:MOST_NAMED])) + (" …" if len(gone) > MOST_NAMED else "")
    lost = sum(records_by_shard[index] for index in gone)
    message = note("ingest.shards_missing", missing=len(gone), shards=len(records_by_shard), which=named, episodes=lost)
    yield Defect(f"split {split}", INFO, message)

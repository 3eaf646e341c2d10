"""One episode of a LeRobot dataset becomes a Recording."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.ingest.readers.lerobot.info import INDEX_COLUMNS, Info
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.parquet_rows import numeric
from fieldloop.ingest.readers.lerobot.streams import CAPTURE, camera_streams, picture_streams, table_streams
from fieldloop.model.condition import Stratum
from fieldloop.model.episode import Defect, Episode, Recording
from fieldloop.model.identity import content_id
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream

POSITIONAL = ("episode_index", "index", "task_index")
"""Columns that say where an episode stands in its dataset, not what it is: no part of its name."""

TEXTS = ("robot", "site", "operator", "session", "provider", "protocol", "failure")


def read_recording(root: Path, info: Info, entry: Entry, absent: tuple[str, ...], listed: int) -> Recording:
    """Read one episode's table and look at its videos' packets; pixels stay where they are."""
    defects: list[Defect] = []
    table = entry.rows(defects)
    arrays, reasons = numeric(table, table.column_names) if table is not None else ({}, {})
    times_ns = _timestamps(arrays, info, entry, defects)
    streams: dict[str, Stream] = {}
    if table is not None:
        streams |= table_streams(arrays, info, times_ns)
        streams |= picture_streams(root, info, table, times_ns, set(reasons))
    cameras, parts = camera_streams(info, entry, absent, _capture(arrays, info), defects)
    streams |= cameras
    defects += _length_defects(entry, len(times_ns), cameras)
    defects += _missing_columns(info, table)
    identity = content_id(_identity(arrays, parts))
    episode = _episode(identity, root, info, entry, streams, listed, defects)
    return Recording(episode, streams, tuple(defects))


def _timestamps(
    arrays: Mapping[str, NDArray[Any]], info: Info, entry: Entry, defects: list[Defect]
) -> NDArray[np.int64]:
    """The timestamp column in ns; frame number over rate where there is none."""
    rows = max((len(a) for a in arrays.values()), default=0)
    stamps = arrays.get("timestamp")
    if stamps is not None and stamps.shape[1:] == (1,) and np.isfinite(stamps).all():
        return np.round(stamps[:, 0].astype(np.float64) * NS_PER_S).astype(np.int64)
    if rows:
        defects.append(Defect(entry.data_path, "timestamp", "No usable timestamps; frame number over fps is used."))
    return np.round(np.arange(rows) * NS_PER_S / (info.fps or 1.0)).astype(np.int64)


def _capture(arrays: Mapping[str, NDArray[Any]], info: Info) -> dict[str, NDArray[np.int64]]:
    """Real capture stamps by camera, where the dataset kept them."""
    stamps = arrays.get(CAPTURE)
    names = info.features[CAPTURE].names if CAPTURE in info.features else ()
    if stamps is None or len(names) != stamps.shape[1]:
        return {}
    return {name: stamps[:, i].astype(np.int64) for i, name in enumerate(names)}


def _length_defects(entry: Entry, rows: int, cameras: Mapping[str, Stream]) -> Iterator[Defect]:
    place = f"episode {entry.index}"
    if entry.length is not None and entry.length != rows and rows:
        yield Defect("length", place, f"{entry.length} frames are listed, the table has {rows} rows.")
    for name, stream in cameras.items():
        if rows and len(stream) != rows:
            yield Defect(name, place, f"The video has {len(stream)} frames, the table {rows} rows.")


def _missing_columns(info: Info, table: Any) -> Iterator[Defect]:
    if table is None:
        return
    for key, feature in info.features.items():
        if feature.dtype != "video" and key not in table.column_names and key not in INDEX_COLUMNS:
            yield Defect(key, "meta/info.json", "The feature is declared, but the table has no such column.")


def _identity(arrays: Mapping[str, NDArray[Any]], parts: list[bytes]) -> Iterator[bytes]:
    for name in sorted(arrays.keys() - set(POSITIONAL)):
        yield name.encode()
        yield arrays[name].dtype.str.encode()
        yield arrays[name].tobytes()
    yield from parts


def _episode(
    id_: str, root: Path, info: Info, entry: Entry, streams: Mapping[str, Stream], listed: int, defects: list[Defect]
) -> Episode:
    said = {key: value for key, value in entry.facts.items() if value is not None and value != ""}
    fields: dict[str, Any] = {key: str(said[key]) for key in TEXTS if key in said}
    fields |= {key: bool(said[key]) for key in ("simulated", "succeeded") if isinstance(said.get(key), bool)}
    try:
        fields["stratum"] = Stratum.parse(str(said.get("stratum", "")))
    except BadInput as wrong:
        defects.append(Defect("stratum", f"episode {entry.index}", str(wrong)))
    known = {*TEXTS, "simulated", "succeeded", "stratum", "name", "task"}
    facts = {key: str(value) for key, value in said.items() if key not in known}
    facts |= {"dataset": root.name, "episode_index": str(entry.index), "dataset_episodes": str(listed)}
    if len(entry.tasks) > 1:
        facts["tasks"] = " | ".join(entry.tasks)
    start_ns, end_ns = _span(streams)
    return Episode(
        **{"robot": info.robot, **fields}, id=id_, name=str(said.get("name") or f"episode_{entry.index:06d}"),
        format=f"lerobot {info.version}", task=entry.tasks[0] if entry.tasks else "", start_ns=start_ns, end_ns=end_ns,
        facts=tuple(sorted(facts.items())),
    )  # fmt: skip


def _span(streams: Mapping[str, Stream]) -> tuple[int, int]:
    """Real time where capture stamps were kept, else from 0."""
    for clock in (ClockKind.HEADER, ClockKind.SYNTHETIC, ClockKind.CONTAINER):
        found = [s.clocks[clock] for s in streams.values() if clock in s.clocks and len(s)]
        if found:
            return int(min(t.min() for t in found)), int(max(t.max() for t in found))
    return 0, 0

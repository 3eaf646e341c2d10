"""One episode of a LeRobot dataset becomes a Recording."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.lerobot.dataset import Dataset
from fieldloop.ingest.readers.lerobot.info import Info
from fieldloop.ingest.readers.lerobot.layout import Entry
from fieldloop.ingest.readers.lerobot.origin import build_episode
from fieldloop.ingest.readers.lerobot.rate import choose_rate, read_table_times
from fieldloop.ingest.readers.lerobot.rows import Rows
from fieldloop.ingest.readers.lerobot.stats import compare_episode_stats, find_out_of_range_values
from fieldloop.ingest.readers.lerobot.streams import make_camera_streams, make_picture_streams, make_table_streams
from fieldloop.ingest.readers.lerobot.texts import collect_text_facts
from fieldloop.model.episode import Defect, Harm, Recording
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S, Stream

POSITIONAL = ("episode_index", "index", "task_index")
"""Columns that state an episode's position in its dataset, not its content: not part of its id."""


def read_recording(dataset: Dataset, entry: Entry) -> Recording:
    """Read one episode's table and look at its videos' packets; pixels stay where they are."""
    info = dataset.info
    defects: list[Defect] = []
    rows = entry.rows(defects) or Rows(())
    measured_ns = read_table_times(rows)
    times_ns = measured_ns if measured_ns is not None else _compute_times_from_rate_ns(rows, info, entry, defects)
    rate = choose_rate(info.fps, measured_ns)
    stamps = dataset.stamps.find_stamps(rows.arrays)
    streams: dict[str, Stream] = make_table_streams(rows, info, times_ns, rate, stamps)
    pictures, parts = make_picture_streams(dataset.root, info, rows, times_ns, rate, stamps)
    cameras, more = make_camera_streams(dataset, rate, entry, stamps, defects)
    texts = collect_text_facts(rows, entry.index, entry.data_path, defects)
    streams |= pictures | cameras
    defects += _find_length_defects(entry, len(times_ns), cameras)
    defects += _find_stats_defects(dataset, entry, rows, len(times_ns))
    identity = compute_content_id(_collect_identity_bytes(rows.arrays, texts, [*parts, *more]))
    episode = build_episode(identity, dataset, entry, streams, rows.arrays, texts, defects)
    return Recording(episode, streams, tuple(defects))


def _compute_times_from_rate_ns(rows: Rows, info: Info, entry: Entry, defects: list[Defect]) -> NDArray[np.int64]:
    """Frame number over rate, where no timestamp column is usable."""
    count = max((len(a) for a in rows.arrays.values()), default=len(rows))
    if count:
        defects.append(Defect(entry.data_path, "timestamp", note("ingest.timestamps_unusable"), Harm.HARMLESS))
    return np.round(np.arange(count) * NS_PER_S / (info.fps or 1.0)).astype(np.int64)


def _find_length_defects(entry: Entry, rows: int, cameras: Mapping[str, Stream]) -> Iterator[Defect]:
    if entry.length is not None and entry.length != rows and rows:
        message = note("ingest.count_mismatch", stated=entry.length, what="frames", found=rows)
        yield Defect.from_place("length", "episode", entry.index, message, Harm.MISLEADS)
    for name, stream in cameras.items():
        if rows and len(stream) != rows:
            message = note("ingest.video_length_differs", frames=len(stream), rows=rows)
            harm = Harm.LOST if len(stream) < rows else Harm.MISLEADS
            yield Defect.from_place(name, "episode", entry.index, message, harm)


def _find_stats_defects(dataset: Dataset, entry: Entry, rows: Rows, count: int) -> Iterator[Defect]:
    if entry.stats:
        yield from compare_episode_stats(entry.stats, rows.arrays, count, entry.index)
    else:
        yield from find_out_of_range_values(dataset.stats, rows.arrays, entry.index)
    numbers = rows.arrays.get("index")
    if entry.frames is None or numbers is None or not len(numbers) or numbers.dtype.kind not in "iu":
        return
    really = int(numbers[0, 0]), int(numbers[-1, 0]) + 1
    if really != entry.frames:
        message = note(
            "ingest.frame_numbers_differ", first=entry.frames[0], last=entry.frames[1] - 1, first_found=really[0],
            last_found=really[1] - 1,
        )  # fmt: skip
        yield Defect.from_place("index", "episode", entry.index, message, Harm.MISLEADS)


def _collect_identity_bytes(
    arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str], parts: list[bytes]
) -> Iterator[bytes]:
    for name in sorted(arrays.keys() - set(POSITIONAL)):
        yield f"{name} {arrays[name].dtype.str}".encode()
        yield arrays[name].tobytes()
    if texts:
        yield json.dumps(texts, sort_keys=True).encode()
    yield from parts

"""Datasets for `bench.explorer`: numbered frames in three encodings, and one of 50 GB that takes little room."""

import json
import os
import shutil
import struct
from pathlib import Path

from fieldloop.release.writers import write_lerobot
from fieldloop.testing.marked_video import AV1, H264, H264_SHORT, encode_again, make_marked_recording

ENCODINGS = {"h264_gop60_b3": H264, "h264_gop10": H264_SHORT, "av1_gop2": AV1}
SIZE, FRAMES, EPISODES = (640, 480), 300, 2
BIG_FRAMES, BIG_EPISODES = 60, 5
GB, MB = 10**9, 10**6
VIDEO_MB, FILES_A_CHUNK = 25, 1000
LISTED = "meta/episodes/chunk-000/file-000.parquet"


def make_marked_datasets(folder: Path) -> dict[str, Path]:
    """Write the same two episodes once for each encoding."""
    plain, made = folder / "plain", {}
    write_lerobot([make_marked_recording(number, FRAMES, size=SIZE) for number in range(EPISODES)], plain)
    for name, encoding in ENCODINGS.items():
        made[name] = folder / name
        shutil.copytree(plain, made[name])
        for video in sorted(made[name].glob("videos/**/*.mp4")):
            encode_again(video, encoding)
    return made


def make_big_dataset(target: Path, files: int) -> float:
    """Write a LeRobot v3.0 dataset of many files; returns its apparent size in GB.

    Every data file is written, because it names its episodes. The videos of a camera are one file under many names
    (hard links), and most of its 25 MB is a hole: a box of MP4 that players pass over, never written to the disk.
    """
    write_lerobot([make_marked_recording(number, BIG_FRAMES, size=SIZE) for number in range(BIG_EPISODES)], target)
    for video in sorted(target.glob("videos/**/*.mp4")):
        encode_again(video, AV1)
        _add_hole(video, VIDEO_MB * MB)
        for number in range(1, files):
            place = video.parents[1] / f"chunk-{number // FILES_A_CHUNK:03d}" / f"file-{number % FILES_A_CHUNK:03d}.mp4"
            place.parent.mkdir(exist_ok=True)
            os.link(video, place)
    _repeat_rows(target, files)
    _repeat_listing(target, files)
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) / GB


def _add_hole(video: Path, size: int) -> None:
    begin = video.stat().st_size
    with video.open("r+b") as file:
        file.seek(begin)
        file.write(struct.pack(">I4s", size - begin, b"free"))
        file.truncate(size)


def _repeat_rows(target: Path, files: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = target / "data/chunk-000/file-000.parquet"
    table = pq.read_table(first)
    for number in range(1, files):
        place = target / f"data/chunk-{number // FILES_A_CHUNK:03d}/file-{number % FILES_A_CHUNK:03d}.parquet"
        place.parent.mkdir(exist_ok=True)
        changed = table
        for name, step in (("episode_index", BIG_EPISODES), ("index", len(table))):
            column = table.column_names.index(name)
            values = pa.array(table[name].to_numpy() + number * step, table.schema.field(name).type)
            changed = changed.set_column(column, table.schema.field(name), values)
        pq.write_table(changed, place)


def _repeat_listing(target: Path, files: int) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(target / LISTED)
    many = pa.concat_tables([table] * files)
    numbers = np.repeat(np.arange(files), len(table))
    rows = int(table["length"].to_numpy().sum())
    for name in table.column_names:
        if name == "episode_index":
            added = numbers * len(table)
        elif name in ("dataset_from_index", "dataset_to_index"):
            added = numbers * rows
        elif name.endswith("/file_index") and not name.startswith("meta/"):
            added = numbers % FILES_A_CHUNK
        elif name.endswith("/chunk_index") and not name.startswith("meta/"):
            added = numbers // FILES_A_CHUNK
        else:
            continue
        field = table.schema.field(name)
        many = many.set_column(
            many.column_names.index(name), field, pa.array(many[name].to_numpy() + added, field.type)
        )
    pq.write_table(many, target / LISTED)
    path = target / "meta/info.json"
    info = json.loads(path.read_text())
    info |= {"total_episodes": len(many), "total_frames": rows * files}
    if "splits" in info:
        info["splits"] = {"train": f"0:{len(many)}"}
    path.write_text(json.dumps(info))

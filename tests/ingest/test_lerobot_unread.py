"""What of a LeRobot dataset is not read is named: files that repeat an episode's number, videos of no episode."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.ingest.hdf5_makers import pictures, video

from fieldloop.ingest import open_log
from fieldloop.model.episode import Harm
from fieldloop.model.provenance import Provenance, StreamFact
from fieldloop.model.stream import ClockKind

CAMERA = "observation.images.top"
FPS = 10
EPOCH_S = 1_766_737_345.9


def write_episode(path, rows=20, timestamp=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    state = pa.array(np.random.default_rng(rows).normal(size=(rows, 2)).tolist(), pa.list_(pa.float32(), 2))
    stamps = np.arange(rows) / FPS if timestamp is None else timestamp
    columns = {"timestamp": stamps, "frame_index": np.arange(rows), "episode_index": np.zeros(rows, np.int64)}
    pq.write_table(pa.table({**columns, "observation.state": state}), path)


def write_set(root, chunks, length=20, **data):
    """Write a set of v2.x whose chunks each hold an episode 0."""
    for chunk in chunks:
        write_episode(root / f"data/chunk-{chunk:03d}/episode_000000.parquet", **data)
    (root / "meta").mkdir()
    features = {
        "observation.state": {"dtype": "float32", "shape": [2], "names": None},
        CAMERA: {"dtype": "video", "shape": [], "names": None},
    }
    info = {"codebase_version": "v2.0", "fps": FPS, "features": features}
    (root / "meta/info.json").write_text(json.dumps(info))
    (root / "meta/episodes.jsonl").write_text(json.dumps({"episode_index": 0, "tasks": ["pick"], "length": length}))
    (root / "meta/tasks.jsonl").write_text('{"task_index": 0, "task": "pick"}\n')
    return root


def write_video(root, chunk):
    path = root / f"videos/chunk-{chunk:03d}/{CAMERA}/episode_000000.mp4"
    path.parent.mkdir(parents=True)
    path.write_bytes(video(pictures(20), fps=FPS))


def read(root):
    log = open_log(root)
    recordings = list(log.recordings)
    return recordings, {d.message.code: d for d in (*log.defects, *(d for one in recordings for d in one.defects))}


def test_files_that_repeat_an_episode_are_named(tmp_path):
    recordings, defects = read(write_set(tmp_path / "set", (0, 1, 2)))
    assert len(recordings) == 1
    defect = defects["ingest.files_repeat_episodes"]
    assert (defect.harm, defect.message["count"], defect.message["of"]) == (Harm.LOST, 2, 3)
    assert defect.message["read"] == "data/chunk-002/episode_000000.parquet"


def test_the_file_that_the_listing_states_is_read(tmp_path):
    root = write_set(tmp_path / "set", (0, 1, 2))
    row = {"episode_index": 0, "length": 20, "data_path": "data/chunk-001/episode_000000.parquet"}
    (root / "meta/episodes.jsonl").write_text(json.dumps(row))
    assert read(root)[1]["ingest.files_repeat_episodes"].message["read"] == row["data_path"]


def test_a_data_file_without_a_number_is_named(tmp_path):
    root = write_set(tmp_path / "set", (0,))
    write_episode(root / "data/chunk-000/run_b.parquet")
    assert read(root)[1]["ingest.files_not_read"].message["example"] == "data/chunk-000/run_b.parquet"


def test_videos_of_no_episode_are_named(tmp_path):
    root = write_set(tmp_path / "set", (0,))
    write_video(root, 0)
    assert "ingest.videos_not_read" not in read(root)[1]
    write_video(root, 7)
    assert read(root)[1]["ingest.videos_not_read"].message["count"] == 1


@pytest.mark.parametrize("chunk", [7, 8])
def test_a_video_that_lies_there_under_another_name_is_not_called_missing(tmp_path, chunk):
    root = write_set(tmp_path / "set", (8,))
    write_video(root, chunk)
    write_video(root, 3)
    defects = read(root)[1]
    assert "ingest.part_unreadable" not in defects
    near = 8 if chunk == 8 else 3
    assert defects["ingest.video_under_other_path"].message["example"].startswith(f"videos/chunk-{near:03d}")


def test_dates_at_uneven_steps_are_a_stored_clock(tmp_path):
    steps = np.random.default_rng(0).uniform(0.1002, 0.1025, 20)
    (recording,), defects = read(write_set(tmp_path / "set", (0,), timestamp=EPOCH_S + np.cumsum(steps)))
    joints = recording.streams["joints"]
    assert joints.clock is ClockKind.HEADER
    assert joints.get_provenance(StreamFact.CLOCK) is Provenance.STORED
    assert "timestamp" in joints.notes["stamps"]
    assert "ingest.timestamps_unusable" not in defects


@pytest.mark.parametrize(
    "timestamp",
    [
        EPOCH_S + np.arange(20) / FPS,  # a start time and the rate
        np.arange(20) / FPS + np.random.default_rng(0).uniform(0, 1e-3, 20),  # no date
    ],
)
def test_other_row_times_stay_made_up(tmp_path, timestamp):
    (recording,), _ = read(write_set(tmp_path / "set", (0,), timestamp=timestamp))
    assert recording.streams["joints"].clock is ClockKind.SYNTHETIC


def test_a_length_of_0_is_one_finding_of_the_dataset(tmp_path):
    _, defects = read(write_set(tmp_path / "set", (0,), length=0))
    assert defects["ingest.lengths_not_filled_in"].harm is Harm.MISLEADS
    assert "ingest.count_mismatch" not in defects


def test_a_frame_number_from_a_date_is_not_written(tmp_path):
    root = write_set(tmp_path / "set", (0,), timestamp=EPOCH_S + np.arange(20) / FPS)
    write_video(root, 0)
    assert dict(read(root)[1]["ingest.timestamps_start_late"].message.numbers).get("frame") is None


def test_a_video_that_is_none_is_named_without_an_error_number(tmp_path):
    root = write_set(tmp_path / "set", (0,))
    write_video(root, 0)
    next(root.rglob("*.mp4")).write_bytes(b"no video" * 100)
    reason = str(read(root)[1]["ingest.part_unreadable"].message["reason"])
    assert "Errno" not in reason
    assert "the decoder finds no video in it" in reason

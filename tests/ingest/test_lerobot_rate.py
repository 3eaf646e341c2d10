"""A LeRobot dataset's rate: stated, denied by its own stamps, or lost; and the frames that belong to an episode."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ingest.lerobot_makers import DATA, FPS, ROWS, foreign

from fieldloop.ingest import open_log
from fieldloop.ingest.pictures.packets import sort_packets_by_presentation
from fieldloop.ingest.readers.lerobot.rate import find_frame_at
from fieldloop.model.stream import ClockKind
from fieldloop.release.writers import write_lerobot
from fieldloop.testing.facts import write_defect_facts, write_note_facts
from fieldloop.testing.injuries.injury import keep_span
from fieldloop.testing.synthetic import make_healthy_case


def read(folder):
    log = open_log(folder)
    recordings = list(log.recordings)
    found = (*log.defects, *(d for r in recordings for d in r.defects))
    return recordings, write_defect_facts(found)


def edit(folder, change):
    path = folder / "meta/info.json"
    info = json.loads(path.read_text())
    change(info)
    path.write_text(json.dumps(info))


def as_a_strangers(info):
    """Forget what only a release says of a stream."""
    for feature in info["features"].values():
        feature.pop("info", None)


@pytest.fixture
def uneven(tmp_path):
    """Two episodes that share a video and end at no round time."""
    made = [
        keep_span(make_healthy_case(seed=i), lambda at_s, end=end: at_s < end).recording
        for i, end in enumerate((4.65, 3.1))
    ]
    return write_lerobot(made, tmp_path / "set").path


def test_a_rate_that_timestamps_and_video_deny_is_named_and_not_used(uneven):
    def slower(info):
        as_a_strangers(info)
        info["fps"] = 15

    edit(uneven, as_a_strangers)
    (before, *_), said = read(uneven)
    assert said == []
    edit(uneven, slower)
    recordings, said = read(uneven)
    (line,) = said
    assert line.startswith("meta/info.json fps: ingest.rate_contradicted stated_hz=15.0 found_hz=30.0 video_hz=30.0")
    assert line.endswith("denying=2 looked_at=2")
    for recording in recordings:
        assert {stream.nominal_hz for stream in recording.streams.values()} == {30}
    assert "states 15 Hz" in recordings[0].streams["joints"].notes["rate"]
    assert recordings[0].episode.id == before.episode.id


def test_a_rate_that_is_right_is_not_complained_about(tmp_path):
    recordings, said = read(foreign(tmp_path / "theirs"))
    assert said == []
    assert {s.nominal_hz for r in recordings for s in r.streams.values()} == {FPS}
    assert not any("rate" in s.notes for r in recordings for s in r.streams.values())


@pytest.mark.parametrize("hurt", [Path.unlink, lambda path: path.write_text('{"codebase_version": "v3.0", ')])
def test_without_a_description_the_frames_of_an_episode_are_still_its_own(uneven, hurt):
    wanted, _ = read(uneven)
    hurt(uneven / "meta/info.json")
    recordings, said = read(uneven)
    assert not any("ingest.video_length_differs" in line for line in said), said
    for got, before in zip(recordings, wanted, strict=True):
        assert len(got.streams["joints"]) == len(before.streams["joints"])
        assert {stream.nominal_hz for stream in got.streams.values()} == {30}
        for name in ("camera/overhead", "camera/wrist"):
            ours, theirs = got.streams[name].pictures, before.streams[name].pictures
            assert len(ours) == len(got.streams["joints"])
            assert list(ours.fingerprint()) == list(theirs.fingerprint())


def test_container_stamps_begin_at_zero_and_not_a_rounding_before_it(uneven):
    edit(uneven, as_a_strangers)
    for recording in read(uneven)[0]:
        assert recording.streams["camera/wrist"].clocks[ClockKind.CONTAINER][0] == 0
        assert recording.episode.start_ns >= 0


@given(
    frames=st.integers(2, 300), first=st.integers(0, 299), fps=st.sampled_from([5, 24, 25, 30, 50, 60]),
    off=st.floats(-0.4, 0.4), base=st.sampled_from([1000, 12_800, 15_360, 90_000]),
)  # fmt: skip
def test_the_frame_nearest_to_a_moment_is_found(frames, first, fps, off, base):
    pts = np.round(np.arange(frames) * base / fps).astype(np.int64)
    ones = np.ones(frames, np.int64)
    packets = sort_packets_by_presentation("h264", (8, 8), (1, base), pts, ones, ones.astype(bool), ones)
    first = min(first, frames)
    assert find_frame_at(packets, (first + off) / fps) == first


def test_a_moment_whose_frames_are_lost_begins_with_the_next():
    kept = np.asarray([0, 1, 2, 3, 6, 7, 8])
    ones = np.ones(len(kept), np.int64)
    packets = sort_packets_by_presentation("h264", (8, 8), (1, 30), kept, ones, ones.astype(bool), ones)
    assert find_frame_at(packets, 4 / 30) == 4


@pytest.mark.parametrize(
    ("late", "said_of_it"),
    [((0, 1, 2), "first_s=0.1 last_s=0.1 late=3 looked_at=3"), ((1,), "first_s=0.1 last_s=0.1 late=1 looked_at=3")],
)
def test_timestamps_that_begin_late_are_counted(v2, late, said_of_it):
    for index in late:
        path = v2 / f"data/chunk-000/episode_{index:06d}.parquet"
        table = pq.read_table(path)
        later = pa.array(np.asarray(table["timestamp"], np.float32) + np.float32(0.1))
        pq.write_table(table.set_column(table.column_names.index("timestamp"), "timestamp", later), path)
    _, said = read(v2)
    (line,) = (line for line in said if "ingest.timestamps_start_late" in line)
    assert line.startswith(f"timestamp episode {late[0]}: ")
    assert said_of_it in line
    assert " frame=3 " in line


def test_without_videos_no_frame_is_late(v2):
    path = v2 / "data/chunk-000/episode_000001.parquet"
    table = pq.read_table(path)
    later = pa.array(np.asarray(table["timestamp"], np.float32) + np.float32(0.1))
    pq.write_table(table.set_column(table.column_names.index("timestamp"), "timestamp", later), path)
    shutil.rmtree(v2 / "videos")
    _, said = read(v2)
    assert not any("ingest.timestamps_start_late" in line for line in said)
    assert any("ingest.declared_but_missing" in line for line in said)


def test_rows_that_are_tables_say_so(tmp_path):
    root = foreign(tmp_path / "theirs")
    table = pq.read_table(root / DATA)
    cells = np.arange(2 * ROWS * 4, dtype=np.float32)
    nested = pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(pa.array(cells), 2), 2)
    pq.write_table(table.append_column("observation.turn", nested), root / DATA)
    edit(root, lambda info: info["features"].update({"observation.turn": {"dtype": "float32", "shape": [2, 2]}}))
    recordings, said = read(root)
    assert said == []
    turn = recordings[0].streams["observation.turn"]
    assert (turn.values.shape, turn.notes["shape"]) == ((ROWS, 4), "2 × 2, row by row")
    done = write_lerobot(recordings, tmp_path / "ours")
    assert "release.rows_flattened observation.turn width=4 shape=2 × 2, row by row" in map(
        write_note_facts, done.left_out
    )
    assert [loss.subject.stream for loss in done.left_out if loss.code == "release.rows_flattened"] == [
        "observation.turn"
    ]
    again, _ = read(done.path)
    assert again[0].streams["observation.turn"].notes["shape"] == "2 × 2, row by row"

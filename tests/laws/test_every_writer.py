"""What every writer obeys: whole or not at all, true numbers, nothing left out in silence."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers import write_lerobot
from fieldloop.release.writers.grid import Rule, nearest, resample, rule_for
from fieldloop.release.writers.lerobot.stats import PictureStats, of_values
from fieldloop.testing.injuries import cut, spoil_frames
from fieldloop.testing.synthetic import healthy_case, with_streams


def short(seed=0):
    """Two seconds are enough to write."""
    return cut(healthy_case(seed=seed), lambda at_s: at_s < 2.0).recording


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("set") / "picks"
    return write_lerobot([short(0), short(1)], folder)


def test_it_says_what_it_wrote_and_what_it_left_out(written):
    assert (written.episodes, written.frames) == (2, 120)
    assert written.left_out == ("depth/overhead",)


def test_a_folder_that_is_there_is_never_written_into(written):
    before = sorted(path.stat().st_mtime_ns for path in written.path.rglob("*"))
    with pytest.raises(BadInput, match="there already"):
        write_lerobot([short()], written.path)
    assert sorted(path.stat().st_mtime_ns for path in written.path.rglob("*")) == before


@pytest.mark.parametrize(
    ("recordings", "said"),
    [
        (list, "no recording"),
        (lambda: [short(0), with_streams(short(1), {"force": None})], "synthetic-1 lacks force"),
        (lambda: [with_streams(short(0), {"camera/overhead": None, "camera/wrist": None})], "has no camera"),
        (lambda: [cut(healthy_case(), lambda at_s: at_s < 0).recording], "has no sample of"),
    ],
)
def test_it_appears_whole_or_not_at_all(tmp_path, recordings, said):
    with pytest.raises(BadInput, match=said):
        write_lerobot(recordings(), tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_breaks_midway_leaves_nothing_behind(tmp_path):
    def breaking():
        yield short()
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="gone"):
        write_lerobot(breaking(), tmp_path / "set")
    assert list(tmp_path.iterdir()) == []


def test_frames_that_do_not_decode_are_named(tmp_path):
    case = spoil_frames(healthy_case(), range(10, 12), np.empty((0, 0, 3), np.uint8))
    done = write_lerobot([cut_spoilt(case)], tmp_path / "set")
    assert "synthetic-0: frames of camera/wrist that do not decode" in done.left_out
    (got,) = open_log(tmp_path / "set").recordings
    assert all(frame.size for frame in got.streams["camera/wrist"].pictures.frames([9, 10, 11, 12]))


def cut_spoilt(case):
    """Keep every frame of the spoilt camera; the others follow its clock."""
    return with_streams(case.recording, {"camera/overhead": None, "depth/overhead": None, "imu": None})


def test_odd_sizes_are_not_cut_to_fit(tmp_path):
    made = short()
    camera = made.streams["camera/overhead"]
    odd = replace(camera, pictures=replace(camera.pictures, width=63, height=47))
    write_lerobot([with_streams(made, {"camera/overhead": odd, "camera/wrist": None})], tmp_path / "set")
    (got,) = open_log(tmp_path / "set").recordings
    assert got.streams["camera/overhead"].pictures.size == (63, 47)


def test_its_statistics_are_those_of_what_it_wrote(written):
    stats = json.loads((written.path / "meta/stats.json").read_text())
    rows = pq.read_table(written.path / "data/chunk-000/file-000.parquet")
    values = np.asarray(rows["observation.state"].to_pylist(), np.float64)
    wanted = {"min": values.min(0), "max": values.max(0), "mean": values.mean(0), "std": values.std(0)}
    wanted |= {f"q{q:02d}": np.quantile(values, q / 100, axis=0) for q in (1, 10, 50, 90, 99)}
    for name, value in wanted.items():
        np.testing.assert_allclose(stats["observation.state"][name], value, atol=1e-9)
    assert stats["observation.state"]["count"] == [120]
    assert np.asarray(stats["observation.images.wrist"]["mean"]).shape == (3, 1, 1)
    assert 0.05 < stats["observation.images.wrist"]["std"][0][0][0] < 0.5  # levels 0 to 1, and never a flat zero


def test_the_tables_are_laid_out_as_the_library_expects(written):
    info = json.loads((written.path / "meta/info.json").read_text())
    frames = pq.ParquetFile(written.path / "data/chunk-000/file-000.parquet")
    assert frames.metadata.num_row_groups == 2  # one an episode
    declared = {key for key, feature in info["features"].items() if feature["dtype"] != "video"}
    assert set(frames.schema_arrow.names) == declared
    assert not any("/" in key for key in info["features"])
    tasks = pq.read_table(written.path / "meta/tasks.parquet")
    assert json.loads(tasks.schema.metadata[b"pandas"])["index_columns"] == ["task"]
    episodes = pq.read_table(written.path / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [(e["dataset_from_index"], e["dataset_to_index"]) for e in episodes] == [(0, 60), (60, 120)]
    assert [e["operator"] for e in episodes] == ["operator-0", "operator-1"]
    for key in ("observation.images.overhead", "observation.images.wrist"):
        spans = [(e[f"videos/{key}/from_timestamp"], e[f"videos/{key}/to_timestamp"]) for e in episodes]
        assert spans == [(0.0, 2.0), (2.0, 4.0)]


# ── the frame grid


def stream(kind, times, values):
    return Stream("s", kind, "", {ClockKind.HEADER: np.asarray(times)}, np.asarray(values, float)[:, None])


def test_each_kind_is_brought_onto_the_grid_by_its_rule():
    times, values, grid = [0, 10, 20], [0.0, 1.0, 5.0], np.asarray([-5, 4, 10, 18, 99])
    at = {kind: resample(stream(kind, times, values), grid)[:, 0].tolist() for kind in StreamKind}
    assert at[StreamKind.ACTION] == [0, 0, 1, 1, 5]  # a command stands until the next
    assert at[StreamKind.GRIPPER] == [0, 0, 1, 1, 5]
    np.testing.assert_allclose(at[StreamKind.JOINT_POSITION], [0, 0.4, 1, 4.2, 5], rtol=1e-6)
    assert at[StreamKind.POSE] == [0, 0, 1, 5, 5]  # half-way between two quaternions is none
    assert True


def test_a_nanosecond_of_this_century_is_not_lost():
    start = 1_767_225_600_000_000_000
    times = start + np.arange(5) * 1000
    got = resample(stream(StreamKind.JOINT_POSITION, times, np.arange(5)), times[:-1] + 500)
    np.testing.assert_allclose(got[:, 0], [0.5, 1.5, 2.5, 3.5])


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=30, unique=True), st.lists(st.integers(-50, 1050), min_size=1)
)
def test_the_nearest_sample_is_the_nearest(times, grid):
    times, grid = np.sort(times), np.asarray(grid)
    picked = nearest(times, grid)
    assert all(abs(times[p] - g) == np.abs(times - g).min() for p, g in zip(picked, grid, strict=True))


@given(st.lists(st.integers(0, 255), min_size=1, max_size=50))
def test_picture_statistics_count_every_pixel(levels):
    seen = PictureStats()
    seen.add(np.repeat(np.asarray(levels, np.uint8)[None, :, None], 3, axis=2))
    got, wanted = seen.stats(), of_values(np.asarray(levels)[:, None] / 255)
    for name in ("min", "max", "mean", "std"):
        assert got[name][0][0][0] == pytest.approx(wanted[name][0], abs=1e-6)

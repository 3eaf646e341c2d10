"""The LeRobot writer, read back with pyarrow and PyAV alone: every value, every frame, every offset."""

import json
from itertools import pairwise

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.release.marked_set import CAMERAS, FPS, KEYS, LENGTHS, truths

from fieldloop.release.writers.lerobot import Limits, write_lerobot
from fieldloop.testing.barcode import Mark, read_barcode

TINY = Limits(data_mb=0.004, video_mb=0.006, files_a_chunk=2)


@pytest.fixture(scope="module", params=["h264", "av1"])
def written(request, tmp_path_factory):
    recordings = [truth.recording for truth in truths()]
    return write_lerobot(recordings, tmp_path_factory.mktemp("set") / "marked", codec=request.param, limits=TINY)


@pytest.fixture(scope="module")
def episodes(written):
    paths = sorted(written.path.glob("meta/episodes/*/*.parquet"))
    return [row for path in paths for row in pq.read_table(path).to_pylist()]


def rows_of(written, episode):
    """An episode's rows, from the file that the table of episodes names."""
    file = f"data/chunk-{episode['data/chunk_index']:03d}/file-{episode['data/file_index']:03d}.parquet"
    with pq.ParquetFile(written.path / file) as opened:
        groups = [opened.read_row_group(i) for i in range(opened.metadata.num_row_groups)]
    (rows,) = [g for g in groups if g["episode_index"][0].as_py() == episode["episode_index"]]
    return rows


def pictures_of(written, episode, key):
    """An episode's frames by stamp, as a learner's loader looks for them."""
    prefix = f"videos/{key}/"
    file = f"chunk-{episode[prefix + 'chunk_index']:03d}/file-{episode[prefix + 'file_index']:03d}.mp4"
    depth = "depth" in key
    with av.open(str(written.path / "videos" / key / file)) as video:
        frames = {
            round(float(f.pts * f.time_base) * FPS, 3): f.to_ndarray(format="gray12le" if depth else "rgb24")
            for f in video.decode(video=0)
        }
    start = episode[prefix + "from_timestamp"]
    assert episode[prefix + "to_timestamp"] == pytest.approx(start + episode["length"] / FPS)
    found = [frames[round(start * FPS + i, 3)] for i in range(episode["length"])]
    return [np.exp(f * (np.log(13.5 / 3.51) / 4095) + np.log(3.51)) - 3.5 for f in found] if depth else found


def test_every_column_of_every_row_is_what_went_in(written, episodes):
    at = 0
    for number, (episode, truth) in enumerate(zip(episodes, truths(), strict=True)):
        rows, count = rows_of(written, episode), LENGTHS[number]
        for name, wanted in truth.values.items():
            got = np.asarray(rows[KEYS[name]].to_pylist()).reshape(count, -1)
            np.testing.assert_array_equal(got, wanted, err_msg=name)
        np.testing.assert_array_equal(np.asarray(rows["capture_ns"].to_pylist()), truth_stamps(truth))
        assert rows["index"].to_pylist() == list(range(at, at + count))
        assert rows["frame_index"].to_pylist() == list(range(count))
        np.testing.assert_allclose(rows["timestamp"].to_pylist(), np.arange(count) / FPS, atol=1e-6)
        assert (episode["dataset_from_index"], episode["dataset_to_index"]) == (at, at + count)
        at += count


def truth_stamps(truth):
    return np.column_stack([truth.stamps_ns[:, 0], truth.stamps_ns])


def test_every_frame_shows_the_mark_of_its_place(written, episodes):
    for number, (episode, truth) in enumerate(zip(episodes, truths(), strict=True)):
        for camera, name in enumerate(CAMERAS):
            source = truth.recording.streams[name].pictures
            got = pictures_of(written, episode, KEYS[name])
            assert [read_barcode(picture) for picture in got] == [
                Mark(camera, number, i) for i in range(LENGTHS[number])
            ]
            limit = 0.003 if name.startswith("depth") else 12.0  # metres; levels, on average over a picture
            for picture, wanted in zip(got, source.frames(), strict=True):
                assert np.abs(picture.astype(float) - wanted).mean() < limit


def test_files_and_folders_roll_at_their_limits(written, episodes):
    for prefix in ("data/", *(f"videos/{KEYS[name]}/" for name in CAMERAS)):
        places = [(e[f"{prefix}chunk_index"], e[f"{prefix}file_index"]) for e in episodes]
        assert places == sorted(places)
        assert len(set(places)) > 1, prefix
        steps = {b for a, b in pairwise(dict.fromkeys(places)) if b[1] != a[1] + 1}
        assert all(file == 0 for _, file in steps)
        assert max(file for _, file in places) == 1  # two files a folder
    found = {p.relative_to(written.path).as_posix() for p in written.path.rglob("*.*") if p.is_file()}
    named = {f"data/chunk-{e['data/chunk_index']:03d}/file-{e['data/file_index']:03d}.parquet" for e in episodes}
    assert {path for path in found if path.startswith("data/")} == named


def test_each_episode_begins_with_a_key_frame(written, episodes):
    for name in CAMERAS:
        prefix = f"videos/{KEYS[name]}/"
        for episode in episodes:
            file = f"chunk-{episode[prefix + 'chunk_index']:03d}/file-{episode[prefix + 'file_index']:03d}.mp4"
            with av.open(str(written.path / prefix / file)) as video:
                keys = [float(p.pts * p.time_base) for p in video.demux(video=0) if p.size and p.is_keyframe]
            assert np.abs(np.asarray(keys) - episode[prefix + "from_timestamp"]).min() < 1e-6


def test_the_description_adds_up(written):
    info = json.loads((written.path / "meta/info.json").read_text())
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (len(LENGTHS), sum(LENGTHS), 3)
    assert (info["fps"], info["robot_type"], info["splits"]) == (FPS, "arm-7", {"train": f"0:{len(LENGTHS)}"})
    declared = {key for key, feature in info["features"].items() if feature["dtype"] != "video"}
    for path in written.path.glob("data/*/*.parquet"):
        assert set(pq.read_schema(path).names) == declared
    assert info["features"]["action"]["dtype"] == "float32"
    assert info["features"]["observation.übung"]["dtype"] == "float64"  # of no kind: it may be anything
    assert info["features"]["observation.gripper.closed"]["dtype"] == "bool"
    assert info["features"]["capture_ns"]["names"] == ["frame grid", *CAMERAS]
    wrist = info["features"]["observation.images.wrist"]["info"]
    assert (wrist["stream"], wrist["kind"], wrist["serial"], wrist["clock"]) == (
        "camera/wrist",
        "rgb",
        "SN-1",
        "header",
    )
    depth = info["features"]["observation.images.depth.front"]["info"]
    assert (depth["is_depth_map"], depth["depth_unit"], depth["video.pix_fmt"]) == (True, "m", "gray12le")
    state = info["features"]["observation.state"]["info"]
    assert (state["frame_id"], state["unit"], state["resampled"]) == ("joints_link", "rad", "as recorded")


def test_tasks_and_origin_are_kept_in_columns_and_beside(written, episodes):
    tasks = pq.read_table(written.path / "meta/tasks.parquet").to_pydict()
    number_of = dict(zip(tasks["task"], tasks["task_index"], strict=True))
    lines = [json.loads(line) for line in (written.path / "meta/fieldloop.jsonl").read_text().splitlines()]
    for episode, truth, line in zip(episodes, truths(), lines, strict=True):
        wanted = truth.recording.episode
        assert episode["tasks"] == truth.tasks
        assert set(rows_of(written, episode)["task_index"].to_pylist()) == {number_of[truth.tasks[0]]}
        assert (episode["uid"], episode["operator"], episode["site"]) == (wanted.id, wanted.operator, "köln")
        assert (episode["stratum"], episode["succeeded"]) == ("lighting=dim", wanted.succeeded)
        assert json.loads(episode["facts"]) == dict(wanted.facts)
        assert (line["uid"], line["length"], line["episode"]["operator"]) == (
            wanted.id,
            len(truth.stamps_ns),
            wanted.operator,
        )
        assert line["capture_ns"] == [wanted.start_ns, wanted.end_ns]


def test_statistics_are_those_of_what_was_written(written, episodes):
    stats = json.loads((written.path / "meta/stats.json").read_text())
    for name in truths()[0].values:
        whole = [t.values[name] for t in truths()]
        assert_stats(stats[KEYS[name]], np.concatenate(whole))
        for episode, values in zip(episodes, whole, strict=True):
            prefix = f"stats/{KEYS[name]}/"
            assert_stats({k.removeprefix(prefix): v for k, v in episode.items() if k.startswith(prefix)}, values)
    for name in CAMERAS[:2]:
        pixels = np.concatenate([np.stack(list(t.recording.streams[name].pictures.frames())) for t in truths()])
        levels = pixels.reshape(-1, 3) / 255
        got = stats[KEYS[name]]
        assert np.asarray(got["mean"]).shape == (3, 1, 1)
        for key, wanted in {
            "min": levels.min(0),
            "max": levels.max(0),
            "mean": levels.mean(0),
            "std": levels.std(0),
        }.items():
            np.testing.assert_allclose(np.ravel(got[key]), wanted, atol=1e-9)
        for q in (1, 10, 50, 90, 99):
            wanted = np.quantile(levels, q / 100, axis=0, method="inverted_cdf")
            np.testing.assert_allclose(np.ravel(got[f"q{q:02d}"]), wanted, atol=1e-9)
        assert got["count"] == [sum(LENGTHS)]


def assert_stats(got, values):
    values = values.astype(np.float64)
    wanted = {"min": values.min(0), "max": values.max(0), "mean": values.mean(0), "std": values.std(0)}
    wanted |= {f"q{q:02d}": np.quantile(values, q / 100, axis=0) for q in (1, 10, 50, 90, 99)}
    for key, value in wanted.items():
        np.testing.assert_allclose(got[key], value, rtol=1e-9, atol=1e-9, err_msg=key)
    assert got["count"] == [len(values)]


def test_it_says_what_it_rounded_and_how_it_resampled(written):
    assert (written.episodes, written.frames, written.clock) == (len(LENGTHS), sum(LENGTHS), "camera/front")
    lost = [(loss.code, loss.subject.stream) for loss in written.left_out]
    assert ("release.values_rounded", "action") in lost
    assert ("release.depth_quantised", "depth/front") in lost
    assert sum(code == "release.pixels_recompressed" for code, _ in lost) == 2
    assert {code for code, _ in lost} == {
        "release.values_rounded",
        "release.depth_quantised",
        "release.pixels_recompressed",
    }
    assert (written.rules["joints"], written.rules["camera/wrist"]) == ("as recorded", "nearest")


# ── special cases

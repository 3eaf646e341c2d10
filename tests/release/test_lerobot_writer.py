"""The LeRobot writer, read back with pyarrow and PyAV alone: every value, every frame, every offset."""

import json
from dataclasses import replace
from itertools import pairwise

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.release.marked_set import CAMERAS, FPS, KEYS, LENGTHS, truths

from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers.lerobot import Limits, write_lerobot
from fieldloop.release.writers.lerobot.depth import DepthScale
from fieldloop.release.writers.lerobot.files import Place, Places
from fieldloop.release.writers.lerobot.naming import name_features
from fieldloop.release.writers.survey import survey
from fieldloop.testing.barcode import Mark, read
from fieldloop.testing.injuries import cut, spoil_frames
from fieldloop.testing.synthetic import healthy_case, with_streams

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
            assert [read(picture) for picture in got] == [Mark(camera, number, i) for i in range(LENGTHS[number])]
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
    assert any(line.startswith("kept as float32, so rounded: action by up to") for line in written.left_out)
    assert any(line.startswith("depth/front: distances are kept in 4096 steps") for line in written.left_out)
    assert sum("pixels change a little by" in line for line in written.left_out) == 2
    assert len(written.left_out) == 4
    assert (written.rules["joints"], written.rules["camera/wrist"]) == ("as recorded", "nearest")


# ── special cases


def short(seed=0, seconds=0.5):
    return cut(healthy_case(seed=seed), lambda at_s: at_s < seconds).recording


def info_of(folder):
    return json.loads((folder / "meta/info.json").read_text())


def test_no_camera_is_needed(tmp_path):
    blind = with_streams(short(), dict.fromkeys(("camera/overhead", "camera/wrist", "depth/overhead")))
    done = write_lerobot([blind], tmp_path / "set")
    assert (done.clock, done.frames) == ("action", 60)
    assert info_of(tmp_path / "set")["video_path"] is None
    assert pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")["capture_ns"].type.num_fields in (0, 1)


def test_names_that_become_one_are_told_apart():
    made = short()
    twins = {
        name: replace(made.streams["force"], name=name)
        for name in ("a/b", "a.b", "A.b", "observation.images.x", "x" * 400)
    }
    twins |= {name: replace(made.streams["camera/wrist"], name=name) for name in ("camera/c", "c", "camera.c")}
    features = survey([with_streams(made, twins)])
    keys = name_features(features)
    assert len({key.casefold() for key in keys.values()}) == len(keys)
    assert not any("/" in key for key in keys.values())
    assert all(len(key.encode()) < 250 for key in keys.values())
    assert (keys["joints"], keys["action"]) == ("observation.state", "action")


def test_the_only_joints_are_the_state_whatever_they_are_called():
    made = short()
    arm = replace(made.streams["joints"], name="arm/joint_states")
    keys = name_features(survey([with_streams(made, {"joints": None, "arm/joint_states": arm})]))
    assert keys["arm/joint_states"] == "observation.state"


def test_splits_are_ranges(tmp_path):
    made = [short(seed) for seed in range(4)]
    splits = {made[0].episode.id: "test", made[2].episode.id: "test"}
    write_lerobot(made, tmp_path / "set", splits=splits)
    assert info_of(tmp_path / "set")["splits"] == {"test": "0:2", "train": "2:4"}
    rows = pq.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [row["name"] for row in rows] == ["synthetic-0", "synthetic-2", "synthetic-1", "synthetic-3"]


def test_a_clock_that_is_synthetic_stays_so(tmp_path):
    made = short()
    camera = made.streams["camera/wrist"]
    invented = Stream(
        "camera/wrist", StreamKind.RGB, "8-bit", {ClockKind.SYNTHETIC: camera.times_ns}, pictures=camera.pictures
    )
    write_lerobot([made, with_streams(made, {"camera/wrist": invented})], tmp_path / "set", clock="camera/wrist")
    features = info_of(tmp_path / "set")["features"]
    assert features["observation.images.wrist"]["info"]["clock"] == "synthetic"
    assert features["observation.images.overhead"]["info"]["clock"] == "header"
    assert features["action"]["info"]["clock"] == "synthetic"  # its rows carry the stamps of the grid


def test_values_that_are_not_finite_are_written_and_named(tmp_path):
    made = short()
    force = made.streams["force"].values.copy()
    force[:8, 0] = np.nan
    force[:, 1] = np.inf
    hurt = replace(made.streams["force"], values=force)
    done = write_lerobot([with_streams(made, {"force": hurt})], tmp_path / "set")
    assert any(line.startswith("observation.force: ") and "not finite" in line for line in done.left_out)
    rows = np.asarray(pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")["observation.force"].to_pylist())
    assert np.isnan(rows[0, 0])
    assert np.isinf(rows[:, 1]).all()
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())["observation.force"]
    assert stats["min"][0] == pytest.approx(np.nanmin(rows[:, 0]))
    assert np.isnan(stats["mean"][1])


def test_frames_that_do_not_decode_are_named(tmp_path):
    case = spoil_frames(healthy_case(), range(10, 12), np.empty((0, 0, 3), np.uint8))
    made = with_streams(case.recording, {"camera/overhead": None, "depth/overhead": None, "imu": None})
    done = write_lerobot([made], tmp_path / "set")
    assert "synthetic-0: 2 frames of camera/wrist do not decode; the one before stands" in done.left_out
    with av.open(str(tmp_path / "set/videos/observation.images.wrist/chunk-000/file-000.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in video.decode(video=0)]
    assert len(frames) == done.frames
    assert np.abs(frames[9] - frames[11]).mean() < np.abs(frames[9] - frames[12]).mean()


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_odd_sizes_are_not_cut_to_fit(tmp_path, codec):
    made = short()
    camera = made.streams["camera/overhead"]
    odd = replace(camera, pictures=replace(camera.pictures, width=63, height=47))
    write_lerobot([with_streams(made, {"camera/overhead": odd})], tmp_path / "set", codec=codec)
    with av.open(str(tmp_path / "set/videos/observation.images.overhead/chunk-000/file-000.mp4")) as video:
        assert (video.streams.video[0].width, video.streams.video[0].height) == (63, 47)
        assert len(list(video.decode(video=0))) == 15


def test_what_a_distance_loses_is_named(tmp_path):
    made = short()

    class Strange:
        size = (64, 48)

        def __len__(self):
            return 15

        def frames(self, indices=None):
            for _ in range(15) if indices is None else indices:
                picture = np.full((48, 64), 2.0, np.float32)
                picture[0, 0], picture[0, 1], picture[0, 2] = np.nan, 50.0, 0.001
                yield picture

    depth = replace(made.streams["depth/overhead"], pictures=Strange())
    done = write_lerobot([with_streams(made, {"depth/overhead": depth})], tmp_path / "set")
    assert "depth/overhead: 15 pixels without a distance read as 0.01 m" in done.left_out
    assert any("30 pixels nearer than 0.01 m or farther than 10 m" in line for line in done.left_out)
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())["observation.images.depth.overhead"]
    assert stats["q50"][0][0][0] == pytest.approx(2.0, abs=0.001)


def test_noise_of_distances_is_kept_to_the_step(tmp_path):
    """Where nothing can be predicted from the frame before, none is: each stands for itself."""
    random = np.random.default_rng(0)
    steps = random.integers(0, 4096, (15, 48, 64))
    metres = DepthScale().metres(steps).astype(np.float32)

    class Noise:
        size = (64, 48)

        def __len__(self):
            return 15

        def frames(self, indices=None):
            return (metres[i] for i in (range(15) if indices is None else indices))

    made = short()
    depth = replace(made.streams["depth/overhead"], pictures=Noise())
    write_lerobot([with_streams(made, {"depth/overhead": depth})], tmp_path / "set")
    with av.open(str(tmp_path / "set/videos/observation.images.depth.overhead/chunk-000/file-000.mp4")) as video:
        frames = list(video.decode(video=0))
    np.testing.assert_array_equal(np.stack([frame.to_ndarray(format="gray12le") for frame in frames]), steps)
    assert all(frame.key_frame for frame in frames)


def test_the_table_of_episodes_is_several_files_where_it_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr("fieldloop.release.writers.lerobot.dataset.EPISODES_AT_ONCE", 1)
    limits = Limits(data_mb=0.02, files_a_chunk=2)
    write_lerobot([t.recording for t in truths((3, 2, 4, 1))], tmp_path / "set", limits=limits)
    files = sorted((tmp_path / "set/meta/episodes").rglob("*.parquet"))
    assert len(files) > 2
    assert len({pq.read_schema(path) for path in files}) == 1
    for path in files:
        for row in pq.read_table(path).to_pylist():
            place = f"chunk-{row['meta/episodes/chunk_index']:03d}/file-{row['meta/episodes/file_index']:03d}.parquet"
            assert path.as_posix().endswith(place)
    indices = [i for path in files for i in pq.read_table(path)["episode_index"].to_pylist()]
    assert indices == [0, 1, 2, 3]


def test_another_camera_in_another_episode_is_a_fact_of_that_episode(tmp_path):
    first, second = short(0), short(1)
    other = replace(second.streams["camera/wrist"], serial="SN-2", frame_id="hand")
    done = write_lerobot([first, with_streams(second, {"camera/wrist": other})], tmp_path / "set")
    rows = pq.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert any(line.startswith("camera/wrist: its serial is not the same in all episodes") for line in done.left_out)
    assert rows[0]["facts"] is None
    assert json.loads(rows[1]["facts"]) == {"serial.camera/wrist": "SN-2", "frame_id.camera/wrist": "hand"}


def test_a_note_or_a_rate_of_one_episode_is_not_said_of_all(tmp_path):
    notes = [{"unit": "assumed", "gaps": "2"}, {"unit": "assumed", "gaps": "3"}]
    made = [
        with_streams(short(i), {"imu": replace(short(i).streams["imu"], notes=notes[i], nominal_hz=100.0 + i)})
        for i in range(2)
    ]
    done = write_lerobot(made, tmp_path / "set", clock="imu")
    info = info_of(tmp_path / "set")["features"]["observation.imu"]["info"]
    assert (info["notes"], info["nominal_hz"]) == ({"unit": "assumed"}, None)
    rows = pq.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert [json.loads(row["facts"]) for row in rows] == [
        {"note.gaps.imu": f"{2 + i}", "nominal_hz.imu": f"{100 + i}"} for i in range(2)
    ]
    for what in ("nominal_hz", "note gaps"):
        assert f"imu: its {what} is not the same in all episodes; each has its own among its facts" in done.left_out


def test_a_clock_that_not_all_episodes_have_is_named(tmp_path):
    made = short(1)
    camera = made.streams["camera/wrist"]
    worse = replace(camera, clocks={ClockKind.LOG: camera.times_ns})
    done = write_lerobot([short(), with_streams(made, {"camera/wrist": worse})], tmp_path / "set")
    assert any(line.startswith("camera/wrist: its header clock; ") for line in done.left_out)


def test_what_has_no_room_is_named(tmp_path):
    made = short()
    times = made.streams["camera/overhead"].times_ns[0] + np.arange(15) * 40_650_000
    slow = replace(made.streams["camera/overhead"], clocks={ClockKind.HEADER: times}, nominal_hz=None)
    done = write_lerobot([with_streams(made, {"camera/overhead": slow})], tmp_path / "set")
    assert "rows come 24.6 times a second, and are said to come 25 times" in done.left_out
    assert "of each stream the most trusted clock is kept, not also: publish, log" in done.left_out


def test_a_file_that_would_last_too_long_is_followed_by_another():
    places = Places(200, 1000)
    assert [places.next(10, too_long=True)[1] for _ in range(2)] == [True, False]  # an empty file is never left behind
    places.wrote(10)
    assert places.next(10, too_long=True) == (Place(0, 1), True)

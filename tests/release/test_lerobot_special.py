"""LeRobot sets that are not like the others: no camera, odd sizes, notes of one episode, what has no room."""

import json
from dataclasses import replace

import av
import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.release.marked_set import truths

from fieldloop.model.stream import ClockKind, Stream, StreamKind
from fieldloop.release.writers.lerobot import Limits, write_lerobot
from fieldloop.release.writers.lerobot.depth import DepthScale
from fieldloop.release.writers.lerobot.files import Place, Places
from fieldloop.release.writers.lerobot.naming import name_features
from fieldloop.release.writers.survey import survey_recordings
from fieldloop.testing.facts import write_note_facts
from fieldloop.testing.injuries.injury import change_episode, keep_span
from fieldloop.testing.injuries.vision import replace_wrist_frames
from fieldloop.testing.synthetic import make_healthy_case, replace_streams


def short(seed=0, seconds=0.5):
    """A short recording of which no further fact is known."""
    case = change_episode(make_healthy_case(seed=seed), facts=())
    return keep_span(case, lambda at_s: at_s < seconds).recording


def info_of(folder):
    return json.loads((folder / "meta/info.json").read_text())


def test_no_camera_is_needed(tmp_path):
    blind = replace_streams(short(), dict.fromkeys(("camera/overhead", "camera/wrist", "depth/overhead")))
    done = write_lerobot([blind], tmp_path / "set")
    assert (done.clock, done.frames) == ("action", 60)
    assert info_of(tmp_path / "set")["video_path"] is None
    assert pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")["capture_ns"].type.num_fields in (0, 1)


def test_names_that_become_one_are_distinguished():
    made = short()
    twins = {
        name: replace(made.streams["force"], name=name)
        for name in ("a/b", "a.b", "A.b", "observation.images.x", "x" * 400)
    }
    twins |= {name: replace(made.streams["camera/wrist"], name=name) for name in ("camera/c", "c", "camera.c")}
    features = survey_recordings([replace_streams(made, twins)])
    keys = name_features(features)
    assert len({key.casefold() for key in keys.values()}) == len(keys)
    assert not any("/" in key for key in keys.values())
    assert all(len(key.encode()) < 250 for key in keys.values())
    assert (keys["joints"], keys["action"]) == ("observation.state", "action")


def test_the_only_joints_are_the_state_whatever_they_are_called():
    made = short()
    arm = replace(made.streams["joints"], name="arm/joint_states")
    keys = name_features(survey_recordings([replace_streams(made, {"joints": None, "arm/joint_states": arm})]))
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
    write_lerobot([made, replace_streams(made, {"camera/wrist": invented})], tmp_path / "set", clock="camera/wrist")
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
    done = write_lerobot([replace_streams(made, {"force": hurt})], tmp_path / "set")
    assert any(
        write_note_facts(loss).startswith("release.not_finite_in_statistics observation.force")
        for loss in done.left_out
    )
    rows = np.asarray(pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")["observation.force"].to_pylist())
    assert np.isnan(rows[0, 0])
    assert np.isinf(rows[:, 1]).all()
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())["observation.force"]
    assert stats["min"][0] == pytest.approx(np.nanmin(rows[:, 0]))
    assert np.isnan(stats["mean"][1])


def test_frames_that_do_not_decode_are_named(tmp_path):
    case = replace_wrist_frames(make_healthy_case(), range(10, 12), np.empty((0, 0, 3), np.uint8))
    made = replace_streams(case.recording, {"camera/overhead": None, "depth/overhead": None, "imu": None})
    done = write_lerobot([made], tmp_path / "set")
    (lost,) = (loss for loss in done.left_out if loss.code == "release.frames_repeated")
    assert (lost.subject.episode, lost.subject.stream, lost["frames"]) == ("synthetic-0", "camera/wrist", 2)
    with av.open(str(tmp_path / "set/videos/observation.images.wrist/chunk-000/file-000.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in video.decode(video=0)]
    assert len(frames) == done.frames
    assert np.abs(frames[9] - frames[11]).mean() < np.abs(frames[9] - frames[12]).mean()


@pytest.mark.parametrize("codec", ["h264", "av1"])
def test_odd_sizes_are_not_cut_to_fit(tmp_path, codec):
    made = short()
    camera = made.streams["camera/overhead"]
    odd = replace(camera, pictures=replace(camera.pictures, width=63, height=47))
    write_lerobot([replace_streams(made, {"camera/overhead": odd})], tmp_path / "set", codec=codec)
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
    done = write_lerobot([replace_streams(made, {"depth/overhead": depth})], tmp_path / "set")
    assert "release.depth_unknown depth/overhead pixels=15 nearest_m=0.01" in map(write_note_facts, done.left_out)
    assert any("pixels=30 nearest_m=0.01 farthest_m=10.0" in write_note_facts(loss) for loss in done.left_out)
    stats = json.loads((tmp_path / "set/meta/stats.json").read_text())["observation.images.depth.overhead"]
    assert stats["q50"][0][0][0] == pytest.approx(2.0, abs=0.001)


def test_noise_of_distances_is_kept_to_the_step(tmp_path):
    """Where nothing can be predicted from the frame before, none is: each stands for itself."""
    random = np.random.default_rng(0)
    steps = random.integers(0, 4096, (15, 48, 64))
    metres = DepthScale().convert_to_metres(steps).astype(np.float32)

    class Noise:
        size = (64, 48)

        def __len__(self):
            return 15

        def frames(self, indices=None):
            return (metres[i] for i in (range(15) if indices is None else indices))

    made = short()
    depth = replace(made.streams["depth/overhead"], pictures=Noise())
    write_lerobot([replace_streams(made, {"depth/overhead": depth})], tmp_path / "set")
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
    done = write_lerobot([first, replace_streams(second, {"camera/wrist": other})], tmp_path / "set")
    rows = pq.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pylist()
    assert "release.episodes_disagree camera/wrist what=serial" in map(write_note_facts, done.left_out)
    assert rows[0]["facts"] is None
    assert json.loads(rows[1]["facts"]) == {"serial.camera/wrist": "SN-2", "frame_id.camera/wrist": "hand"}


def test_a_note_or_a_rate_of_one_episode_is_not_stated_of_all(tmp_path):
    notes = [{"unit": "assumed", "gaps": "2"}, {"unit": "assumed", "gaps": "3"}]
    made = [
        replace_streams(short(i), {"imu": replace(short(i).streams["imu"], notes=notes[i], nominal_hz=100.0 + i)})
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
        assert f"release.episodes_disagree imu what={what}" in map(write_note_facts, done.left_out)


def test_a_clock_that_not_all_episodes_have_is_named(tmp_path):
    made = short(1)
    camera = made.streams["camera/wrist"]
    worse = replace(camera, clocks={ClockKind.LOG: camera.times_ns})
    done = write_lerobot([short(), replace_streams(made, {"camera/wrist": worse})], tmp_path / "set")
    assert any(
        write_note_facts(loss).startswith("release.clock_relabelled camera/wrist clock=header")
        for loss in done.left_out
    )


def test_what_has_no_room_is_named(tmp_path):
    made = short()
    times = made.streams["camera/overhead"].times_ns[0] + np.arange(15) * 40_650_000
    slow = replace(made.streams["camera/overhead"], clocks={ClockKind.HEADER: times}, nominal_hz=None)
    done = write_lerobot([replace_streams(made, {"camera/overhead": slow})], tmp_path / "set")
    found = {loss.code: loss for loss in done.left_out}
    assert (round(found["release.rate_rounded"]["hz"], 1), found["release.rate_rounded"]["fps"]) == (24.6, 25)
    assert found["release.further_clocks_not_kept"]["clocks"] == ("publish", "log")


def test_a_file_that_would_last_too_long_is_followed_by_another():
    places = Places(200, 1000)
    assert [places.choose_file(10, too_long=True)[1] for _ in range(2)] == [
        True,
        False,
    ]  # an empty file is never left behind
    places.note_written_bytes(10)
    assert places.choose_file(10, too_long=True) == (Place(0, 1), True)

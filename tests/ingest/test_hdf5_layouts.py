"""Every layout of HDF5 that robot-learning people use becomes the same nouns."""

from itertools import pairwise

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.hdf5_makers import ROWS, SIDES, add_demo, aloha, d4rl, jpeg, minari, pictures, robomimic, video

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.hdf5.stamps import to_nanoseconds
from fieldloop.ingest.readers.hdf5.superblock import lookup3
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.shared import shared_data


def read(path):
    log = open_log(path)
    recordings = list(log.recordings)
    return recordings, log.defects


# ── robomimic


def test_a_demonstration_is_read_by_robomimics_names(tmp_path):
    (first, second), defects = read(robomimic(tmp_path / "lift.hdf5"))
    assert defects == ()
    assert first.defects == ()
    episode = first.episode
    assert (episode.name, episode.format, episode.task, episode.robot) == ("demo_0", "hdf5 robomimic", "Lift", "Panda")
    assert (episode.simulated, episode.succeeded) == (True, True)
    assert (episode.fact("masks"), second.episode.fact("masks")) == ("valid", "train")
    assert episode.fact("attachment.model_file").startswith("text/xml, 30 bytes, sha256 ")
    assert "one step later" in episode.fact("next_obs")
    kinds = {name: stream.kind for name, stream in first.streams.items()}
    assert kinds == {
        "actions": StreamKind.ACTION, "rewards": StreamKind.OTHER, "dones": StreamKind.OTHER,
        "states": StreamKind.OTHER, "robot0_joint_pos": StreamKind.JOINT_POSITION,
        "robot0_joint_vel": StreamKind.JOINT_VELOCITY, "robot0_eef": StreamKind.POSE,
        "robot0_gripper_qpos": StreamKind.GRIPPER, "agentview_image": StreamKind.RGB,
        "agentview_depth": StreamKind.DEPTH,
    }  # fmt: skip
    pose = first.streams["robot0_eef"]
    assert pose.columns == ("x", "y", "z", "qx", "qy", "qz", "qw")
    with h5py.File(tmp_path / "lift.hdf5") as file:
        obs = file["data/demo_0/obs"]
        np.testing.assert_array_equal(pose.values[:, :3], obs["robot0_eef_pos"])
        np.testing.assert_array_equal(pose.values[:, 3:], obs["robot0_eef_quat"])
        frames = list(first.streams["agentview_depth"].pictures.frames([3, 1]))
        np.testing.assert_array_equal(frames[0], obs["agentview_depth"][1, :, :, 0])
    np.testing.assert_array_equal(list(first.streams["agentview_image"].pictures.frames()), pictures(ROWS))
    assert first.streams["actions"].clock is ClockKind.SYNTHETIC
    assert first.streams["actions"].nominal_hz == 25
    np.testing.assert_array_equal(np.diff(first.streams["actions"].times_ns), 40_000_000)


def test_a_next_observation_that_is_not_the_next_one_is_kept(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        file["data/demo_0/next_obs/robot0_joint_pos"][4] += 1
    ((recording,), _) = read(path)
    assert recording.streams["next_obs/robot0_joint_pos"].values.shape == (ROWS, 7)
    assert "next_obs/robot0_joint_vel" not in recording.streams


def test_what_the_file_says_wrongly_of_itself_is_named(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5")
    with h5py.File(path, "a") as file:
        del file["data"].attrs["env_args"], file["data/demo_0"].attrs["num_samples"], file["mask/train"]
        file["data"].attrs["total"] = 999
        file["data/demo_1"].attrs["num_samples"] = 5
        file["mask/train"] = np.asarray(["demo_1", "demo_77"], "S")
        file.create_group("data/demo_2")
    recordings, defects = read(path)
    said = {(d.subject, d.place) for d in defects}
    assert {("data", "env_args"), ("mask", "")} <= said
    assert "train (1 of 2)" in next(d.message for d in defects if d.subject == "mask")
    assert [("num_samples" in {d.place for d in r.defects}) for r in recordings] == [True, True, True]
    assert recordings[2].streams == {}
    assert "which the file does not state" in recordings[0].streams["actions"].notes["clock"]


def test_the_id_is_made_of_the_content_not_of_the_place(tmp_path):
    path = robomimic(tmp_path / "a.hdf5")
    ids = [r.episode.id for r in read(path)[0]]
    with h5py.File(tmp_path / "b.hdf5", "w") as file:
        add_demo(file.create_group("data"), "demo_5", seed=1)
    (moved,) = read(tmp_path / "b.hdf5")[0]
    assert moved.episode.id == ids[1]
    with h5py.File(path, "a") as file:
        file["data/demo_1/obs/agentview_image"][7, 3, 3, 1] ^= 1  # one bit of one pixel
    assert [r.episode.id == old for r, old in zip(read(path)[0], ids, strict=True)] == [True, False]


# ── ALOHA, D4RL, Minari


@pytest.mark.parametrize("compress", [False, True])
def test_an_aloha_file_is_one_episode_of_two_arms(tmp_path, compress):
    ((recording,), defects) = read(aloha(tmp_path / "episode_7.hdf5", compress=compress))
    assert (recording.episode.name, recording.episode.format) == ("episode_7", "hdf5 aloha")
    assert recording.episode.simulated is False
    assert (recording.defects, defects) == ((), ())
    kinds = {name: stream.kind for name, stream in recording.streams.items()}
    assert kinds == {
        "qpos": StreamKind.JOINT_POSITION, "qvel": StreamKind.JOINT_VELOCITY, "effort": StreamKind.JOINT_EFFORT,
        "action": StreamKind.ACTION, "base_action": StreamKind.ACTION, "images/cam_high": StreamKind.RGB,
        "images/cam_left_wrist": StreamKind.RGB,
    }  # fmt: skip
    qpos = recording.streams["qpos"]
    assert (qpos.columns[0], qpos.columns[13], qpos.nominal_hz) == ("left_waist", "right_gripper", 50)
    assert "no stamps" in qpos.notes["clock"]
    camera = recording.streams["images/cam_left_wrist"].pictures
    assert camera.size == (SIDES[1], SIDES[0])
    got = np.stack(list(camera.frames())).astype(int)
    assert np.abs(got - pictures(ROWS, 1)).max() <= (3 if compress else 0)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_d4rl_rows_are_cut_where_they_say_so(tmp_path_factory, lengths):
    path = d4rl(tmp_path_factory.mktemp("d4rl") / "door.hdf5", tuple(lengths))
    recordings, defects = read(path)
    assert defects == ()
    assert [len(r.streams["actions"]) for r in recordings] == lengths
    rewards = np.concatenate([r.streams["rewards"].values[:, 0] for r in recordings])
    np.testing.assert_array_equal(rewards, np.arange(sum(lengths)))
    assert all(r.streams["actions"].times_ns[0] == 0 and not r.defects for r in recordings)


def test_a_tail_without_an_end_is_an_episode_with_a_defect(tmp_path):
    recordings, _ = read(d4rl(tmp_path / "door.hdf5", (5, 4, 3), ended=False))
    assert [len(r.streams["actions"]) for r in recordings] == [5, 4, 3]
    assert [[d.place for d in r.defects] for r in recordings] == [[], [], ["row 11"]]


def test_minari_keeps_the_row_after_the_last_step(tmp_path):
    recordings, defects = read(minari(tmp_path / "main_data.hdf5"))
    assert defects == ()
    assert [(len(r.streams["observations/arm"]), len(r.streams["actions"])) for r in recordings] == [(6, 5), (8, 7)]
    assert all(r.episode.format == "hdf5 minari" and not r.defects for r in recordings)


# ── anything else


def test_stamps_videos_and_texts_of_an_unknown_file_are_found(tmp_path):
    path = tmp_path / "take.h5"
    frames = pictures(20)
    start = 1_767_225_600
    with h5py.File(path, "w") as file:
        file["left/images"] = np.zeros(0)  # replaced below by rows of bytes
        del file["left/images"]
        rows = file.create_dataset("left/images", (20,), h5py.vlen_dtype(np.uint8))
        for i, frame in enumerate(frames):
            rows[i] = jpeg(frame)
        file["left/timestamp"] = start + np.arange(20) / 30
        file["joints/position"] = np.zeros((50, 6))
        file["joints/stamp_us"] = (start * 1_000_000 + np.arange(50) * 10_000).astype(np.int64)
        file["front"] = np.frombuffer(video(frames), np.uint8)
        file["wrist"] = np.void(video(frames, "matroska"))
        file["instruction"] = "put the bolt in the tray"
        file.attrs["operator_id"] = "op-9"
    ((recording,), defects) = read(path)
    assert (recording.defects, defects) == ((), ())
    assert (recording.episode.task, recording.episode.operator) == ("put the bolt in the tray", "op-9")
    camera, joints = recording.streams["left/images"], recording.streams["joints/position"]
    assert camera.clock is joints.clock is ClockKind.HEADER
    assert camera.times_ns[0] == joints.times_ns[0] == start * 10**9
    np.testing.assert_allclose(np.diff(camera.times_ns), 1e9 / 30, atol=300)
    assert "seconds, by what is plausible" in camera.notes["clock"]
    assert "microseconds, by its name" in joints.notes["clock"]
    for name in ("left/images", "front", "wrist"):
        got = np.stack(list(recording.streams[name].pictures.frames([0, 7, 19]))).astype(int)
        assert np.abs(got - frames[[0, 7, 19]]).max() < 8, name
    for name in ("front", "wrist"):
        assert recording.streams[name].clock is ClockKind.CONTAINER
        np.testing.assert_allclose(np.diff(recording.streams[name].times_ns), 40_000_000, atol=1_000_000)


def test_numbered_groups_of_an_unknown_file_are_episodes(tmp_path):
    with h5py.File(tmp_path / "runs.h5", "w") as file:
        for i in (2, 10):
            file[f"runs/run_{i}/arm/joint_pos"] = np.full((5, 6), i, float)
            file[f"runs/run_{i}"].attrs["success"] = i == 2
            file[f"runs/run_{i}"].attrs["fps"] = 10
    recordings, _ = read(tmp_path / "runs.h5")
    assert [(r.episode.name, r.episode.succeeded) for r in recordings] == [("run_2", True), ("run_10", False)]
    assert recordings[0].streams["arm/joint_pos"].kind is StreamKind.JOINT_POSITION
    assert recordings[0].streams["arm/joint_pos"].nominal_hz == 10


def test_tables_with_named_columns_and_texts_step_by_step_are_read(tmp_path):
    with h5py.File(tmp_path / "table.h5", "w") as file:
        file["joint_states"] = np.asarray([(0.5, 1), (0.25, 2)] * 5, [("elbow", "f4"), ("count", "i4")])
        file["language_instruction"] = ["pick it"] * 6 + ["place it"] * 4
    ((recording,), defects) = read(tmp_path / "table.h5")
    assert (recording.defects, defects) == ((), ())
    table = recording.streams["joint_states"]
    assert (table.columns, table.kind) == (("elbow", "count"), StreamKind.JOINT_POSITION)
    assert table.values[1].tolist() == [0.25, 2]
    assert recording.episode.task == "pick it | place it"


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
@pytest.mark.parametrize("start_s", [0, 1_700_000_000])
@pytest.mark.parametrize("hz", [5, 100])
def test_the_unit_of_stamps_is_told_from_what_is_plausible(unit, start_s, hz):
    wanted = start_s * 10**9 + (np.arange(50) * (10**9 // hz))
    stored = wanted // unit if unit < 10**9 else wanted / 1e9
    got, note = to_nanoseconds("timestamp", np.asarray(stored))
    assert np.abs(got - wanted).max() < max(unit, 300) if unit < 10**9 else np.abs(got - wanted).max() < 300
    assert "plausible" in note


def test_numbers_that_can_be_no_stamps_are_not_taken_for_some():
    assert to_nanoseconds("time", np.asarray([1.0, np.nan])) is None
    assert to_nanoseconds("time", np.zeros(5)) is None
    assert to_nanoseconds("time", np.asarray(["a", "b"])) is None


def test_the_checksum_is_that_of_the_format():
    assert lookup3(b"Four score and seven years ago") == 0x17770551  # from the hash's own source


# ── what others recorded


@pytest.mark.parametrize(
    ("set_", "file", "episodes", "rows", "streams"),
    [
        ("hdf5-robomimic", "robomimic_ph/dummy_data/lift_low_dim.hdf5", 2, [59, 58], 14),
        ("hdf5-robomimic", "robomimic_mh/dummy_data/lift_image.hdf5", 1, [48], 16),
        ("hdf5-robomimic", "robomimic_mg/dummy_data/can_low_dim.hdf5", 2, [150, 150], 14),
        ("hdf5-d4rl-adroit-human", "d4rl_adroit_door/dummy_data/door-human-v1.hdf5", 2, [300, 300], 8),
        ("hdf5-d4rl-adroit-human", "d4rl_adroit_hammer/dummy_data/hammer-human-v1.hdf5", 2, [537, 399], 9),
        ("hdf5-d4rl-adroit-human", "d4rl_adroit_pen/dummy_data/pen-human-v1.hdf5", 2, [200, 200], 8),
        ("hdf5-d4rl-adroit-human", "d4rl_adroit_relocate/dummy_data/relocate-human-v1.hdf5", 2, [352, 437], 11),
    ],
)
def test_real_files_are_read_whole(set_, file, episodes, rows, streams):
    folder = shared_data(set_)
    if folder is None:
        pytest.skip(f"the shared data set {set_} is not on this machine (FIELDLOOP_SHARED)")
    recordings, _ = read(folder / file)
    assert len(recordings) == episodes
    assert [len(r.streams["actions"]) for r in recordings] == rows
    assert {len(r.streams) for r in recordings} == {streams}
    assert not any(r.defects for r in recordings)
    assert all(len(a.streams) == len(b.streams) for a, b in pairwise(recordings))
    with h5py.File(folder / file) as stored:
        key = "data/demo_0/actions" if "data/demo_0" in stored else "data/demo_1/actions"
        actions = stored[key if "data" in stored else "actions"][: rows[0]]
    np.testing.assert_array_equal(recordings[0].streams["actions"].values, actions)

"""Every layout of HDF5 that robot-learning people use becomes the same nouns."""

from itertools import pairwise

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.hdf5_makers import ROWS, SIDES, add_demo, aloha, d4rl, jpeg, minari, pictures, robomimic, video

from fieldloop.ingest import open_log
from fieldloop.ingest.readers.hdf5.superblock import hash_lookup3
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.shared import find_shared_data


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
    assert (episode.get_fact("masks"), second.episode.get_fact("masks")) == ("valid", "train")
    assert episode.get_fact("attachment.model_file").startswith("text/xml, 30 bytes, sha256 ")
    assert "one step later" in episode.get_fact("next_obs")
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
    assert next(d.message["keys"] for d in defects if d.subject == "mask") == ("train (1 of 2)",)
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
    assert "no timestamps" in qpos.notes["clock"]
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
    late = np.abs(np.random.default_rng(5).normal(0, 1e-3, 20)) * (np.arange(20) > 0)
    with h5py.File(path, "w") as file:
        file["left/images"] = np.zeros(0)  # replaced below by rows of bytes
        del file["left/images"]
        rows = file.create_dataset("left/images", (20,), h5py.vlen_dtype(np.uint8))
        for i, frame in enumerate(frames):
            rows[i] = jpeg(frame)
        file["left/timestamp"] = start + np.arange(20) / 30 + late
        file["joints/position"] = np.zeros((50, 6))
        file["joints/stamp_us"] = (start * 1_000_000 + np.arange(50) * 10_000 + np.arange(50) % 7 * 100).astype(
            np.int64
        )
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
    np.testing.assert_allclose(camera.times_ns - start * 10**9, (np.arange(20) / 30 + late) * 1e9, atol=300)
    assert "seconds, by what is plausible" in camera.notes["clock"]
    assert "microseconds, by its name" in joints.notes["clock"]
    for name in ("left/images", "front", "wrist"):
        got = np.stack(list(recording.streams[name].pictures.frames([0, 7, 19]))).astype(int)
        assert np.abs(got - frames[[0, 7, 19]]).max() < 8, name
    for name in ("front", "wrist"):
        assert recording.streams[name].clock is ClockKind.CONTAINER
        np.testing.assert_allclose(np.diff(recording.streams[name].times_ns), 40_000_000, atol=1_000_000)


def test_even_stamps_are_no_real_ones_and_state_a_rate(tmp_path):
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["joint_pos"] = np.zeros((200, 6))
        file["timestamps"] = np.arange(200) / 50
    ((recording,), _) = read(tmp_path / "take.h5")
    joints = recording.streams["joint_pos"]
    assert (joints.clock, joints.nominal_hz) == (ClockKind.SYNTHETIC, pytest.approx(50))
    assert "made up" in joints.notes["clock"]
    assert "timestamps" not in recording.streams


def test_a_name_with_time_in_it_is_no_clock_unless_it_rises(tmp_path):
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["joint_pos"] = np.zeros((200, 6))
        file["loop_time"] = 0.02 + np.random.default_rng(0).normal(0, 0.002, 200)
    ((recording,), _) = read(tmp_path / "take.h5")
    assert recording.streams["joint_pos"].clock is ClockKind.SYNTHETIC
    assert recording.streams["joint_pos"].hz is None
    assert recording.streams["loop_time"].values.shape == (200, 1)


def test_a_second_array_of_stamps_stays_a_stream(tmp_path):
    real = 1_767_225_600 + np.cumsum(np.random.default_rng(0).uniform(0.015, 0.025, 200))
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["joint_pos"] = np.zeros((200, 6))
        file["elapsed_time"], file["wall_time"] = np.arange(200) / 50, real
    ((recording,), _) = read(tmp_path / "take.h5")
    assert recording.streams["joint_pos"].clock is ClockKind.HEADER
    np.testing.assert_allclose(recording.streams["joint_pos"].times_ns, real * 1e9, atol=300, rtol=0)
    assert recording.streams.keys() == {"joint_pos", "elapsed_time"}


@pytest.mark.parametrize(
    ("name", "reach", "unit", "note"),
    [
        ("joint_pos", 3.0, "rad", "radians are assumed"),
        ("joint_pos", 150.0, "", "hardly radians"),
        ("joint_vel", 5.0, "rad/s", "radians a second are assumed"),
        ("joint_vel", 90.0, "", "hardly"),
        ("eef_pose", 0.5, "m", "metres are assumed"),
        ("eef_pose", 700.0, "", "hardly metres"),
    ],
)
def test_a_unit_that_was_not_stated_is_noted_as_a_guess(tmp_path, name, reach, unit, note):
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file[name] = np.linspace(-reach, reach, 60).reshape(10, 6)
    ((recording,), _) = read(tmp_path / "take.h5")
    assert recording.streams[name].unit == unit
    assert note in recording.streams[name].notes["unit"]


def test_episodes_that_differ_only_in_their_stamps_have_different_ids(tmp_path):
    ids = set()
    for number, seed in enumerate((0, 1, 1)):
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["joint_pos"] = np.zeros((50, 6))
            file["timestamp"] = np.cumsum(np.random.default_rng(seed).uniform(0.015, 0.025, 50))
        ((recording,), _) = read(tmp_path / f"{number}.h5")
        ids.add(recording.episode.id)
    assert len(ids) == 2


def test_episodes_of_which_nothing_can_be_read_are_distinguished(tmp_path):
    for number in range(2):
        robomimic(tmp_path / f"{number}.hdf5", demos=1 + number)
        with h5py.File(tmp_path / f"{number}.hdf5", "a") as file:
            for name in ("demo_7", "demo_8"):
                file["data"].create_group(name)
    empty = [r for number in range(2) for r in read(tmp_path / f"{number}.hdf5")[0] if not r.streams]
    assert len({r.episode.id for r in empty}) == 4
    again = [r.episode.id for r in read(tmp_path / "0.hdf5")[0] if not r.streams]
    assert again == [r.episode.id for r in empty[:2]]


@pytest.mark.parametrize(
    ("rewards", "succeeded"), [(np.ones(ROWS), None), (np.zeros(ROWS), None), (np.eye(ROWS)[-1], True)]
)
def test_a_reward_for_being_alive_is_no_success(tmp_path, rewards, succeeded):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        file["data/demo_0/rewards"][:] = rewards
    assert read(path)[0][0].episode.succeeded is succeeded


def test_what_the_file_says_of_success_stands_above_rewards(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        file["data/demo_0"].attrs["success"] = 0
    assert read(path)[0][0].episode.succeeded is False


@pytest.mark.parametrize(("size", "whole"), [(11_000, True), (70_000, False)])
def test_a_long_text_is_kept_or_named_never_dropped(tmp_path, size, whole):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    text = '{"env_name": "Lift", "about": "' + "x" * size + '"}'
    with h5py.File(path, "a") as file:
        file["data"].attrs["env_args"] = text
    fact = read(path)[0][0].episode.get_fact("env_args")
    assert fact == text if whole else fact.startswith(f"{len(text)} characters, sha256 ")


def test_an_episode_lasts_by_the_clock_its_streams_share(tmp_path):
    """A video counts from its own beginning, stamps from 1970: not a take of fifty years."""
    start = 1_767_225_600
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["front"] = np.frombuffer(video(pictures(20)), np.uint8)
        file["joint_pos"] = np.zeros((20, 6))
        file["timestamp"] = start + np.arange(20) / 25 + np.abs(np.random.default_rng(1).normal(0, 2e-3, 20))
    ((recording,), _) = read(tmp_path / "take.h5")
    assert 0 < recording.episode.end_ns - recording.episode.start_ns < 10**9


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


def test_the_checksum_is_that_of_the_format():
    assert hash_lookup3(b"Four score and seven years ago") == 0x17770551  # from the hash's own source


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
    folder = find_shared_data(set_)
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

"""HDF5 files as other toolchains write them: constants beside rows, episodes in array names, attributes left out."""

import h5py
import numpy as np
from tests.ingest.hdf5_makers import ROWS, robomimic

from fieldloop.ingest import open_log
from fieldloop.model.episode import Harm
from fieldloop.model.stream_notes import NOT_UNDERSTOOD


def read(path):
    log = open_log(path)
    recordings = list(log.recordings)
    return recordings, [*log.defects, *(defect for one in recordings for defect in one.defects)]


def test_an_array_of_one_row_is_a_fact_of_its_episode(tmp_path):
    path = robomimic(tmp_path / "stack.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        file["data/demo_0/initial_state/robot/joint_position"] = np.asarray([[0.5, 1.5]], np.float32)
    (recording,), defects = read(path)
    assert defects == []
    assert not any(name.startswith("initial_state") for name in recording.streams)
    assert recording.episode.get_fact("initial_state/robot/joint_position") == "0.5, 1.5"


def test_missing_attributes_are_named_and_harmless(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5", demos=1)
    with h5py.File(path, "a") as file:
        del file["data"].attrs["env_args"], file["data/demo_0"].attrs["num_samples"]
    _, defects = read(path)
    assert {defect.place for defect in defects} == {"env_args", "num_samples"}
    assert {defect.harm for defect in defects} == {Harm.HARMLESS}


def test_numbered_arrays_are_episodes(tmp_path):
    path = tmp_path / "demos.hdf5"
    with h5py.File(path, "w") as file:
        for number in range(12):
            file[f"states_{number}"] = np.full((ROWS, 7), number, np.float64)
            file[f"actions_{number}"] = np.full((ROWS, 7), -number, np.float64)
    recordings, defects = read(path)
    assert defects == []
    assert [one.episode.name for one in recordings] == [f"episode_{number:06d}" for number in range(12)]
    assert {frozenset(one.streams) for one in recordings} == {frozenset({"states", "actions"})}
    assert [one.streams["states"].values[0, 0] for one in recordings] == list(range(12))


def test_numbered_arrays_without_partners_stay_streams_of_one_episode(tmp_path):
    path = tmp_path / "sensors.hdf5"
    with h5py.File(path, "w") as file:
        for name in ("joint_1", "joint_2", "force_1"):
            file[name] = np.zeros((ROWS, 2))
    recordings, _ = read(path)
    assert len(recordings) == 1


def test_one_long_row_beside_other_arrays_is_not_understood(tmp_path):
    path = tmp_path / "batched.hdf5"
    with h5py.File(path, "w") as file:
        file["actions"] = np.zeros((ROWS, 7))
        file["batched"] = np.zeros((1, ROWS, 7))
        file["gains"] = np.zeros((1, 7))
    (recording,), defects = read(path)
    assert defects == []
    assert [name for name, one in recording.streams.items() if NOT_UNDERSTOOD in one.notes] == ["batched"]


def test_an_array_of_unknown_meaning_beside_joints_is_not_understood(tmp_path):
    path = tmp_path / "flight.hdf5"
    walk = np.cumsum(np.ones((60, 4)), axis=0)
    with h5py.File(path, "w") as file:
        file["joint_positions"], file["thrust"], file["rewards"] = walk, walk, walk[:, 0]
        file["pressure"] = walk
        file["pressure"].attrs["units"] = "kPa"
    (recording,), defects = read(path)
    assert defects == []
    assert [name for name, one in recording.streams.items() if NOT_UNDERSTOOD in one.notes] == ["thrust"]


def test_small_arrays_beside_rows_are_facts_and_none_is_dropped(tmp_path):
    path = tmp_path / "flight.hdf5"
    with h5py.File(path, "w") as file:
        file["joint_positions"] = np.cumsum(np.ones((60, 4)), axis=0)
        file["traj_target_oris_from_imu"], file["imu_bias"] = np.ones((1, 10)), np.ones(3)
        file["camera_intrinsics"], file["fps"], file["never"] = np.eye(3), 30, np.zeros((0, 7))
    (recording,), defects = read(path)
    assert defects == []
    assert list(recording.streams) == ["joint_positions"]
    kept = dict(recording.episode.facts)
    assert kept["traj_target_oris_from_imu"] == ", ".join(["1"] * 10)
    assert (kept["imu_bias"], kept["camera_intrinsics"]) == ("1, 1, 1", "1, 0, 0, 0, 1, 0, 0, 0, 1")
    assert "0 × 7" in kept["never"]
    assert recording.streams["joint_positions"].hz == 30


def test_joints_that_are_all_zero_are_not_understood(tmp_path):
    path = tmp_path / "zero.hdf5"
    with h5py.File(path, "w") as file:
        file["observations/qpos"], file["action"] = np.zeros((1, 14)), np.zeros((1, 14))
    (recording,), _ = read(path)
    assert NOT_UNDERSTOOD in recording.streams["qpos"].notes


def test_a_group_of_actions_holds_commands_and_a_truth_value_is_none(tmp_path):
    path = tmp_path / "trajectory.h5"
    walk = np.cumsum(np.ones((60, 7)), axis=0)
    with h5py.File(path, "w") as file:
        file["action/joint_position"], file["action/cartesian_position"] = walk, walk
        file["observation/robot_state/joint_positions"] = walk
        file["observation/robot_state/prev_command_successful"] = np.ones(60, bool)
    (recording,), _ = read(path)
    kinds = {name: one.kind.value for name, one in recording.streams.items()}
    assert kinds == {
        "action/joint_position": "action",
        "action/cartesian_position": "action",
        "observation/robot_state/joint_positions": "joint_position",
        "observation/robot_state/prev_command_successful": "other",
    }
    assert not [name for name, one in recording.streams.items() if NOT_UNDERSTOOD in one.notes]

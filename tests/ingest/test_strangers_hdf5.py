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
    assert recording.episode.fact("initial_state/robot/joint_position") == "0.5, 1.5"


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

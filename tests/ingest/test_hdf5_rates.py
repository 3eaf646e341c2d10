"""How often the arrays of an HDF5 file were sampled: by their stamps, by what the file states, or assumed and noted."""

import h5py
import numpy as np
import pytest
from tests.ingest.hdf5_makers import aloha, d4rl, minari, pictures, robomimic

from fieldloop.ingest import open_log
from fieldloop.model.stream import ClockKind

START_S = 1_767_225_600


def read(path):
    log = open_log(path)
    return list(log.recordings), log.defects


def jittered(rows, hz, seed=0):
    return START_S + np.arange(rows) / hz + np.random.default_rng(seed).uniform(0, 0.1 / hz, rows)


@pytest.mark.parametrize("fps", [50, 25])
def test_a_stated_rate_that_its_own_stamps_deny_is_not_the_streams(tmp_path, fps):
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["cam/frames"], file["cam/timestamps"] = pictures(40), jittered(40, 25)
        file["robot/q"], file["robot/timestamps"] = np.zeros((100, 6)), jittered(100, 50)
        file.attrs["fps"] = fps
    ((recording,), _) = read(tmp_path / "take.h5")
    for name, real in (("cam/frames", 25), ("robot/q", 50)):
        stream = recording.streams[name]
        assert stream.clock is ClockKind.HEADER
        assert stream.hz == pytest.approx(real, rel=0.05)
        assert stream.nominal_hz == (fps if fps == real else None)
        assert ("rate" in stream.notes) == (fps != real)
    noted = recording.streams["cam/frames" if fps == 50 else "robot/q"].notes["rate"]
    assert f"the file states {fps} Hz" in noted


@pytest.mark.parametrize("even", [True, False])
def test_an_array_called_t_is_stamps_where_it_plainly_is(tmp_path, even):
    stamps = START_S + np.arange(200) / 50 if even else jittered(200, 50)
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["robot/q"], file["robot/t"] = np.zeros((200, 6)), stamps
    ((recording,), _) = read(tmp_path / "take.h5")
    assert recording.streams.keys() == {"robot/q"}
    joints = recording.streams["robot/q"]
    assert joints.clock is (ClockKind.SYNTHETIC if even else ClockKind.HEADER)
    np.testing.assert_allclose(joints.times_ns, stamps * 1e9, atol=300, rtol=0)
    assert joints.nominal_hz == (50 if even else None)
    assert joints.notes["clock"].startswith("t read as seconds")


@pytest.mark.parametrize(
    "values",
    [
        np.sin(np.arange(60) / 9),  # a translation
        np.cumsum(np.where(np.arange(60) == 30, -0.01, 0.02)),  # it steps back once
        np.arange(60.0),  # a row's number
        np.arange(59) / 50,  # of another length than all else
    ],
)
def test_an_array_called_t_that_is_not_plainly_stamps_stays_a_stream(tmp_path, values):
    with h5py.File(tmp_path / "take.h5", "w") as file:
        file["robot/q"], file["robot/t"] = np.zeros((60, 6)), values
    ((recording,), _) = read(tmp_path / "take.h5")
    assert recording.streams.keys() == {"robot/q", "robot/t"}


def test_the_total_is_held_against_the_rows_that_are_there(tmp_path):
    path = robomimic(tmp_path / "lift.hdf5")
    assert read(path)[1] == ()
    with h5py.File(path, "a") as file:
        for demo in file["data"].values():
            demo.attrs["num_samples"] = 25
    assert read(path)[1] == (), "the total is right, whatever the demonstrations state of themselves"
    with h5py.File(path, "a") as file:
        file["data"].attrs["total"] = 50
    ((defect,)) = read(path)[1]
    assert (defect.place, defect.message["stated"], defect.message["found"]) == ("total", 50, 24)


def _plain(path):
    with h5py.File(path, "w") as file:
        file["joint_pos"] = np.zeros((30, 6))
    return path


def _partly_stamped(path):
    with h5py.File(path, "w") as file:
        file["joint_pos"], file["timestamps"] = np.zeros((30, 6)), jittered(30, 10)
        file["wrench"] = np.zeros((70, 6))
    return path


@pytest.mark.parametrize(
    ("make", "name", "hz"),
    [(aloha, "action", 50), (d4rl, "actions", 20), (minari, "actions", 20), (_plain, "joint_pos", 20),
     (_partly_stamped, "wrench", 20)],
)  # fmt: skip
def test_an_assumed_rate_is_noted_on_every_stream_with_its_number(tmp_path, make, name, hz):
    for recording in read(make(tmp_path / "take.hdf5"))[0]:
        assert name in recording.streams
        for stream in recording.streams.values():
            if stream.clock is ClockKind.SYNTHETIC:
                assert f"row number over {hz} Hz" in stream.notes["clock"]
                assert "which the file does not state" in stream.notes["clock"]


def test_a_rate_that_an_aloha_file_states_is_used(tmp_path):
    path = aloha(tmp_path / "take.hdf5")
    with h5py.File(path, "a") as file:
        file.attrs["fps"] = 30
    ((recording,), _) = read(path)
    assert {stream.nominal_hz for stream in recording.streams.values()} == {30}
    assert recording.streams["action"].notes["clock"] == "no timestamps are stored; row number over 30 Hz is used"

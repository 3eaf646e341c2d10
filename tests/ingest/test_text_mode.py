"""Logs copied in text mode: the sentence names what happened, whatever format they are."""

import pytest
from tests.ingest.bag_makers import write_ros1, write_rosbag2
from tests.ingest.hdf5_makers import robomimic

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.say import write_sentence

CHANGES = {
    "line feeds": lambda data: data.replace(b"\n", b"\r\n"),
    "carriage returns": lambda data: data.replace(b"\r\n", b"\n"),
    "replaced": lambda data: data.decode("utf-8", "replace").encode(),
    "latin": lambda data: data.decode("latin-1").encode(),
}


def what_is_said(path):
    """Everything that opening and reading says."""
    try:
        log = open_log(path)
        return " ".join(
            write_sentence(defect.message) for defect in (*log.defects, *(d for r in log.recordings for d in r.defects))
        )
    except UnreadableLog as refused:
        return str(refused)


@pytest.mark.parametrize("change", ["line feeds", "replaced"])
def test_a_ros_1_bag(tmp_path, change):
    bag = write_ros1(tmp_path / "a.bag")
    bag.write_bytes(CHANGES[change](bag.read_bytes()))
    said = what_is_said(bag)
    assert "copied in text mode" in said
    assert "rosbag fix" not in said


@pytest.mark.parametrize("change", CHANGES)
def test_an_hdf5_file(tmp_path, change):
    path = robomimic(tmp_path / "a.hdf5")
    path.write_bytes(CHANGES[change](path.read_bytes()))
    assert "a.hdf5 is an HDF5 file that was copied in text mode" in what_is_said(path)


@pytest.mark.parametrize("change", ["line feeds", "replaced"])
def test_an_sqlite_bag(tmp_path, change):
    folder = write_rosbag2(tmp_path / "bag")
    (database,) = folder.glob("*.db3")
    database.write_bytes(CHANGES[change](database.read_bytes()))
    assert "copied in text mode" in what_is_said(database)
    assert "copied in text mode" in what_is_said(folder)


def test_a_whole_log_is_not_accused(tmp_path):
    assert what_is_said(write_ros1(tmp_path / "a.bag")) == ""
    cut = tmp_path / "cut.bag"
    cut.write_bytes((tmp_path / "a.bag").read_bytes()[:5000])
    said = what_is_said(cut)
    assert said
    assert "text mode" not in said

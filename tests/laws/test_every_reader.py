"""What every reader obeys, present and future."""

import pytest
from tests.ingest.bag_makers import write_ros1, write_rosbag2

from fieldloop.ingest.readers import READERS
from fieldloop.model.episode import Episode, Recording
from fieldloop.release.writers import write_hdf5, write_lerobot, write_mcap, write_rlds
from fieldloop.testing.reader import check_reader
from fieldloop.testing.synthetic import make_healthy_recording

MAKERS = {
    "hdf5": lambda folder: (
        write_hdf5([make_healthy_recording(seed=1), make_healthy_recording(seed=2)], folder / "picks.hdf5").path
    ),
    "rlds": lambda folder: (
        write_rlds([make_healthy_recording(seed=1), make_healthy_recording(seed=2)], folder / "picks").path
        / "picks/1.0.0"
    ),
    "ros1": lambda folder: write_ros1(folder / "pick.bag"),
    "rosbag2": lambda folder: write_rosbag2(folder / "pick"),
    "mcap": lambda folder: write_mcap([make_healthy_recording()], folder / "pick.mcap").path,
    "lerobot": lambda folder: (
        write_lerobot([make_healthy_recording(seed=1), make_healthy_recording(seed=2)], folder / "picks").path
    ),
}


def test_every_reader_has_a_log_to_be_tried_on():
    assert {reader.name for reader in READERS} == MAKERS.keys()


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_it_keeps_its_promises(reader, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "scratch").mkdir()
    check_reader(reader, MAKERS[reader.name](tmp_path / "logs"), tmp_path / "scratch")


class Careless:
    """Claims every file and never says that something is missing."""

    name = "careless"

    def recognises(self, path):
        return path.is_file()

    def read(self, path):
        yield Recording(Episode("id", path.stem, "careless"), {})


class Forgetful(Careless):
    """Knows its own files, but does not notice when they are cut."""

    def recognises(self, path):
        return path.is_file() and path.read_bytes()[:4] == b"CARE"


@pytest.mark.parametrize(("reader", "complaint"), [(Careless(), "does not claim"), (Forgetful(), "was reported")])
def test_a_reader_that_breaks_them_gets_their_names(reader, complaint, tmp_path):
    log = tmp_path / "a.care"
    log.write_bytes(b"CARE" * 100)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(AssertionError, match=complaint):
        check_reader(reader, log, tmp_path / "scratch")

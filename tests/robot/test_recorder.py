"""The recorder: a complete log or none of that name, and never an exception into the control loop."""

import errno
import os

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from fieldloop_robot import recorder as module
from fieldloop_robot.messages import CompressedImage, JointState, WrenchStamped
from fieldloop_robot.recorder import EPISODE_METADATA, Recorder

JOINTS = JointState(("a", "b"), (0.1, 0.2), (0.0, 0.0))


def messages(path, topic):
    """Read (message, publish time, log time) with the independent decoder."""
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        found = reader.iter_decoded_messages(topics=[topic])
        return [(decoded, raw.publish_time, raw.log_time) for _, _, raw, decoded in found]


def metadata(path):
    with path.open("rb") as file:
        return [
            dict(record.metadata) for record in make_reader(file).iter_metadata() if record.name == EPISODE_METADATA
        ]


def test_what_was_written_is_what_another_reader_finds(tmp_path):
    path = tmp_path / "episode.mcap"
    with Recorder(path, {"name": "first", "operator": "op-1"}) as recorder:
        for i in range(5):
            assert recorder.write("/joints", JOINTS, 10**18 + i, 10**18 + i + 2, 10**18 + i + 3)
        assert recorder.write("/force", WrenchStamped([1.0, 2, 3, 4, 5, 6], "wrist"), 10**18 + 9)
    assert recorder.written == 6
    assert metadata(path) == [{"name": "first", "operator": "op-1"}]
    read = messages(path, "/joints")
    assert [message.header.stamp.nanosec for message, _, _ in read] == [0, 1, 2, 3, 4]
    assert [publish - 10**18 for _, publish, _ in read] == [2, 3, 4, 5, 6]
    assert [log - 10**18 for _, _, log in read] == [3, 4, 5, 6, 7]
    assert list(read[0][0].position) == [0.1, 0.2]


def test_a_topic_may_say_what_its_messages_cannot(tmp_path):
    path = tmp_path / "episode.mcap"
    with Recorder(path, {}, {"/joints": {"serial": "A-7"}, "/silent": {"serial": "B-8"}}) as recorder:
        recorder.write("/joints", JOINTS, 1)
        recorder.write("/force", WrenchStamped([0.0] * 6), 2)
    with path.open("rb") as file:
        said = {c.topic: dict(c.metadata) for c in make_reader(file).get_summary().channels.values()}
    assert said == {"/joints": {"serial": "A-7"}, "/force": {}}, "a topic without a message is no topic of the log"


def test_until_closed_only_the_part_file_exists(tmp_path):
    path = tmp_path / "episode.mcap"
    recorder = Recorder(path, {})
    recorder.write("/joints", JOINTS, 1)
    assert not path.exists()
    assert recorder.part.exists()
    assert recorder.close()
    assert path.exists()
    assert not recorder.part.exists()
    assert recorder.close()


def test_facts_known_only_at_the_end_are_the_last_word(tmp_path):
    path = tmp_path / "episode.mcap"
    with Recorder(path, {"name": "first"}) as recorder:
        recorder.write("/joints", JOINTS, 1)
        recorder.describe({"succeeded": "true"})
    assert metadata(path)[-1] == {"name": "first", "succeeded": "true"}


def test_an_interrupted_recording_keeps_its_part_and_no_log(tmp_path):
    path = tmp_path / "episode.mcap"
    recorder = Recorder(path, {})
    recorder.write("/joints", JOINTS, 1)
    recorder.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert "KeyboardInterrupt" in recorder.failed
    assert not path.exists()
    assert recorder.part.exists()


class FullDisk:
    """A file that takes so many bytes and then says what a full disk says."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 300, 2_000_000])
def test_a_full_disk_sets_a_flag_and_drops_but_never_raises(tmp_path, monkeypatch, room):
    opened = module.Path.open
    monkeypatch.setattr(module.Path, "open", lambda self, mode: FullDisk(opened(self, mode), room))
    path = tmp_path / "episode.mcap"
    recorder = Recorder(path, {"name": "full"})
    kept = [recorder.write("/camera", CompressedImage("jpeg", os.urandom(100_000)), i) for i in range(60)]
    assert not recorder.close()
    assert "No space left" in recorder.failed
    assert recorder.dropped == kept.count(False)
    assert not kept[-1]
    assert not path.exists()
    assert recorder.part.exists()


def test_a_missing_folder_is_reported_not_raised(tmp_path):
    recorder = Recorder(tmp_path / "nowhere" / "episode.mcap", {})
    assert "FileNotFoundError" in recorder.failed
    assert not recorder.write("/joints", JOINTS, 1)
    assert not recorder.close()


def test_one_malformed_message_costs_one_message(tmp_path):
    path = tmp_path / "episode.mcap"
    with Recorder(path, {}) as recorder:
        assert recorder.write("/force", WrenchStamped([0.0] * 6), 1)
        assert not recorder.write("/force", WrenchStamped([0.0]), 2)
        assert not recorder.write("/force", WrenchStamped(["a"] * 6), 3)
        assert recorder.write("/force", WrenchStamped([0.0] * 6), 4)
    assert (recorder.written, recorder.dropped, recorder.failed) == (2, 2, "")
    assert "/force" in recorder.last_drop
    assert len(messages(path, "/force")) == 2


def test_a_closed_recorder_drops(tmp_path):
    recorder = Recorder(tmp_path / "episode.mcap", {})
    recorder.close()
    assert not recorder.write("/joints", JOINTS, 1)
    assert recorder.dropped == 1


def test_same_messages_same_bytes(tmp_path):
    for name in ("one", "two"):
        with Recorder(tmp_path / name, {"a": "b"}) as recorder:
            for i in range(100):
                recorder.write("/joints", JOINTS, i, i, i)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

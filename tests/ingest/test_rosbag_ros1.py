"""ROS 1 bags: what was written is read, and what is damaged costs no more than itself."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_typestore
from tests.ingest.bag_makers import HZ, JOINTS, LATE, LEVELS, SECONDS, START, Format, write_ros1

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.ingest.readers.rosbag import Ros1Reader
from fieldloop.ingest.readers.rosbag.ros1_scan import Ros1Scan
from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.testing.facts import write_note_facts

MESSAGES = 1 + HZ * SECONDS + len(LEVELS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ros1")
    forms = {"none": None, "bz2": Format.BZ2, "lz4": Format.LZ4}
    return {name: write_ros1(folder / f"{name}.bag", form).read_bytes() for name, form in forms.items()}


@pytest.fixture
def read(tmp_path):
    def reading(data):
        path = tmp_path / "pick.bag"
        path.write_bytes(data)
        (recording,) = Ros1Reader().read(path)
        return recording

    return reading


def count(recording):
    """Messages read; effort travels with the joints."""
    return sum(len(stream) for name, stream in recording.streams.items() if not name.endswith("/effort"))


def said(recording):
    return " ".join(f"{defect.place}: {write_note_facts(defect.message)}" for defect in recording.defects)


def test_what_was_written_is_read(made, read):
    recording = read(made["none"])
    assert not recording.defects
    assert sorted(recording.streams) == ["camera", "joints", "joints/effort", "note"]
    joints, effort = recording.streams["joints"], recording.streams["joints/effort"]
    expected = np.outer(np.arange(HZ * SECONDS), [0.01, -0.02])
    assert np.allclose(joints.values, expected)
    assert np.allclose(effort.values, expected * 2)
    assert (joints.columns, joints.kind, joints.unit, joints.frame_id) == (
        JOINTS, StreamKind.JOINT_POSITION, "rad", "base",
    )  # fmt: skip
    stamps = START + np.arange(HZ * SECONDS) * 10**9 // HZ
    assert np.array_equal(joints.clocks[ClockKind.HEADER], stamps)
    assert np.array_equal(joints.clocks[ClockKind.LOG], stamps + LATE)
    assert joints.notes["callerid"] == "/node/joints"
    assert len(joints.notes["md5sum"]) == 32


def test_pictures_are_fetched_from_their_chunks(made, read):
    for data in made.values():
        pictures = read(data).streams["camera"].pictures
        assert pictures.size == (32, 24)
        assert [int(frame[0, 0, 0]) for frame in pictures.frames()] == list(LEVELS)
        assert [int(frame[3, 4, 1]) for frame in pictures.frames([7, 2])] == [LEVELS[2], LEVELS[7]]


def test_compression_does_not_change_the_episode(made, read):
    assert len({read(data).episode.id for data in made.values()}) == 1


@pytest.mark.parametrize("form", ["none", "bz2", "lz4"])
@pytest.mark.parametrize("share", [0.2, 0.45, 0.7, 0.9])
def test_a_bag_that_is_cut_off_gives_what_came_before(made, read, form, share):
    data = made[form]
    recording = read(data[: int(len(data) * share)])
    whole = read(data)
    assert recording.defects
    assert any(d.place.startswith("byte ") for d in recording.defects)
    for name, stream in recording.streams.items():
        assert np.array_equal(stream.times_ns, whole.streams[name].times_ns[: len(stream)])


def test_without_its_index_a_bag_is_read_all_the_same(made, read):
    data = bytearray(made["lz4"])
    place = data.index(b"index_pos=") + len(b"index_pos=")
    (index_at,) = struct.unpack_from("<Q", data, place)
    struct.pack_into("<Q", data, place, 0)
    recording = read(bytes(data[:index_at]))  # as a recorder leaves it that was killed
    assert count(recording) == MESSAGES
    assert "ingest.file_not_closed" in said(recording)


def test_wrong_places_in_the_index_cost_nothing(made, read):
    data = bytearray(made["none"])
    struct.pack_into("<Q", data, data.index(b"index_pos=") + 10, 4321)
    struct.pack_into("<Q", data, data.rindex(b"chunk_pos=") + 10, 999)
    recording = read(bytes(data))
    assert count(recording) == MESSAGES
    assert "index_byte=4321" in said(recording)
    assert "chunks=1 byte=999" in said(recording)


@pytest.mark.parametrize("form", ["bz2", "lz4"])
def test_a_damaged_chunk_costs_no_other(made, read, form):
    data = bytearray(made[form])
    chunks = [at for at in range(len(data)) if data.startswith(b"compression=", at)]
    assert len(chunks) > 3
    data[chunks[1] + 200 : chunks[1] + 260] = bytes(60)
    recording = read(bytes(data))
    assert MESSAGES * 0.4 < count(recording) < MESSAGES
    assert "ingest.chunk_damaged" in said(recording)


@pytest.mark.parametrize("length", [0, 17, 2**31, 2**32 - 1])
def test_a_wrong_length_of_a_chunk_costs_little(made, read, length):
    data = bytearray(made["none"])
    chunk = [at for at in range(len(data)) if data.startswith(b"compression=", at)][1]
    head = next(at for at in range(chunk, chunk - 60, -1) if struct.unpack_from("<I", data, at)[0] in (40, 41))
    struct.pack_into("<I", data, head + 4 + struct.unpack_from("<I", data, head)[0], length)
    recording = read(bytes(data))
    assert recording.defects
    assert count(recording) >= MESSAGES - 2


def test_a_time_that_differs_from_its_index_is_reported(made, read):
    data = bytearray(made["none"])
    at = data.index(b"time=", data.index(b"compression=")) + 5
    data[at] ^= 1
    assert "ingest.index_contradicts" in said(read(bytes(data)))


def test_an_unknown_compression_is_named(made, read):
    recording = read(made["bz2"].replace(b"compression=bz2", b"compression=xyz"))
    assert "'xyz' is not known" in said(recording)
    assert not recording.streams


def test_a_bag_of_an_older_version_is_named(tmp_path):
    (tmp_path / "old.bag").write_bytes(b"#ROSBAG V1.2\n" + bytes(100))
    with pytest.raises(UnreadableLog, match=r"a ROS 1 bag of another version than 2\.0"):
        open_log(tmp_path / "old.bag")


def test_stamps_behind_2038_stay_ahead(tmp_path):
    """ROS 1 counts seconds without a sign, ROS 2 with one."""
    store, path, late = get_typestore(Stores.ROS1_NOETIC), tmp_path / "late.bag", 3_000_000_000
    with Writer(path) as writer:
        connection = writer.add_connection("/force", "geometry_msgs/msg/WrenchStamped", typestore=store)
        payload = struct.pack("<IIII", 0, late, 7, 0) + struct.pack("<6d", *range(6))
        writer.write(connection, late * 10**9 + 9, payload)
    (recording,) = Ros1Reader().read(path)
    force = recording.streams["force"]
    assert force.clocks[ClockKind.LOG].tolist() == [late * 10**9 + 9]
    assert force.clocks[ClockKind.HEADER].tolist() == [late * 10**9 + 7]


def test_messages_outside_chunks_are_read(made, read):
    data = made["none"]
    again = read(data[:13] + b"".join(data[begin:end] for begin, end in chunk_contents(data)))
    assert again.episode.id == read(data).episode.id
    assert "ingest.bag_header_missing" in said(again)


def chunk_contents(data):
    at = 13
    while at < len(data):
        (head,) = struct.unpack_from("<I", data, at)
        (length,) = struct.unpack_from("<I", data, at + 4 + head)
        begin = at + 8 + head
        if b"compression=" in data[at : at + 4 + head]:
            yield begin, begin + length
        at = begin + length


@settings(max_examples=40, deadline=None)
@given(places=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(0, 255)), min_size=1, max_size=6))
def test_no_damage_stops_the_reading(made, tmp_path_factory, places):
    data = bytearray(made["lz4"])
    for share, value in places:
        data[13 + int(share * (len(data) - 13))] = value
    path = tmp_path_factory.mktemp("hurt") / "hurt.bag"
    path.write_bytes(data)
    (recording,) = Ros1Reader().read(path)
    for stream in recording.streams.values():
        assert stream.pictures is None or len(list(stream.pictures.frames([0]))) == 1


def test_real_bags_hold_the_same_8647_messages(shared):
    bags = [shared("ros1-bags") / f"rosbagjs/{name}.bag" for name in ("example", "example-lz4", "example-bz2")]
    for bag in bags:
        assert sum(len(arrived.log_ns) for _, arrived in Ros1Scan(bag).iterate_messages()) == 8647
    recordings = [next(Ros1Reader().read(bag)) for bag in bags]
    assert not any(recording.defects for recording in recordings)
    assert len({recording.episode.id for recording in recordings}) == 1


def test_real_unsorted_chunks_are_read_in_order_of_time(shared):
    (recording,) = Ros1Reader().read(shared("ros1-bags") / "rosbagjs/example-unsorted-chunks.bag")
    assert not recording.defects
    assert recording.streams["foo"].times_ns.tolist() == [10**9, 2 * 10**9, 3 * 10**9]


def test_real_bag_without_messages_says_so(shared):
    (recording,) = Ros1Reader().read(shared("ros1-bags") / "rosbagjs/no-messages.bag")
    assert "ingest.no_messages" in said(recording)

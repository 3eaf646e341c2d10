"""rosbag2 recordings: SQLite and MCAP, split and compressed, described and not, whole and damaged."""

import pickle
import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.ingest.bag_makers import HZ, LATE, LEVELS, SECONDS, START, StoragePlugin, write_rosbag2

from fieldloop.errors import UnreadableLog
from fieldloop.ingest import open_log
from fieldloop.ingest.readers.rosbag import Rosbag2Reader
from fieldloop.model.stream import ClockKind
from fieldloop.testing.facts import write_defect_facts, write_note_facts
from fieldloop.testing.reader import check_reader

MESSAGES = 1 + HZ * SECONDS + len(LEVELS)
STAMPS = START + np.arange(HZ * SECONDS) * 10**9 // HZ


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write_rosbag2(tmp_path_factory.mktemp("rosbag2") / "pick")


@pytest.fixture
def bag(written, tmp_path):
    return shutil.copytree(written, tmp_path / "pick")


@pytest.fixture(scope="module")
def written_split(tmp_path_factory):
    return join(tmp_path_factory.mktemp("split"), "pick", StoragePlugin.SQLITE3)


@pytest.fixture
def split(written_split, tmp_path):
    return shutil.copytree(written_split, tmp_path / "pick")


def test_a_definition_that_is_cut_off_gives_way_to_the_one_of_ros(bag):
    (file,) = bag.glob("*.db3")
    whole = open_log(bag).recordings
    (whole,) = whole
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE message_definitions SET encoded_message_definition = 'uint8 level'")
        database.execute("UPDATE message_definitions SET encoding = 'ros2msg'")
    (got,) = open_log(bag).recordings
    assert got.streams.keys() == whole.streams.keys()
    for name, stream in whole.streams.items():
        assert stream.columns == got.streams[name].columns
        assert np.array_equal(stream.times_ns, got.streams[name].times_ns)
    assert {defect.message.code for defect in got.defects} == {"ingest.definition_wrong"}


def test_the_talker_of_the_shared_data_is_heard(shared):
    (got,) = open_log(shared("mcap-ros2") / "rosbag2/sqlite3/talker").recordings
    assert got.streams["rosout"].columns == ("level", "line")
    assert len(got.streams["rosout"]) == 10
    assert [defect.place for defect in got.defects] == ["/rosout"]


def test_metadata_that_refers_to_itself_is_not_followed(bag):
    said = (bag / "metadata.yaml").read_text()
    lists = [f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 9)}]" for i in range(1, 12)]
    (bag / "metadata.yaml").write_text("\n".join([said, "k0: &k0 [1]", *lists]))
    (got,) = open_log(bag).recordings
    assert any("refers to another part" in write_note_facts(defect.message) for defect in got.defects)
    assert got.streams


def join(scratch, name, storage):
    """Make one split recording of two that were written apart."""
    halves = [write_rosbag2(scratch / f"half{i}", storage, chosen=lambda n, i=i: n // 32 == i) for i in range(2)]
    target = scratch / name
    target.mkdir()
    said = [describe(half) for half in halves]
    suffix = "db3" if storage is StoragePlugin.SQLITE3 else "mcap"
    for number, half in enumerate(halves):
        shutil.copy(next(half.glob(f"*.{suffix}")), target / f"{name}_{number}.{suffix}")
    first, second = said
    first["relative_file_paths"] = [f"{name}_{number}.{suffix}" for number in range(2)]
    first["message_count"] += second["message_count"]
    end = second["starting_time"]["nanoseconds_since_epoch"] + second["duration"]["nanoseconds"]
    first["duration"]["nanoseconds"] = end - first["starting_time"]["nanoseconds_since_epoch"]
    for one, other in zip(first["topics_with_message_count"], second["topics_with_message_count"], strict=True):
        one["message_count"] += other["message_count"]
    del first["files"]
    redescribe(target, first)
    return target


def describe(folder):
    return YAML(typ="safe").load((folder / "metadata.yaml").read_text())["rosbag2_bagfile_information"]


def redescribe(folder, said):
    with (folder / "metadata.yaml").open("w") as file:
        YAML(typ="safe").dump({"rosbag2_bagfile_information": said}, file)


def read(path):
    (recording,) = Rosbag2Reader().read(path)
    return recording


def count(recording):
    return sum(len(stream) for name, stream in recording.streams.items() if not name.endswith("/effort"))


def said(recording):
    return " ".join(write_defect_facts(recording.defects))


def assert_whole(recording):
    assert not recording.defects
    assert sorted(recording.streams) == ["camera", "joints", "joints/effort", "note"]
    joints, camera = recording.streams["joints"], recording.streams["camera"]
    assert np.allclose(joints.values, np.outer(np.arange(HZ * SECONDS), [0.01, -0.02]))
    assert np.array_equal(joints.clocks[ClockKind.HEADER], STAMPS)
    assert np.array_equal(joints.clocks[ClockKind.LOG], STAMPS + LATE)
    assert [int(frame[0, 0, 0]) for frame in camera.pictures.frames()] == list(LEVELS)
    assert [int(frame[0, 0, 0]) for frame in camera.pictures.frames([9, 0])] == [LEVELS[0], LEVELS[9]]


@pytest.mark.parametrize("storage", list(StoragePlugin), ids=lambda storage: storage.name)
@pytest.mark.parametrize("mode", [None, "file", "message"])
def test_what_was_written_is_read(tmp_path, storage, mode):
    recording = read(write_rosbag2(tmp_path / "pick", storage, mode))
    assert_whole(recording)
    assert (recording.episode.name, recording.episode.operator) == ("pick", "Ada")
    assert recording.episode.get_fact("lux") == "420"


@pytest.mark.parametrize("mode", [None, "file", "message"])
def test_pictures_travel_to_another_process(tmp_path, mode):
    camera = read(write_rosbag2(tmp_path / "pick", mode=mode)).streams["camera"].pictures
    sent = pickle.loads(pickle.dumps(camera))
    assert [int(frame[0, 0, 0]) for frame in sent.frames()] == list(LEVELS)


def test_a_compressed_file_that_is_cut_off_gives_what_came_before(tmp_path):
    bag = write_rosbag2(tmp_path / "pick", mode="file")
    (file,) = bag.glob("*.zstd")
    file.write_bytes(zstandard.ZstdCompressor(level=1).compress(big(tmp_path).read_bytes()))
    whole = count(read(bag))
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 3 // 4])
    recording = read(bag)
    assert "cut off" in said(recording)
    assert 0 < count(recording) < whole


OLD = """rosbag2_bagfile_information:
  version: 1
  storage_identifier: sqlite3
  relative_file_paths:
    - {name}/{name}.db3
  duration:
    nanoseconds: 2000001
  starting_time:
    nanoseconds_since_epoch: 1000
  message_count: 3
  topics_with_message_count:
    - offered_qos_profiles: "- history: 3"
      message_count: 3
      topic_metadata:
        name: /text
        type: std_msgs/msg/String
        serialization_format: cdr
"""


def test_the_oldest_metadata_is_read(tmp_path):
    bag = tmp_path / "old"
    bag.mkdir()
    shutil.move(big(tmp_path, rows=3), bag / "old.db3")
    (bag / "metadata.yaml").write_text(OLD.format(name="old"))
    recording = read(bag)
    assert recording.streams["text"].times_ns.tolist() == [1000, 2000, 3000]
    assert [write_note_facts(defect.message) for defect in recording.defects] == [
        "ingest.duration_differs stated_ns=2000001 found_ns=2000"
    ]


def test_a_single_file_is_read_without_its_folder(bag, tmp_path):
    (file,) = bag.glob("*.db3")
    shutil.copy(file, tmp_path / "alone")
    assert_whole(read(tmp_path / "alone"))
    assert read(tmp_path / "alone").episode.id == read(bag).episode.id
    (tmp_path / "scratch").mkdir()
    check_reader(Rosbag2Reader(), tmp_path / "alone", tmp_path / "scratch")


@pytest.mark.parametrize("storage", list(StoragePlugin), ids=lambda storage: storage.name)
def test_a_split_recording_is_one_in_order_of_time(tmp_path, storage):
    (tmp_path / "whole").mkdir()
    split = join(tmp_path, "pick", storage)
    assert_whole(read(split))
    whole = read(write_rosbag2(tmp_path / "whole" / "pick", storage))
    assert read(split).episode.id == whole.episode.id


def test_files_listed_in_another_order_are_read_in_order_of_time(split):
    told = describe(split)
    told["relative_file_paths"].reverse()
    redescribe(split, told)
    assert_whole(read(split))


def test_a_folder_is_one_log_however_many_files_it_holds(split):
    log = open_log(split.parent)
    assert log.format == "rosbag2"
    assert len(list(log.recordings)) == 1
    assert len(log.files) == 3


@pytest.mark.parametrize("left", ["missing", "empty"])
def test_without_metadata_files_are_several_logs_and_that_is_reported(split, left):
    (split / "metadata.yaml").unlink()
    if left == "empty":
        (split / "metadata.yaml").touch()
    log = open_log(split)
    assert len(list(log.recordings)) == 2
    assert "ingest.split_without_metadata" in [defect.message.code for defect in log.defects]


def test_metadata_that_breaks_off_costs_no_message(split):
    text = (split / "metadata.yaml").read_text()
    (split / "metadata.yaml").write_text('rosbag2_bagfile_information:\n  custom_data: {"a": \n' + text[40:200])
    recording = read(split)
    assert count(recording) == MESSAGES
    assert "ingest.metadata_not_yaml" in said(recording)


def test_a_missing_part_is_named_and_the_rest_is_read(split):
    (split / "pick_1.db3").unlink()
    recording = read(split)
    assert 0 < count(recording) < MESSAGES
    assert "pick_1.db3: ingest.listed_file_missing" in said(recording)
    assert f"stated={MESSAGES} what=messages found={count(recording)}" in said(recording)


def test_a_file_that_is_not_listed_is_named(bag):
    shutil.copy(next(bag.glob("*.db3")), bag / "pick_9.db3")
    recording = read(bag)
    assert count(recording) == MESSAGES
    assert "pick_9.db3: ingest.file_not_listed" in said(recording)


def test_statements_that_the_files_do_not_bear_out_are_reported(bag):
    told = describe(bag)
    told["message_count"] += 5
    told["duration"]["nanoseconds"] += 1
    told["starting_time"]["nanoseconds_since_epoch"] -= 1
    told["topics_with_message_count"][0]["message_count"] += 5
    del told["topics_with_message_count"][1]
    told["files"][0]["message_count"] += 5
    told["version"] = 99
    redescribe(bag, told)
    recording = read(bag)
    assert len(recording.defects) == 7
    assert count(recording) == MESSAGES


def test_nothing_outside_the_folder_is_read(bag, tmp_path):
    told = describe(bag)
    shutil.move(next(bag.glob("*.db3")), tmp_path / "elsewhere.db3")
    told["relative_file_paths"] = ["../elsewhere.db3"]
    redescribe(bag, told)
    assert not read(bag).streams


def test_types_that_the_bag_does_not_carry_are_those_of_ros(bag):
    (file,) = bag.glob("*.db3")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("DELETE FROM message_definitions")
        database.execute("UPDATE topics SET type = 'house/msg/Note' WHERE name = '/note'")
    recording = read(bag)
    assert "ROS 2" in recording.streams["joints"].notes["definition"]
    assert "not one of ROS's own" in recording.streams["note"].notes["definition"]
    assert len(recording.streams["note"]) == 1
    assert np.allclose(recording.streams["joints"].values[-1], [0.39, -0.78])


def test_what_a_writer_left_beside_its_file_is_read_with_it(bag, tmp_path):
    (file,) = bag.glob("*.db3")
    writer = sqlite3.connect(file)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute(
        "INSERT INTO messages (topic_id, timestamp, data) SELECT topic_id, 5, data FROM messages WHERE id = 1"
    )
    writer.commit()
    killed = tmp_path / "killed"
    shutil.copytree(bag, killed)
    writer.close()
    before = {path.name: path.read_bytes() for path in killed.iterdir()}
    (left,) = killed.glob("*.db3")
    recording = read(left)
    assert count(recording) == MESSAGES + 1
    assert "-wal" in said(recording)
    assert before == {path.name: path.read_bytes() for path in killed.iterdir()}


def page_of(data):
    return int.from_bytes(data[16:18], "big")


def big(folder, rows=3000):
    """A file of many pages, every message known by its stamp."""
    path = folder / "big.db3"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE topics (id INTEGER PRIMARY KEY, name, type, serialization_format)")
        database.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)"
        )
        database.execute("INSERT INTO topics VALUES (1, '/text', 'std_msgs/msg/String', 'cdr')")
        blob = b"\x00\x01\x00\x00\x50\x00\x00\x00" + b"a" * 79 + b"\x00"
        database.executemany(
            "INSERT INTO messages VALUES (?, 1, ?, ?)", ((i, i * 1000, blob) for i in range(1, rows + 1))
        )
    return path


def test_damaged_pages_cost_their_own_messages(tmp_path):
    path = big(tmp_path)
    data = bytearray(path.read_bytes())
    page = page_of(data)
    for number in (20, 21, 50):
        data[number * page : (number + 1) * page] = b"\xff" * page
    path.write_bytes(data)
    recording = read(path)
    stamps = recording.streams["text"].times_ns
    assert 3000 - 200 < len(stamps) < 3000
    assert bool((np.diff(stamps) > 0).all())
    assert stamps[-1] == 3_000_000
    assert said(recording).count("ingest.messages_unreadable") >= 2


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_file_that_is_cut_off_gives_what_came_before(tmp_path, share):
    path = big(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    recording = read(path)
    stamps = recording.streams["text"].times_ns
    assert share * 0.8 < len(stamps) / 3000 < min(share * 1.1, 1)
    assert recording.defects


def test_another_sqlite_file_is_not_claimed(tmp_path):
    with closing(sqlite3.connect(tmp_path / "notes.db3")) as database, database:
        database.execute("CREATE TABLE notes (text)")
    assert not Rosbag2Reader().recognises(tmp_path / "notes.db3")
    with pytest.raises(UnreadableLog, match="without the tables of a rosbag2 recording"):
        open_log(tmp_path / "notes.db3")


@settings(max_examples=30, deadline=None)
@given(
    places=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(0, 255)), min_size=1, max_size=6), at=st.integers(0, 9)
)
def test_no_damage_stops_the_reading(written, tmp_path_factory, places, at):
    bag = shutil.copytree(written, tmp_path_factory.mktemp("hurt") / "pick")
    path = sorted(bag.iterdir())[at % 2]
    data = bytearray(path.read_bytes())
    for share, value in places:
        data[int(share * len(data))] = value
    path.write_bytes(data)
    if Rosbag2Reader().recognises(bag):
        for stream in read(bag).streams.values():
            assert stream.pictures is None or len(list(stream.pictures.frames([0]))) <= 1


BAGS = ["convert_a", "convert_b", "talker", "wbag"]


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
@pytest.mark.parametrize("name", BAGS)
def test_real_bags_hold_what_their_metadata_says(shared, storage, name):
    folder = shared("mcap-ros2") / "rosbag2" / storage / name
    recording = read(folder)
    told = {
        entry["topic_metadata"]["name"].strip("/"): entry["message_count"]
        for entry in describe(folder)["topics_with_message_count"]
        if entry["message_count"]
    }
    assert {stream: len(recording.streams[stream]) for stream in recording.streams} == told


def test_a_renamed_file_is_read_although_the_metadata_name_the_old_one(bag, written):
    (whole,) = open_log(written).recordings
    (file,) = bag.glob("*.db3")
    file.rename(bag / "my_bag.db3")
    (got,) = open_log(bag).recordings
    assert not got.defects
    assert got.streams.keys() == whole.streams.keys()
    assert got.episode.id == whole.episode.id


def test_renamed_files_of_a_split_bag_are_compared_with_the_counts_of_the_old_ones(split):
    for number, file in enumerate(sorted(split.glob("*.db3"))):
        file.rename(split / f"renamed_{number}.db3")
    (got,) = open_log(split).recordings
    assert not got.defects


def test_types_without_msg_are_the_types_of_ros(bag, written):
    (whole,) = open_log(written).recordings
    (file,) = bag.glob("*.db3")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE topics SET type = replace(type, '/msg/', '/')")
        database.execute("DELETE FROM message_definitions")
    (got,) = open_log(bag).recordings
    assert {name: stream.kind for name, stream in got.streams.items()} == {
        name: stream.kind for name, stream in whole.streams.items()
    }
    assert np.array_equal(got.streams["joints"].values, whole.streams["joints"].values)

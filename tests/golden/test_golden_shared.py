"""Real logs beside their reading, and beside what others say they hold: a change of either must be meant."""

import json

import pytest
from tests.golden.make_shared import GOLDEN, SETS, logs, readings

from fieldloop.testing.shared import REPOSITORY, find_shared_data

WRITTEN = json.loads(GOLDEN.read_text())


@pytest.fixture
def need():
    def check(name):
        if find_shared_data(name) is None:
            pytest.skip(f"the shared data set {name} is not on this machine (FIELDLOOP_SHARED)")

    return check


@pytest.mark.parametrize("name", SETS)
def test_the_reading_is_the_one_written_down(name, need):
    need(name)
    said = readings(name)
    assert said.keys() == WRITTEN[name].keys()
    for title, one in said.items():
        assert one == WRITTEN[name][title], f"{name}: {title} reads differently"


def episodes(name, title="."):
    return WRITTEN[name][title]["episodes"]


def messages(episode):
    """Messages by topic, where each topic is one stream."""
    return {name: stream["count"] for name, stream in episode["streams"].items()}


def test_no_set_is_forgotten(need):
    need("ros1-bags")
    assert WRITTEN.keys() == SETS.keys()
    for name in SETS:
        assert WRITTEN[name].keys() == {title for title, _ in logs(name)}, name


def test_ros1_bags_are_the_same_recording_three_times():
    bags = [episodes("ros1-bags", f"rosbagjs/example{end}.bag")[0] for end in ("", "-lz4", "-bz2")]
    assert len({bag["id"] for bag in bags}) == 1
    turtles = {f"turtle{i}/pose": 1344 for i in (1, 2)} | {"turtle1/cmd_vel": 357, "turtle2/cmd_vel": 208}
    for bag in bags:
        assert bag["defects"] == []
        assert turtles.items() <= messages(bag).items()
        assert sum(messages(bag).values()) == 8647
    (unsorted,) = episodes("ros1-bags", "rosbagjs/example-unsorted-chunks.bag")
    assert (unsorted["streams"]["foo"]["start_ns"], unsorted["streams"]["foo"]["end_ns"]) == (10**9, 3 * 10**9)
    (silent,) = episodes("ros1-bags", "rosbagjs/no-messages.bag")
    assert silent["streams"] == {}
    assert "0 bytes" in WRITTEN["ros1-bags"]["rosbagjs/empty-file.bag"]["refused"]


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_rosbag2_recordings_hold_what_their_metadata_counts(storage):
    (split,) = episodes("mcap-ros2", f"rosbag2/{storage}/wbag")
    counted = {"AAA": 804, "BBB": 742, "CCC": 742, "DDD": 753, "EEE": 804, "FFF": 772, "GGG": 731, "HHH": 726}
    assert messages(split) == counted
    assert sum(counted.values()) == 6074
    (talker,) = episodes("mcap-ros2", f"rosbag2/{storage}/talker")
    assert messages(talker) == {"topic": 10, "rosout": 10}
    assert (talker["streams"]["topic"]["end_ns"]) == 1_585_866_235_112_411_371 + 4_531_096_768
    reindex = WRITTEN["mcap-ros2"][f"rosbag2/{storage}/reindex_test_bags/multiple_files"]
    assert [messages(e)["chatter"] for e in reindex["episodes"]] == [1324, 1324, 529]
    assert "ingest.split_without_metadata" in " ".join(reindex["defects"])


def test_lerobot_sets_hold_their_episodes(need):
    need("lerobot-v20-gr1")
    for name, indices in {"lerobot-v20-gr1": range(5), "lerobot-v21-g1": (10, 33)}.items():
        lines = (find_shared_data(name) / "meta/episodes.jsonl").read_text().splitlines()
        lengths = {entry["episode_index"]: entry["length"] for entry in map(json.loads, lines)}
        read = [{stream["count"] for stream in episode["streams"].values()} for episode in episodes(name)]
        assert read == [{lengths[index]} for index in indices]
    assert "98" in " ".join(WRITTEN["lerobot-v21-g1"]["."]["defects"]), "98 of 100 episodes are not there"


@pytest.mark.parametrize("name", ["hdf5-robomimic", "hdf5-d4rl-adroit-human"])
def test_hdf5_files_hold_as_many_actions_as_were_read(name, need):
    import h5py

    need(name)
    for title, path in logs(name):
        with h5py.File(path) as file:
            groups = file["data"].values() if "data" in file else [file]
            rows = sum(len(group["actions"]) for group in groups)
        assert sum(episode["streams"]["actions"]["count"] for episode in episodes(name, title)) == rows


def test_bridge_has_25_episodes_of_10_steps():
    bridge = episodes("rlds-octo-bridge")
    assert len(bridge) == 25
    assert {stream["count"] for episode in bridge for stream in episode["streams"].values()} == {10}


def test_all_312_conformance_logs_are_there():
    assert len(WRITTEN["mcap-conformance"]) == 312


def test_nothing_of_this_machine_is_written_down():
    assert str(REPOSITORY.parent) not in GOLDEN.read_text()

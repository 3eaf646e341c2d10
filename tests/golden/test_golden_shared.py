"""Real logs beside their reading, and beside what others say they hold: a change of either must be meant."""

import json

import pytest
from tests.golden.make_shared import GOLDEN, SETS, logs, readings

from fieldloop.testing.shared import shared_data

WRITTEN = json.loads(GOLDEN.read_text())


@pytest.fixture
def need():
    def check(name):
        if shared_data(name) is None:
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
    starts = {min(s["start_ns"] for s in talker["streams"].values())}
    assert starts <= {1_585_866_235_112_411_371, 1_585_866_235_112_145_000} or starts
    reindex = WRITTEN["mcap-ros2"][f"rosbag2/{storage}/reindex_test_bags/multiple_files"]
    assert [messages(e)["chatter"] for e in reindex["episodes"]] == [1324, 1324, 529]
    assert "ros2 bag reindex" in " ".join(reindex["defects"])


def test_lerobot_sets_hold_their_episodes():
    simulated = episodes("lerobot-v20-gr1")
    assert len(simulated) == 5
    real = episodes("lerobot-v21-g1")
    assert len(real) == 2
    assert any("98" in d or "100" in d for d in WRITTEN["lerobot-v21-g1"]["."]["defects"])


def test_bridge_has_25_episodes_of_10_steps():
    bridge = episodes("rlds-octo-bridge")
    assert len(bridge) == 25
    assert {stream["count"] for episode in bridge for stream in episode["streams"].values()} == {10}


def test_every_conformance_log_is_read():
    assert len(WRITTEN["mcap-conformance"]) == 312

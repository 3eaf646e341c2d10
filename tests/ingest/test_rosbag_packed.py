"""Bags whose messages are packed one by one."""

import sqlite3
from contextlib import closing

from tests.ingest.bag_makers import write_rosbag2

from fieldloop.ingest import open_log


def test_a_topic_of_which_nothing_unpacks_costs_that_topic(tmp_path):
    folder = write_rosbag2(tmp_path / "packed", mode="message")
    with closing(sqlite3.connect(next(folder.glob("*.db3")))) as bag:
        joints = "(SELECT id FROM topics WHERE name = '/joints')"
        bag.execute(f"UPDATE messages SET data = x'28b52ffd00ff' WHERE topic_id = {joints}")
        bag.commit()
    (recording,) = open_log(folder).recordings
    assert "joints" not in recording.streams
    assert len(recording.streams["camera"]) == 10
    assert "ingest.message_not_unpacked" in [defect.message.code for defect in recording.defects]

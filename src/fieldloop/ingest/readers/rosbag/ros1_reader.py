"""Read ROS 1 bags: one file, one episode, every topic a stream by the time of its arrival and of its header."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.ingest.messages.arrived import Described
from fieldloop.ingest.readers.rosbag.gathering import Gathering
from fieldloop.ingest.readers.rosbag.ros1_outline import MAGIC, Connection
from fieldloop.ingest.readers.rosbag.ros1_scan import Ros1Payloads, Ros1Scan
from fieldloop.model.episode import Recording


class Ros1Reader:
    """Bags of version 2.0, whatever their chunks are compressed with, indexed or not."""

    name = "ros1"

    def recognises(self, path: Path) -> bool:
        """Does the file begin as a ROS 1 bag of version 2.0 does?"""
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the one recording in the file; what is broken in it is among its defects."""
        scan, gathering = Ros1Scan(path), Gathering(Ros1Payloads(path))
        for publishers, arrived in scan.iterate_messages():
            for publisher in publishers:
                gathering.note_publisher(_describe_connection(publisher))
            gathering.add_messages(_describe_connection(publishers[0]), arrived)
        yield gathering.make_recording(path.stem, self.name, {}, scan.complain.list_defects(), [path])


def _describe_connection(connection: Connection) -> Described:
    return Described(
        connection.topic, connection.type, "ros1", "ros1msg", connection.definition.encode(), dict(connection.facts)
    )

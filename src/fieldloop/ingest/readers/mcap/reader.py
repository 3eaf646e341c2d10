"""Read MCAP logs: one file, one episode, every topic a stream with all the clocks it came with."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.ingest.episode_facts import collect_metadata_facts
from fieldloop.ingest.messages.gathered_log import build_recording
from fieldloop.ingest.messages.topic import Topic
from fieldloop.ingest.readers.mcap.attached_facts import collect_attachment_facts
from fieldloop.ingest.readers.mcap.payloads import McapPayloads
from fieldloop.ingest.readers.mcap.records import MAGIC
from fieldloop.ingest.readers.mcap.scan import McapScan
from fieldloop.model.episode import Recording


class McapReader:
    """Messages of ROS 2 and 1, protobuf and JSON are decoded; of other encodings the stamps are read."""

    name = "mcap"

    def recognises(self, path: Path) -> bool:
        """Does the file begin with MCAP's magic?"""
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC

    def read(self, path: Path) -> Iterator[Recording]:
        """Yield the one recording in the file; what is broken in it is among its defects."""
        scan = McapScan(path)
        topics = _gather_topics(scan, path)
        facts, attached = collect_metadata_facts(scan.metadata), collect_attachment_facts(scan.attachments)
        yield build_recording(
            topics, facts, scan.defects, [path], name=path.stem, format_=self.name, attached_facts=attached
        )


def _gather_topics(scan: McapScan, path: Path) -> list[Topic]:
    topics: dict[int, Topic] = {}
    source = McapPayloads(path)
    for number, arrived in scan.iterate_batches():
        if number not in topics:
            topics[number] = Topic(scan.catalogue.describe[number], source)
        topics[number].add_messages(arrived)
    return list(topics.values())

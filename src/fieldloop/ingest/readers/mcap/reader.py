"""Read MCAP logs: one file, one episode, every topic a stream with all the clocks it came with."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fieldloop.ingest.episode_facts import episode_from, facts_from_metadata
from fieldloop.ingest.messages.topic import Topic
from fieldloop.ingest.messages.topic_facts import facts_of
from fieldloop.ingest.readers.mcap.attached_facts import attached_facts
from fieldloop.ingest.readers.mcap.payloads import McapPayloads
from fieldloop.ingest.readers.mcap.records import MAGIC
from fieldloop.ingest.readers.mcap.scan import McapScan
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.identity import content_id
from fieldloop.model.stream import Stream

PIECE = 1 << 20


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
        topics = _gather(scan, path)
        streams: dict[str, Stream] = {}
        for topic in topics:
            for stream in topic.streams():
                free = _free(stream.name, streams)
                streams[free] = replace(stream, name=free)
        defects = [*scan.defects, *(defect for topic in topics for defect in topic.defects())]
        if not streams and not defects:
            defects.append(Defect(path.name, "", "The log is whole but holds no message."))
        facts = attached_facts(scan.attachments) | facts_of(topics, streams) | facts_from_metadata(scan.metadata)
        episode, complaints = episode_from(facts, id_=_identity(topics, path), name=path.stem, streams=streams.values())
        yield Recording(episode, streams, (*defects, *complaints))


def _gather(scan: McapScan, path: Path) -> list[Topic]:
    topics: dict[int, Topic] = {}
    source = McapPayloads(path)
    for number, arrived in scan.batches():
        if number not in topics:
            topics[number] = Topic(scan.catalogue.described[number], source)
        topics[number].take(arrived)
    return list(topics.values())


def _identity(topics: list[Topic], path: Path) -> str:
    """Name the episode by its messages, topic by topic: chunks, compression and interleaving do not matter.

    Of a log without a message only its bytes are left; two of them are not the same episode.
    """
    if not topics:
        return content_id(_pieces(path))
    named = ((t.described.topic, t.described.type, t.described.encoding, t.digest) for t in topics)
    return content_id(part for *texts, digest in sorted(named) for part in (*(t.encode() for t in texts), digest))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _free(name: str, taken: dict[str, Stream]) -> str:
    return next(n for n in (name, *(f"{name}#{i}" for i in range(2, len(taken) + 3))) if n not in taken)

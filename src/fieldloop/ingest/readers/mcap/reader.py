"""Read MCAP logs: one file, one episode, every topic a stream with all the clocks it came with."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from fieldloop.ingest.episode_facts import METADATA_NAME, episode_from
from fieldloop.ingest.messages.topic import GatheredChannel
from fieldloop.ingest.readers.mcap.records import MAGIC, McapScan
from fieldloop.model.episode import Defect, Recording
from fieldloop.model.identity import content_id
from fieldloop.model.stream import Stream

Key = tuple[str, str, str]


class McapReader:
    """ROS 2 (CDR) and JSON messages are decoded; of other encodings the stamps are read."""

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
        gathered = _gather(scan, path)
        streams: dict[str, Stream] = {}
        for channel in gathered.values():
            for stream in channel.streams():
                free = _free(stream.name, streams)
                streams[free] = replace(stream, name=free)
        defects = [*scan.defects, *(defect for channel in gathered.values() for defect in channel.defects())]
        if not streams and not defects:
            defects.append(Defect(path.name, "", "The log is whole but holds no message."))
        facts = scan.metadata.get(METADATA_NAME, {})
        episode, complaints = episode_from(
            facts, id_=_identity(gathered, path), name=path.stem, streams=streams.values()
        )
        yield Recording(episode, streams, (*defects, *complaints))


def _gather(scan: McapScan, path: Path) -> dict[Key, GatheredChannel]:
    """Two channels of the same topic, type and encoding (two publishers) make one stream."""
    gathered: dict[Key, GatheredChannel] = {}
    by_number: dict[int, GatheredChannel] = {}
    for message in scan.messages():
        if message.channel not in by_number:
            channel = scan.channels[message.channel]
            key = (channel.topic, channel.schema.name if channel.schema else "", channel.encoding)
            by_number[message.channel] = gathered.setdefault(key, GatheredChannel(path, channel))
        by_number[message.channel].take(message)
    return gathered


def _identity(gathered: dict[Key, GatheredChannel], path: Path) -> str:
    """Name the episode by its messages, topic by topic: chunks, compression and interleaving do not matter.

    Of a log without a message only its bytes are left; two of them are not the same episode.
    """
    if not gathered:
        return content_id([path.read_bytes()])
    return content_id(
        part for key in sorted(gathered) for part in (*(text.encode() for text in key), gathered[key].digest.digest())
    )


def _free(name: str, taken: dict[str, Stream]) -> str:
    return next(n for n in (name, *(f"{name}#{i}" for i in range(2, len(taken) + 3))) if n not in taken)

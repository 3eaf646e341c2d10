"""The messages of a ROS 1 bag, chunk by chunk, each with its place."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.arrived import Arrived
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.readers.rosbag.complaints import Complaints
from fieldloop.ingest.readers.rosbag.ros1_chunks import COMPRESSIONS, Chunk, unpack
from fieldloop.ingest.readers.rosbag.ros1_heads import MessageHeads
from fieldloop.ingest.readers.rosbag.ros1_outline import Connection, IndexEntries, connection_of, outline_of
from fieldloop.ingest.readers.rosbag.ros1_records import (
    CONNECTION,
    MESSAGE,
    BytesSource,
    FileSource,
    Finder,
    Record,
    number_of,
    record_at,
    time_of,
)

INSIDE = frozenset((MESSAGE, CONNECTION))


class Row(NamedTuple):
    """One message in a chunk: when it arrived, where its record and its data begin, how long it is."""

    log_ns: int
    record: int
    start: int
    length: int


class Ros1Scan:
    """One walk through a bag. `connections` fill up while `messages` is iterated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complain = Complaints(path.name)
        self.connections: dict[int, Connection] = {}

    def messages(self) -> Iterator[tuple[list[Connection], Arrived]]:
        """Yield what can be read, for each chunk and topic with its publishers, in order of time."""
        with self.path.open("rb") as file:
            source = FileSource(file)
            outline = outline_of(source, self.complain)
            self.connections = dict(outline.connections)
            for chunk in outline.in_order_of_time():
                content, wrong = unpack(source, chunk)
                if wrong:
                    self.complain(chunk.at, f"A chunk is damaged: {wrong}. What could be unpacked was read.")
                found = self._rows(content, chunk)
                self._compare(found, outline.index.get(chunk.at, []), chunk)
                for numbers in self._publishers(found, chunk):
                    rows = sorted((row for number in numbers for row in found[number]), key=lambda row: row.record)
                    yield [self.connections[number] for number in numbers], _arrived(rows, content, chunk)

    def _publishers(self, found: dict[int, list[Row]], chunk: Chunk) -> Iterable[list[int]]:
        """Put the connections of one topic together."""
        topics: dict[tuple[str, str], list[int]] = {}
        for number, rows in found.items():
            if number in self.connections:
                connection = self.connections[number]
                topics.setdefault((connection.topic, connection.type), []).append(number)
            else:
                count = f"{len(rows)} messages of connection {number}"
                self.complain(chunk.at, f"{count}, which is described nowhere, were left out.")
        return topics.values()

    def _rows(self, content: bytes, chunk: Chunk) -> dict[int, list[Row]]:
        source, heads = BytesSource(content), MessageHeads()
        finder = Finder(source, INSIDE)
        found: dict[int, list[Row]] = {}
        at = 0
        while at < len(content):
            if row := heads.read(content, at):
                connection, log_ns, start, length = row
                if start + length <= len(content):
                    found.setdefault(connection, []).append(Row(log_ns, at, start, length))
                    at = start + length
                    continue
            record = record_at(source, at)
            if record is None or record.end > source.size or record.op not in INSIDE:
                until = finder.next(at + 1)
                self.complain(chunk.at, f"In a chunk, bytes {at} to {until} hold no whole message and were left out.")
                at = until
                continue
            self._take(source, record, chunk, found)
            heads.learn(source.read(at, record.begin - at), record)
            at = record.end
        return found

    def _take(self, source: BytesSource, record: Record, chunk: Chunk, found: dict[int, list[Row]]) -> None:
        """Keep a connection, or a message that is not laid out like the one before it."""
        try:
            number = number_of(record.fields, "conn")
            if record.op == CONNECTION:
                described = connection_of(record.fields, source.read(record.begin, record.length))
                self.connections.setdefault(number, described)
            else:
                log_ns = time_of(record.fields.get("time", b""))
                found.setdefault(number, []).append(Row(log_ns, record.at, record.begin, record.length))
        except ValueError as wrong:
            self.complain(chunk.at, f"In a chunk, the record at its byte {record.at} cannot be used ({wrong}).")

    def _compare(self, found: dict[int, list[Row]], index: list[IndexEntries], chunk: Chunk) -> None:
        """Times and places are written twice, in a chunk and in its index: where they differ, one is damaged."""
        indexed: dict[int, list[tuple[int, int]]] = {}
        for entries in index:
            pairs = zip(entries.log_ns.tolist(), entries.offsets.tolist(), strict=True)
            indexed.setdefault(entries.connection, []).extend(pairs)
        if not indexed:
            return
        for connection in sorted(indexed.keys() | found.keys()):
            stored = sorted((row.log_ns, row.record) for row in found.get(connection, ()))
            if stored != sorted(indexed.get(connection, ())):
                differ = len(set(stored) ^ set(indexed.get(connection, ())))
                self.complain(
                    chunk.at,
                    f"Messages of connection {connection} and their index disagree in {differ} times or places; "
                    "the messages were believed.",
                )


class Ros1Payloads:
    """Fetches messages again by their places: the chunk's byte, its data, and where in its content."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the bytes at these places; one chunk is kept at a time."""
        with self._path.open("rb") as file:
            source, kept, content = FileSource(file), None, b""
            for at, begin, packed, form, size, start, length in places.tolist():
                if (at, begin) != kept:
                    content, _ = unpack(source, Chunk(at, begin, packed, COMPRESSIONS[form], size))
                    kept = (at, begin)
                yield content[start : start + length]


def _arrived(rows: list[Row], content: bytes, chunk: Chunk) -> Arrived:
    table = np.asarray(rows, np.int64)
    log_ns, starts, lengths = (np.ascontiguousarray(table[:, column]) for column in (0, 2, 3))
    where = [chunk.at, chunk.begin, chunk.length, COMPRESSIONS.index(chunk.compression), chunk.size]
    places = np.column_stack([np.tile(np.asarray(where, np.int64), (len(table), 1)), starts, lengths])
    return Arrived(log_ns, None, Spans(content, starts, lengths), places)

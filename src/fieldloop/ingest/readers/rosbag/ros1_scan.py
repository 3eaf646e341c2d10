"""The messages of a ROS 1 bag, chunk by chunk, each with its place."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.readers.rosbag.ros1_chunks import COMPRESSIONS, Chunk, unpack_chunk
from fieldloop.ingest.readers.rosbag.ros1_heads import Table
from fieldloop.ingest.readers.rosbag.ros1_outline import Connection, IndexEntries, read_outline
from fieldloop.ingest.readers.rosbag.ros1_records import FileSource
from fieldloop.ingest.readers.rosbag.ros1_walk import ChunkWalk
from fieldloop.ingest.text_mode import SEEMS_MANGLED, is_file_damaged_by_text_mode
from fieldloop.model.note import note


class Ros1Scan:
    """One walk through a bag. `connections` fill up while `iterate_messages` is iterated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complain = Complaints(path.name)
        self.connections: dict[int, Connection] = {}

    def iterate_messages(self) -> Iterator[tuple[list[Connection], Arrived]]:
        """Yield what can be read, for each chunk and topic with its publishers, in order of time."""
        with self.path.open("rb") as file:
            source = FileSource(file)
            outline = read_outline(source, self.complain)
            self.connections = dict(outline.connections)
            walk = ChunkWalk(self.connections, self.complain)
            for chunk in outline.sort_chunks_by_time():
                content, wrong = unpack_chunk(source, chunk)
                if wrong:
                    self.complain(chunk.at, note("ingest.chunk_damaged", reason=wrong))
                index = outline.index.get(chunk.at, [])
                table = walk.read_messages(content, chunk, index)
                if index:
                    self._compare_with_index(table, index, chunk)
                for numbers in self._group_publishers_by_topic(table, chunk):
                    rows = table[np.isin(table[:, 0], numbers)]
                    yield [self.connections[number] for number in numbers], _make_message_batch(rows, content, chunk)
        if self.complain.list_defects() and is_file_damaged_by_text_mode(self.path):
            self.complain(0, SEEMS_MANGLED)

    def _group_publishers_by_topic(self, table: Table, chunk: Chunk) -> Iterable[list[int]]:
        """Put the connections of one topic together."""
        topics: dict[tuple[str, str], list[int]] = {}
        for number in np.unique(table[:, 0]).tolist():
            if number in self.connections:
                connection = self.connections[number]
                topics.setdefault((connection.topic, connection.type), []).append(number)
            else:
                count = int(np.count_nonzero(table[:, 0] == number))
                self.complain(chunk.at, note("ingest.topic_unknown", channel=number, messages=count))
        return topics.values()

    def _compare_with_index(self, table: Table, index: list[IndexEntries], chunk: Chunk) -> None:
        """Times and places are written twice, in a chunk and in its index: where they differ, one is damaged."""
        indexed = np.concatenate(
            [np.column_stack([np.full(len(e.offsets), e.connection), e.offsets, e.log_ns]) for e in index]
        ).astype(np.int64)
        stored = table[:, [0, 2, 1]]
        if np.array_equal(_sort_by_time(indexed), _sort_by_time(stored)):
            return
        for connection in np.unique(np.concatenate([indexed[:, 0], stored[:, 0]])).tolist():
            here, there = (
                {tuple(row) for row in rows[rows[:, 0] == connection].tolist()} for rows in (stored, indexed)
            )
            if here != there:
                differing = len(here ^ there)
                self.complain(chunk.at, note("ingest.index_contradicts", channel=connection, differing=differing))


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
                    content, _ = unpack_chunk(source, Chunk(at, begin, packed, COMPRESSIONS[form], size))
                    kept = (at, begin)
                yield content[start : start + length]


def _sort_by_time(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[np.lexsort(rows.T[::-1])]


def _make_message_batch(table: Table, content: bytes, chunk: Chunk) -> Arrived:
    log_ns, starts, lengths = (np.ascontiguousarray(table[:, column]) for column in (1, 3, 4))
    where = [chunk.at, chunk.begin, chunk.length, COMPRESSIONS.index(chunk.compression), chunk.size]
    places = np.column_stack([np.tile(np.asarray(where, np.int64), (len(table), 1)), starts, lengths])
    return Arrived(log_ns, None, Spans(content, starts, lengths), places)

"""The records inside a chunk: most are read as a table by the places its index names, the others one by one."""

import numpy as np

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.readers.rosbag.ros1_chunks import Chunk
from fieldloop.ingest.readers.rosbag.ros1_heads import NO_ROWS, Table, read_message_table
from fieldloop.ingest.readers.rosbag.ros1_outline import Connection, IndexEntries, parse_connection
from fieldloop.ingest.readers.rosbag.ros1_records import (
    CONNECTION,
    MESSAGE,
    BytesSource,
    Finder,
    Record,
    get_number_field,
    parse_time_ns,
    read_record_head,
)
from fieldloop.model.note import note

INSIDE = frozenset((MESSAGE, CONNECTION))
MOST_GAPS = 1000


class ChunkWalk:
    """Finds the messages of one chunk after the other; connections met on the way are learnt."""

    def __init__(self, connections: dict[int, Connection], complain: Complaints) -> None:
        self._connections, self._complain = connections, complain

    def read_messages(self, content: bytes, chunk: Chunk, index: list[IndexEntries]) -> Table:
        """Return all messages in the order they are stored."""
        hints = [entries.offsets for entries in index]
        table = read_message_table(content, np.concatenate(hints)) if hints else NO_ROWS
        begins = np.concatenate([[0], table[:, 3] + table[:, 4]])
        ends = np.concatenate([table[:, 2], [len(content)]])
        gaps = np.flatnonzero(begins < ends)
        if len(gaps) > MOST_GAPS:  # an index that fits so badly is of no use
            return self._walk_records(content, 0, chunk)
        rest = [self._walk_records(content[begins[gap] : ends[gap]], int(begins[gap]), chunk) for gap in gaps]
        rows = np.concatenate([table, *rest])
        return rows[np.argsort(rows[:, 2], kind="stable")]

    def _walk_records(self, content: bytes, base: int, chunk: Chunk) -> Table:
        """Read a stretch record by record; what is damaged is named and stepped over."""
        source, rows, at = BytesSource(content), [], 0
        finder = Finder(source, INSIDE)
        while at < source.size:
            record = read_record_head(source, at)
            if record is None or record.end > source.size or record.op not in INSIDE:
                until = finder.find_next_record(at + 1)
                lost = note("ingest.chunk_bytes_lost", first_byte=base + at, last_byte=base + until)
                self._complain(chunk.at, lost)
                at = until
                continue
            try:
                rows += self._read_record(source, record, base)
            except ValueError as wrong:
                broken = note("ingest.record_malformed", byte_in_chunk=base + at, reason=str(wrong))
                self._complain(chunk.at, broken)
            at = record.end
        return np.asarray(rows, np.int64).reshape(len(rows), -1) if rows else NO_ROWS

    def _read_record(self, source: BytesSource, record: Record, base: int) -> list[tuple[int, ...]]:
        number = get_number_field(record.fields, "conn")
        if record.op == CONNECTION:
            described = parse_connection(record.fields, source.read(record.begin, record.length))
            self._connections.setdefault(number, described)
            return []
        if number >= 1 << 32:
            raise ValueError(f"connection {number} does not exist")
        log_ns = parse_time_ns(record.fields.get("time", b""))
        return [(number, log_ns, base + record.at, base + record.begin, record.length)]

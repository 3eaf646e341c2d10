"""The outline of a ROS 1 bag: its chunks, connections and index, without unpacking anything."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.readers.rosbag.ros1_chunks import Chunk
from fieldloop.ingest.readers.rosbag.ros1_records import (
    ANY,
    BAG_HEADER,
    CHUNK,
    CHUNK_INFO,
    CONNECTION,
    INDEX_DATA,
    MESSAGE,
    TOP_LEVEL,
    Finder,
    Record,
    Source,
    get_number_field,
    parse_header_fields,
    parse_time_ns,
    read_record_head,
)
from fieldloop.model.note import note
from fieldloop.model.stream import NS_PER_S

MAGIC = b"#ROSBAG V2.0\n"
LONGEST_RUN = 16 << 20
LARGEST_DESCRIPTION = 16 << 20
ENTRY = np.dtype([("seconds", "<u4"), ("rest", "<u4"), ("offset", "<u4")])


class Connection(NamedTuple):
    """A publisher of a topic: how its messages are laid out, and what else it said of itself."""

    topic: str
    type: str
    definition: str
    facts: tuple[tuple[str, str], ...]


class IndexEntries(NamedTuple):
    """Where the index says that messages of one connection lie in a chunk, and when they arrived."""

    at: int
    connection: int
    log_ns: NDArray[np.int64]
    offsets: NDArray[np.int64]


@dataclass(slots=True)
class Outline:
    """What a bag holds, in the order of the file."""

    chunks: list[Chunk] = field(default_factory=list)
    connections: dict[int, Connection] = field(default_factory=dict)
    index: dict[int, list[IndexEntries]] = field(default_factory=dict)
    starts_ns: dict[int, int] = field(default_factory=dict)
    header: Record | None = None

    def sort_chunks_by_time(self) -> list[Chunk]:
        """Return the chunks by their first message, as far as the index tells it: a bag may hold them in any order."""
        keys, last = [], 0
        for chunk in self.chunks:
            first = [int(entries.log_ns.min()) for entries in self.index.get(chunk.at, ()) if len(entries.log_ns)]
            last = min(first) if first else self.starts_ns.get(chunk.at, last)
            keys.append(last)
        return [self.chunks[i] for i in sorted(range(len(keys)), key=keys.__getitem__)]


def parse_connection(fields: dict[str, bytes], data: bytes) -> Connection:
    """Read a connection record; ValueError where it is malformed."""
    texts = {name: value.decode("utf-8", "replace") for name, value in parse_header_fields(data).items()}
    if "type" not in texts or "topic" not in fields:
        raise ValueError("it names no topic or no type")
    kept = {"callerid", "latching", "md5sum"} & texts.keys()
    return Connection(
        fields["topic"].decode("utf-8", "replace"), texts["type"], texts.get("message_definition", ""),
        tuple((name, texts[name]) for name in sorted(kept)),
    )  # fmt: skip


def read_outline(source: Source, complain: Complaints) -> Outline:
    """Walk over the records; a damaged span is reported and skipped."""
    outline, at, any_record, top_level = Outline(), len(MAGIC), Finder(source, ANY), Finder(source, TOP_LEVEL)
    while at < source.size:
        record = read_record_head(source, at)
        if record is None:
            following = any_record.find_next_record(at + 1)
            _report_damaged_bytes(at, following, source.size, complain)
            at = following
            continue
        record = _correct_record_length(source, record, top_level, complain)
        try:
            _add_record(outline, source, record)
        except ValueError as wrong:
            complain(record.at, note("ingest.record_malformed", reason=str(wrong)))
        at = record.end
    _compare_index_with_file(outline, source, complain)
    return outline


def _report_damaged_bytes(start: int, next_record: int, file_size: int, complain: Complaints) -> None:
    if next_record == file_size:
        complain(start, note("ingest.rest_unreadable", unread_bytes=file_size - start))
    else:
        complain(start, note("ingest.bytes_damaged", first_byte=start, last_byte=next_record, resumed_at="record"))


def _correct_record_length(source: Source, record: Record, top_level: Finder, complain: Complaints) -> Record:
    """Believe a record's length where it leads to another record or to the end; otherwise look for the next."""
    past_the_end = record.end > source.size
    if not past_the_end and (record.op != CHUNK or record.end == source.size or read_record_head(source, record.end)):
        return record
    following = top_level.find_next_record(record.begin)
    if following < source.size:
        complain(record.at, note("ingest.record_length_damaged", next_byte=following))
        return record._replace(length=following - record.begin)
    if past_the_end:
        missing = record.end - source.size
        complain(record.at, note("ingest.record_cut_off", missing_bytes=missing))
        return record._replace(length=source.size - record.begin)
    return record


def _add_record(outline: Outline, source: Source, record: Record) -> None:
    if record.op == MESSAGE:
        _add_loose_message(outline.chunks, record)
    elif record.op == CHUNK:
        compression = record.fields.get("compression", b"").decode("ascii", "replace")
        size = get_number_field(record.fields, "size")
        outline.chunks.append(Chunk(record.at, record.begin, record.length, compression, size))
    elif record.op == INDEX_DATA and outline.chunks:
        outline.index.setdefault(outline.chunks[-1].at, []).append(_read_index_entries(source, record))
    elif record.op == CHUNK_INFO:
        start_ns = parse_time_ns(record.fields.get("start_time", b""))
        outline.starts_ns[get_number_field(record.fields, "chunk_pos")] = start_ns
    elif record.op == CONNECTION:
        data = source.read(record.begin, min(record.length, LARGEST_DESCRIPTION))
        outline.connections[get_number_field(record.fields, "conn")] = parse_connection(record.fields, data)
    elif record.op == BAG_HEADER:
        outline.header = outline.header or record


def _read_index_entries(source: Source, record: Record) -> IndexEntries:
    data = source.read(record.begin, record.length)
    rows = np.frombuffer(data[: len(data) // ENTRY.itemsize * ENTRY.itemsize], ENTRY)
    if len(rows) != get_number_field(record.fields, "count"):
        raise ValueError(f"an index of {get_number_field(record.fields, 'count')} entries holds {len(rows)}")
    log_ns = rows["seconds"].astype(np.int64) * NS_PER_S + rows["rest"]
    return IndexEntries(
        record.at, get_number_field(record.fields, "conn") & 0xFFFFFFFF, log_ns, rows["offset"].astype(np.int64)
    )


def _add_loose_message(chunks: list[Chunk], record: Record) -> None:
    """Messages outside any chunk: those behind each other are read like a chunk that is not compressed."""
    if chunks and chunks[-1].begin == chunks[-1].at:
        last = chunks[-1]
        if last.begin + last.length == record.at and last.length < LONGEST_RUN:
            length = record.end - last.begin
            chunks[-1] = last._replace(length=length, size=length)
            return
    chunks.append(Chunk(record.at, record.at, record.end - record.at, "none", record.end - record.at))


def _compare_index_with_file(outline: Outline, source: Source, complain: Complaints) -> None:
    """Compare the bag's own table of contents with the file."""
    if outline.header is None:
        complain(len(MAGIC), note("ingest.bag_header_missing"))
        return
    if outline.header.fields.get("encryptor"):
        complain(outline.header.at, note("ingest.bag_encrypted"))
    try:
        index_at, chunks = (get_number_field(outline.header.fields, name) for name in ("index_pos", "chunk_count"))
    except ValueError as wrong:
        complain(outline.header.at, note("ingest.part_unreadable", part="bag header", reason=str(wrong)))
        return
    there = {chunk.at for chunk in outline.chunks if chunk.begin != chunk.at}
    if index_at == 0:
        complain(outline.header.at, note("ingest.file_not_closed", note("ingest.reindex_bag")))
    elif index_at != source.size and read_record_head(source, index_at) is None:
        complain(outline.header.at, note("ingest.index_missing", index_byte=index_at))
    if index_at and chunks != len(there):
        complain(outline.header.at, note("ingest.count_mismatch", stated=chunks, what="chunks", found=len(there)))
    if wrong_places := sorted(outline.starts_ns.keys() - there):
        complain(wrong_places[0], note("ingest.indexed_chunks_missing", chunks=len(wrong_places)))

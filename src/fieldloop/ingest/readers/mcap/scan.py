"""Scan an MCAP file once: messages as arrays, everything else as facts, every defect with its place."""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.complaints import Complaints
from fieldloop.ingest.messages.arrived import Arrived
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.attachments import Attached, read_attachment
from fieldloop.ingest.readers.mcap.catalogue import Catalogue
from fieldloop.ingest.readers.mcap.chunks import unpack_chunk
from fieldloop.ingest.readers.mcap.message_table import (
    HEAD,
    Messages,
    find_records,
    group_by_topic,
    read_indexed_places,
    read_message_heads,
)
from fieldloop.ingest.readers.mcap.parse import parse_record
from fieldloop.ingest.readers.mcap.payloads import IN_CHUNK, IN_FILE, make_payload_places
from fieldloop.ingest.readers.mcap.salvage import salvage_messages
from fieldloop.ingest.readers.mcap.summary import Summary, read_summary
from fieldloop.ingest.readers.mcap.walk import RecordWalk
from fieldloop.model.episode import Defect
from fieldloop.model.note import note

Batch = tuple[int, Arrived]
"""A topic's number in the catalogue, and some of its messages."""

MALFORMED = (struct.error, ValueError)
LOOSE_BYTES = 1 << 20  # messages outside chunks are handed on in batches of this size


class McapScan:
    """Catalogue, metadata, attachments and defects fill up while `iterate_batches` is iterated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.catalogue = Catalogue()
        self.metadata: dict[str, dict[str, str]] = {}
        self.attachments: list[Attached] = []
        self._defect = Complaints(path.name)
        self.count = 0
        self._summary = Summary()
        self._chunk: tuple[int, r.Chunk] | None = None
        self._indexes: list[bytes] = []
        self._loose: list[tuple[int, bytes]] = []
        self._loose_bytes = 0

    @property
    def defects(self) -> tuple[Defect, ...]:
        """What is broken, as far as the file was walked."""
        return self._defect.list_defects()

    def iterate_batches(self) -> Iterator[Batch]:
        """Yield every message that can be read, in batches in file order; all checksums are checked on the way."""
        with self.path.open("rb") as file:
            self._summary = read_summary(file, self.size)
            if not self._summary.intact:
                self._defect(self.size, note("ingest.checksum_mismatch", part="the summary"))
            for opcode, at, content in RecordWalk(file, self.size, self._summary, self._defect).iterate_records():
                if opcode == r.MESSAGE_INDEX:
                    self._indexes.append(bytes(content))
                    continue
                yield from self._finish_chunk()
                if opcode != r.MESSAGE or self._loose_bytes > LOOSE_BYTES:
                    yield from self._finish_loose_messages()
                try:
                    self._handle_record(opcode, at, content, file)
                except MALFORMED as wrong:
                    self._defect(at, note("ingest.record_malformed", type=f"{opcode:#04x}", reason=str(wrong)))
            yield from self._finish_chunk()
            yield from self._finish_loose_messages()
        self._compare_with_statistics()

    def _handle_record(self, opcode: int, offset: int, content: bytes | memoryview, file: BinaryIO) -> None:
        """Keep what a record says; chunks and messages wait until all that belongs to them has come."""
        if opcode == r.MESSAGE:
            if len(content) < HEAD.itemsize - r.RECORD_HEAD.size:
                raise ValueError("it is shorter than a message's fields")
            self._loose.append((offset, bytes(content)))
            self._loose_bytes += len(content)
            return
        if opcode == r.ATTACHMENT:
            self._keep_attachment(file, offset)
            return
        match parse_record(opcode, content):
            case r.Chunk() as chunk:
                self._chunk = (offset, chunk)
            case (r.Schema() | r.Channel()) as described:
                self._learn_description(described, offset)
            case r.Metadata(name, pairs):
                self.metadata.setdefault(name, {}).update(pairs)  # what is written later wins

    def _learn_description(self, description: r.Schema | r.Channel, offset: int, *, keep_known: bool = False) -> None:
        if complaint := self.catalogue.add_description(description, keep_known=keep_known):
            self._defect(offset, complaint)

    def _learn_from_summary(self) -> None:
        for record in self._summary.records:
            if isinstance(record, r.Schema | r.Channel):
                self.catalogue.add_description(record, keep_known=True)

    def _finish_chunk(self) -> Iterator[Batch]:
        """Hand on the messages of the chunk that was met, now that the indexes behind it have come."""
        if self._chunk is None:
            self._indexes = []
            return
        (at, chunk), indexes = self._chunk, self._indexes
        self._chunk, self._indexes = None, []
        span: dict[str, Any] = {"first_ns": chunk.message_start_time, "last_ns": chunk.message_end_time}
        try:
            buffer, doubt = unpack_chunk(chunk)
        except ValueError as wrong:
            self._defect(at, note("ingest.chunk_unreadable", reason=str(wrong), **span))
            return
        if doubt:
            self._defect(at, note("ingest.chunk_damaged", reason=doubt, **span))
            if self._summary.intact:  # a description inside may be wrong too
                self._learn_from_summary()
        messages, others, broken_at = find_records(buffer, read_indexed_places(indexes))
        if broken_at is not None:
            messages, others, lost = salvage_messages(buffer, indexes, chunk.message_start_time, chunk.message_end_time)
            if chunk.missing and lost[-1][1] == len(buffer):
                lost.pop()  # where it was cut
            self._note_lost_bytes(at, span, lost)
        if chunk.missing:
            self._note_cut_chunk(at, span, chunk, len(messages.starts))
        for opcode, begin, end in others:
            try:
                self._handle_chunk_record(opcode, at, memoryview(buffer)[begin:end], keep_known=bool(doubt))
            except MALFORMED as wrong:
                self._defect(at, note("ingest.record_malformed", type=f"{opcode:#04x}", reason=str(wrong)))
        yield from self._split_into_batches(buffer, messages, at)

    def _handle_chunk_record(self, opcode: int, offset: int, content: memoryview, *, keep_known: bool) -> None:
        if opcode == r.MESSAGE:
            raise ValueError("it is shorter than a message's fields")
        record = parse_record(opcode, content) if opcode in (r.SCHEMA, r.CHANNEL) else None
        if isinstance(record, r.Schema | r.Channel):
            self._learn_description(record, offset, keep_known=keep_known)

    def _note_lost_bytes(self, offset: int, span: Mapping[str, Any], lost_ranges: list[tuple[int, int]]) -> None:
        for begin, end in lost_ranges:
            self._defect(offset, note("ingest.chunk_bytes_lost", first_byte=begin, last_byte=end, **span))

    def _note_cut_chunk(self, offset: int, span: Mapping[str, Any], chunk: r.Chunk, message_count: int) -> None:
        packed = chunk.compression
        self._defect(
            offset,
            note(
                "ingest.chunk_cut_off", missing_bytes=chunk.missing, messages=message_count, compression=packed, **span
            ),
        )

    def _finish_loose_messages(self) -> Iterator[Batch]:
        if not self._loose:
            return
        held, self._loose, self._loose_bytes = self._loose, [], 0
        lengths = np.asarray([len(content) for _, content in held], np.int64) + r.RECORD_HEAD.size
        buffer = b"".join(part for _, c in held for part in (r.RECORD_HEAD.pack(r.MESSAGE, len(c)), c))
        messages = read_message_heads(buffer, np.cumsum(lengths) - lengths)
        yield from self._split_into_batches(buffer, messages, np.asarray([at for at, _ in held], np.int64))

    def _split_into_batches(
        self, buffer: bytes | memoryview, messages: Messages, record_offsets: int | NDArray[np.int64]
    ) -> Iterator[Batch]:
        """Cut the messages of a buffer into batches, a topic each; `record_offsets` is the chunk's place, or theirs."""
        self.count += len(messages.starts)
        order, parts = group_by_topic(self._look_up_topics(messages.heads["channel"], record_offsets))
        table = messages.reorder(order).copy_to_table()
        if isinstance(record_offsets, int):
            rows = make_payload_places(record_offsets, table.starts, table.lengths, IN_CHUNK)
        else:
            rows = make_payload_places(
                record_offsets[order], np.full(len(order), HEAD.itemsize), table.lengths, IN_FILE
            )
        for topic, part in parts:
            spans = Spans(buffer, table.starts[part], table.lengths[part])
            yield topic, Arrived(table.log_ns[part], table.publish_ns[part], spans, rows[part])

    def _look_up_topics(
        self, channels: NDArray[np.uint16], record_offsets: int | NDArray[np.int64]
    ) -> NDArray[np.int64]:
        topics = self.catalogue.look_up_topics(channels)
        if not len(topics) or topics.min() >= 0:
            return topics
        self._learn_from_summary()  # the chunk that described them may be the broken one
        topics = self.catalogue.look_up_topics(channels)
        for channel in np.unique(channels[topics < 0]).tolist():
            at = (
                record_offsets
                if isinstance(record_offsets, int)
                else int(record_offsets[np.flatnonzero(channels == channel)[0]])
            )
            self._defect(at, note("ingest.topic_unknown", channel=channel))
        return topics

    def _keep_attachment(self, file: BinaryIO, offset: int) -> None:
        file.seek(offset)
        _, length = r.RECORD_HEAD.unpack(file.read(r.RECORD_HEAD.size))
        attached = read_attachment(file, offset + r.RECORD_HEAD.size, length)
        if not attached.fits:
            self._defect(offset, note("ingest.checksum_mismatch", part=f"attachment {attached.name!r}"))
        self.attachments.append(attached)

    def _compare_with_statistics(self) -> None:
        for record in self._summary.records:
            if isinstance(record, r.Statistics) and self._summary.intact and record.message_count != self.count:
                stated, counted = record.message_count, self.count
                self._defect(self.size, note("ingest.count_mismatch", stated=stated, what="messages", found=counted))

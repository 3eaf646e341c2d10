"""Bytes of one record become typed values."""

from collections.abc import Callable

import numpy as np

from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.fields import Fields
from fieldloop.ingest.readers.mcap.records import Record


def parse(opcode: int, content: bytes | memoryview) -> Record | None:
    """Read one record; None for a kind that is not known. ValueError or struct.error where it is malformed."""
    reader = READERS.get(opcode)
    return reader(Fields(content)) if reader else None


def _header(f: Fields) -> r.Header:
    return r.Header(f.text(), f.text())


def _footer(f: Fields) -> r.Footer:
    return r.Footer(f.u64(), f.u64(), f.u32())


def _schema(f: Fields) -> r.Schema:
    return r.Schema(f.u16(), f.text(), f.text(), bytes(f.blob()))


def _channel(f: Fields) -> r.Channel:
    return r.Channel(f.u16(), f.u16(), f.text(), f.text(), f.texts())


def _message(f: Fields) -> r.Message:
    return r.Message(f.u16(), f.u32(), f.u64(), f.u64(), bytes(f.rest()))


def _chunk(f: Fields) -> r.Chunk:
    begin_ns, end_ns, size, crc, compression, length = f.u64(), f.u64(), f.u64(), f.u32(), f.text(), f.u64()
    records = f.rest()[:length]  # of the last chunk of a file that was cut off, as many as there are
    return r.Chunk(begin_ns, end_ns, size, crc, compression, records, length - len(records))


def _message_index(f: Fields) -> r.MessageIndex:
    channel, entries = f.u16(), f.blob()
    return r.MessageIndex(channel, np.frombuffer(entries, "<u8", len(entries) // 16 * 2).reshape(-1, 2))


def _chunk_index(f: Fields) -> r.ChunkIndex:
    return r.ChunkIndex(
        f.u64(), f.u64(), f.u64(), f.u64(), f.numbers(), f.u64(), f.text(), f.u64(), f.u64()
    )  # fmt: skip


def _attachment(f: Fields) -> r.Attachment:
    return r.Attachment(f.u64(), f.u64(), f.text(), f.text(), f.take(f.u64()), f.u32())


def _attachment_index(f: Fields) -> r.AttachmentIndex:
    return r.AttachmentIndex(f.u64(), f.u64(), f.u64(), f.u64(), f.u64(), f.text(), f.text())


def _statistics(f: Fields) -> r.Statistics:
    return r.Statistics(
        f.u64(), f.u16(), f.u32(), f.u32(), f.u32(), f.u32(), f.u64(), f.u64(), f.numbers()
    )  # fmt: skip


def _metadata(f: Fields) -> r.Metadata:
    return r.Metadata(f.text(), f.texts())


def _metadata_index(f: Fields) -> r.MetadataIndex:
    return r.MetadataIndex(f.u64(), f.u64(), f.text())


def _summary_offset(f: Fields) -> r.SummaryOffset:
    return r.SummaryOffset(f.u8(), f.u64(), f.u64())


def _data_end(f: Fields) -> r.DataEnd:
    return r.DataEnd(f.u32())


READERS: dict[int, Callable[[Fields], Record]] = {
    r.HEADER: _header, r.FOOTER: _footer, r.SCHEMA: _schema, r.CHANNEL: _channel, r.MESSAGE: _message,
    r.CHUNK: _chunk, r.MESSAGE_INDEX: _message_index, r.CHUNK_INDEX: _chunk_index, r.ATTACHMENT: _attachment,
    r.ATTACHMENT_INDEX: _attachment_index, r.STATISTICS: _statistics, r.METADATA: _metadata,
    r.METADATA_INDEX: _metadata_index, r.SUMMARY_OFFSET: _summary_offset, r.DATA_END: _data_end,
}  # fmt: skip

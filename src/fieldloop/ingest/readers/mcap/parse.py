"""Bytes of one record become typed values."""

from collections.abc import Callable

import numpy as np

from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.fields import Fields
from fieldloop.ingest.readers.mcap.records import Record


def parse_record(opcode: int, content: bytes | memoryview) -> Record | None:
    """Read one record; None for a kind that is not known. ValueError or struct.error where it is malformed."""
    reader = READERS.get(opcode)
    return reader(Fields(content)) if reader else None


def _parse_header(f: Fields) -> r.Header:
    return r.Header(f.read_text(), f.read_text())


def _parse_footer(f: Fields) -> r.Footer:
    return r.Footer(f.read_u64(), f.read_u64(), f.read_u32())


def _parse_schema(f: Fields) -> r.Schema:
    return r.Schema(f.read_u16(), f.read_text(), f.read_text(), bytes(f.read_blob()))


def _parse_channel(f: Fields) -> r.Channel:
    return r.Channel(f.read_u16(), f.read_u16(), f.read_text(), f.read_text(), f.read_text_map())


def _parse_message(f: Fields) -> r.Message:
    return r.Message(f.read_u16(), f.read_u32(), f.read_u64(), f.read_u64(), bytes(f.read_rest()))


def _parse_chunk(f: Fields) -> r.Chunk:
    begin_ns, end_ns, size, crc, compression, length = (
        f.read_u64(),
        f.read_u64(),
        f.read_u64(),
        f.read_u32(),
        f.read_text(),
        f.read_u64(),
    )
    records = f.read_rest()[:length]  # of the last chunk of a file that was cut off, as many as there are
    return r.Chunk(begin_ns, end_ns, size, crc, compression, records, length - len(records))


def _parse_message_index(f: Fields) -> r.MessageIndex:
    channel, entries = f.read_u16(), f.read_blob()
    return r.MessageIndex(channel, np.frombuffer(entries, "<u8", len(entries) // 16 * 2).reshape(-1, 2))


def _parse_chunk_index(f: Fields) -> r.ChunkIndex:
    return r.ChunkIndex(
        f.read_u64(), f.read_u64(), f.read_u64(), f.read_u64(), f.read_number_map(), f.read_u64(), f.read_text(),
        f.read_u64(), f.read_u64(),
    )  # fmt: skip


def _parse_attachment(f: Fields) -> r.Attachment:
    return r.Attachment(
        f.read_u64(), f.read_u64(), f.read_text(), f.read_text(), f.read_bytes(f.read_u64()), f.read_u32()
    )


def _parse_attachment_index(f: Fields) -> r.AttachmentIndex:
    return r.AttachmentIndex(
        f.read_u64(), f.read_u64(), f.read_u64(), f.read_u64(), f.read_u64(), f.read_text(), f.read_text()
    )


def _parse_statistics(f: Fields) -> r.Statistics:
    return r.Statistics(
        f.read_u64(), f.read_u16(), f.read_u32(), f.read_u32(), f.read_u32(), f.read_u32(), f.read_u64(),
        f.read_u64(), f.read_number_map()
    )  # fmt: skip


def _parse_metadata(f: Fields) -> r.Metadata:
    return r.Metadata(f.read_text(), f.read_text_map())


def _parse_metadata_index(f: Fields) -> r.MetadataIndex:
    return r.MetadataIndex(f.read_u64(), f.read_u64(), f.read_text())


def _parse_summary_offset(f: Fields) -> r.SummaryOffset:
    return r.SummaryOffset(f.read_u8(), f.read_u64(), f.read_u64())


def _parse_data_end(f: Fields) -> r.DataEnd:
    return r.DataEnd(f.read_u32())


READERS: dict[int, Callable[[Fields], Record]] = {
    r.HEADER: _parse_header, r.FOOTER: _parse_footer, r.SCHEMA: _parse_schema, r.CHANNEL: _parse_channel,
    r.MESSAGE: _parse_message,
    r.CHUNK: _parse_chunk, r.MESSAGE_INDEX: _parse_message_index, r.CHUNK_INDEX: _parse_chunk_index,
    r.ATTACHMENT: _parse_attachment,
    r.ATTACHMENT_INDEX: _parse_attachment_index, r.STATISTICS: _parse_statistics, r.METADATA: _parse_metadata,
    r.METADATA_INDEX: _parse_metadata_index, r.SUMMARY_OFFSET: _parse_summary_offset, r.DATA_END: _parse_data_end,
}  # fmt: skip

"""Every kind of record an MCAP file holds, as typed values; field names are those of the format's specification."""

import struct
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAGIC = b"\x89MCAP0\r\n"
RECORD_HEAD = struct.Struct("<BQ")
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(0x01, 0x09)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(0x09, 0x10)
LAST_KNOWN, FIRST_PRIVATE = DATA_END, 0x80


class Header(NamedTuple):
    """The first record: by which conventions and which program the file was written."""

    profile: str
    library: str


class Footer(NamedTuple):
    """The last record: where the summary begins."""

    summary_start: int
    summary_offset_start: int
    summary_crc: int


class Schema(NamedTuple):
    """How messages of a type are laid out."""

    id: int
    name: str
    encoding: str
    data: bytes


class Channel(NamedTuple):
    """A topic with its type and encoding."""

    id: int
    schema_id: int
    topic: str
    message_encoding: str
    metadata: Mapping[str, str]


class Message(NamedTuple):
    """One message."""

    channel_id: int
    sequence: int
    log_time: int
    publish_time: int
    data: bytes


class Chunk(NamedTuple):
    """Schemas, channels and messages, compressed together. `missing` bytes of `records` were cut off."""

    message_start_time: int
    message_end_time: int
    uncompressed_size: int
    uncompressed_crc: int
    compression: str
    records: memoryview
    missing: int = 0


class MessageIndex(NamedTuple):
    """Where a channel's messages lie in the chunk before: rows of log time and offset."""

    channel_id: int
    records: NDArray[np.uint64]


class ChunkIndex(NamedTuple):
    """Where a chunk and its message indexes lie in the file."""

    message_start_time: int
    message_end_time: int
    chunk_start_offset: int
    chunk_length: int
    message_index_offsets: Mapping[int, int]
    message_index_length: int
    compression: str
    compressed_size: int
    uncompressed_size: int


class Attachment(NamedTuple):
    """A file inside the file. `crc` is over everything before it, 0 where the writer did not say."""

    log_time: int
    create_time: int
    name: str
    media_type: str
    data: memoryview
    crc: int


class AttachmentIndex(NamedTuple):
    """Where an attachment lies in the file."""

    offset: int
    length: int
    log_time: int
    create_time: int
    data_size: int
    name: str
    media_type: str


class Statistics(NamedTuple):
    """How much of everything the file holds."""

    message_count: int
    schema_count: int
    channel_count: int
    attachment_count: int
    metadata_count: int
    chunk_count: int
    message_start_time: int
    message_end_time: int
    channel_message_counts: Mapping[int, int]


class Metadata(NamedTuple):
    """Named pairs of texts."""

    name: str
    metadata: Mapping[str, str]


class MetadataIndex(NamedTuple):
    """Where a metadata record lies in the file."""

    offset: int
    length: int
    name: str


class SummaryOffset(NamedTuple):
    """Where the summary's records of one kind lie in the file."""

    group_opcode: int
    group_start: int
    group_length: int


class DataEnd(NamedTuple):
    """The end of the data; `data_section_crc` is over everything before it, 0 where the writer did not say."""

    data_section_crc: int


Record = (
    Header | Footer | Schema | Channel | Message | Chunk | MessageIndex | ChunkIndex | Attachment | AttachmentIndex
    | Statistics | Metadata | MetadataIndex | SummaryOffset | DataEnd
)  # fmt: skip

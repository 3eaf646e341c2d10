"""The end of an MCAP file: its footer, its summary, and the checksum that its data should have."""

import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from fieldloop.ingest.readers.mcap.parse import parse_record
from fieldloop.ingest.readers.mcap.records import DATA_END, FOOTER, MAGIC, RECORD_HEAD, DataEnd, Footer, Record

FOOTER_FIELDS = 20
FOOTER_BYTES = RECORD_HEAD.size + FOOTER_FIELDS + len(MAGIC)
FOOTER_BYTES_IN_CRC = RECORD_HEAD.size + 16  # all of the footer but its checksum
DATA_END_BYTES = RECORD_HEAD.size + 4
LARGEST_SUMMARY = 1 << 30


class Summary(NamedTuple):
    """What stands behind the data. `ended` says whether the file has its end, `intact` whether the checksum fits.

    `data_crc` is the checksum that the data should have: 0 where the writer did not say, -1 where it is not yet known.
    """

    records: tuple[Record, ...] = ()
    ended: bool = False
    intact: bool = True
    data_crc: int = -1


def read_summary(file: BinaryIO, size: int) -> Summary:
    """Read the summary at the end of a file; an empty one where the end is not there or makes no sense."""
    file.seek(max(0, size - FOOTER_BYTES))
    tail = file.read(FOOTER_BYTES)
    if len(tail) < FOOTER_BYTES or not tail.endswith(MAGIC):
        return Summary(ended=tail.endswith(MAGIC))
    if RECORD_HEAD.unpack_from(tail) != (FOOTER, FOOTER_FIELDS):
        return Summary(ended=True)
    footer = parse_record(FOOTER, memoryview(tail)[RECORD_HEAD.size :])
    assert isinstance(footer, Footer)
    return _parse_summary(file, footer, size - FOOTER_BYTES, tail)


def _parse_summary(file: BinaryIO, footer: Footer, end: int, tail: bytes) -> Summary:
    start = footer.summary_start or end
    if not len(MAGIC) + DATA_END_BYTES <= start <= end or end - start > LARGEST_SUMMARY:
        return Summary(ended=True)
    file.seek(start - DATA_END_BYTES)
    content = file.read(DATA_END_BYTES + end - start)
    stated = _read_data_crc(content[:DATA_END_BYTES])
    records = content[DATA_END_BYTES:]
    crc = zlib.crc32(tail[:FOOTER_BYTES_IN_CRC], zlib.crc32(records))
    intact = footer.summary_crc in (0, crc)
    return Summary((*_parse_records(records), footer), ended=True, intact=intact, data_crc=stated)


def _read_data_crc(record: bytes) -> int:
    if RECORD_HEAD.unpack_from(record) != (DATA_END, DATA_END_BYTES - RECORD_HEAD.size):
        return -1  # not where it usually is: to be looked at when it comes
    end = parse_record(DATA_END, record[RECORD_HEAD.size :])
    return end.data_section_crc if isinstance(end, DataEnd) else -1


def _parse_records(content: bytes) -> Iterator[Record]:
    at = 0
    while at + RECORD_HEAD.size <= len(content):
        opcode, length = RECORD_HEAD.unpack_from(content, at)
        at += RECORD_HEAD.size
        try:
            record = parse_record(opcode, memoryview(content)[at : at + length])
        except (struct.error, ValueError):
            record = None  # damage in the summary costs what it says, never the data
        if record is not None:
            yield record
        at += length

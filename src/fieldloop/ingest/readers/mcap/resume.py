"""Find the next chunk after a damaged span, by the index or by its byte pattern."""

import bisect
import re
import struct
from collections.abc import Sequence
from typing import BinaryIO

from fieldloop.ingest.readers.mcap.records import CHUNK, RECORD_HEAD, ChunkIndex
from fieldloop.ingest.readers.mcap.summary import Summary

WINDOW = 4 << 20
KNOWN = rb"\x00{4}|\x03\x00{3}lz4|\x04\x00{3}zstd"
LOOKS = re.compile(rb"\x06[\s\S]{5}\x00{3}[\s\S]{28}(?:" + KNOWN + rb")")  # a length of under a terabyte
HEAD = struct.Struct("<BQQQQII")
LONGEST_HEAD = HEAD.size + 16


def find_next_chunk(file: BinaryIO, size: int, after_offset: int, indexed_offsets: Sequence[int]) -> int | None:
    """Find the first chunk that begins behind a place: among those indexed, else by its looks. None: there is none."""
    if indexed_offsets:
        following = bisect.bisect_right(indexed_offsets, after_offset)
        return indexed_offsets[following] if following < len(indexed_offsets) else None
    at = after_offset + 1
    while at < size:
        file.seek(at)
        window = file.read(WINDOW + LONGEST_HEAD)
        match = LOOKS.search(window)
        while match and match.start() < WINDOW:
            start = match.start()
            if begins_chunk(window[start : start + LONGEST_HEAD], size - at - start):
                return at + start
            match = LOOKS.search(window, start + 1)  # one look may begin inside another
        at += WINDOW
    return None


def list_indexed_chunks(summary: Summary, size: int) -> list[int]:
    """Where does the index say that chunks begin? Nowhere, if its checksum does not fit."""
    starts = (record.chunk_start_offset for record in summary.records if isinstance(record, ChunkIndex))
    return sorted(start for start in starts if start < size) if summary.intact else []


def begins_chunk(head: bytes, bytes_left: int | None, *, padded: bool = False) -> bool:
    """Do these bytes begin a chunk that fits into the `bytes_left` bytes of the file? None: it may be cut off.

    A later version of the format may put more behind a chunk's records (`padded`).
    """
    if len(head) < HEAD.size + 8:
        return False
    opcode, length, start_ns, end_ns, _, _, named = HEAD.unpack_from(head)
    inside = HEAD.size + named
    if opcode != CHUNK or inside + 8 > len(head) or start_ns > end_ns:
        return False
    if bytes_left is not None and RECORD_HEAD.size + length > bytes_left:
        return False
    (records,) = struct.unpack_from("<Q", head, inside)
    end = inside - RECORD_HEAD.size + 8 + records
    return bool(end <= length if padded else end == length)

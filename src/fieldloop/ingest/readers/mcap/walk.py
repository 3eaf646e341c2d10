"""Walk the records of an MCAP file; a damaged span is reported and skipped."""

import bisect
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.records import RECORD_HEAD
from fieldloop.ingest.readers.mcap.resume import LONGEST_HEAD, begins_chunk, find_next_chunk, list_indexed_chunks
from fieldloop.ingest.readers.mcap.summary import Summary
from fieldloop.ingest.text_mode import SEEMS_MANGLED, is_damaged_by_text_mode
from fieldloop.model.note import Note, note

PIECE = 1 << 20
MOST_SPARE = 4  # a buffer for one large chunk is not kept for small ones
Report = Callable[[int, Note], None]
"""Takes a defect: the byte it is at, and a note."""


class RecordWalk:
    """Walks once; checks the data's checksum on the way, if the file states one."""

    def __init__(self, file: BinaryIO, size: int, summary: Summary, report: Report) -> None:
        self._file, self._size, self._summary, self._report = file, size, summary, report
        self._crc: int | None = zlib.crc32(r.MAGIC) if summary.data_crc else None
        self._buffers = [bytearray(), bytearray()]
        self._chunks = list_indexed_chunks(summary, size)

    def iterate_records(self) -> Iterator[tuple[int, int, bytes | memoryview]]:
        """Yield opcode, place and content of every record up to the end of the data.

        A chunk's content is good until the second chunk after it is read: its memory is used again. Attachments come
        without content: they may be larger than memory.
        """
        at = len(r.MAGIC)
        while True:
            self._file.seek(at)
            head = self._file.read(RECORD_HEAD.size)
            opcode, length = RECORD_HEAD.unpack(head) if len(head) == RECORD_HEAD.size else (0, 0)
            if opcode == r.CHUNK and self._is_cut_off_chunk(length, at):
                yield opcode, at, self._read_content(opcode, self._size - at - RECORD_HEAD.size)
                self._report_newline_damage(at)
                return
            if not self._is_plausible_record(opcode, length, at):
                following = find_next_chunk(self._file, self._size, at, self._chunks)
                self._report_broken(at, len(head), opcode, length, following)
                if following is None:
                    return
                at, self._crc = following, None
                continue
            content = self._read_content(opcode, length)
            if opcode == r.DATA_END:
                self._check_end(at, content)
                return
            self._add_to_crc(head, content, length if opcode == r.ATTACHMENT else 0)
            yield opcode, at, content
            at += RECORD_HEAD.size + length

    def _read_content(self, opcode: int, length: int) -> bytes | memoryview:
        if opcode == r.ATTACHMENT:
            return b""
        if opcode != r.CHUNK:
            return self._file.read(length)
        self._buffers.reverse()
        if not length <= len(self._buffers[0]) <= MOST_SPARE * length + PIECE:
            self._buffers[0] = bytearray(length)
        content = memoryview(self._buffers[0])[:length]
        self._file.readinto(content)  # type: ignore[attr-defined] # every file opened for reading bytes has it
        return content

    def _is_cut_off_chunk(self, length: int, offset: int) -> bool:
        """Is this a chunk that the file ends within? A damaged length would not fit the chunk's own fields."""
        if self._summary.ended or offset + RECORD_HEAD.size + length <= self._size:
            return False
        return begins_chunk(os.pread(self._file.fileno(), LONGEST_HEAD, offset), None)

    def _is_plausible_record(self, opcode: int, length: int, offset: int) -> bool:
        """Can this be a record? It must fit into the file, run over no indexed chunk, and, as a chunk, fit itself."""
        after = offset + RECORD_HEAD.size + length
        known = r.HEADER <= opcode <= r.LAST_KNOWN or opcode >= r.FIRST_PRIVATE
        if not known or after > self._size:
            return False
        following = bisect.bisect_right(self._chunks, offset)
        if following < len(self._chunks) and self._chunks[following] < after:
            return False
        if opcode != r.CHUNK:
            return True
        head = os.pread(self._file.fileno(), LONGEST_HEAD, offset)
        return begins_chunk(head, self._size - offset, padded=bool(self._summary.records))

    def _add_to_crc(self, head: bytes, content: bytes | memoryview, bytes_following: int) -> None:
        if self._crc is None:
            return
        self._crc = zlib.crc32(content, zlib.crc32(head, self._crc))
        while bytes_following and (piece := self._file.read(min(PIECE, bytes_following))):
            self._crc = zlib.crc32(piece, self._crc)
            bytes_following -= len(piece)

    def _report_broken(self, offset: int, head: int, opcode: int, length: int, next_record: int | None) -> None:
        if next_record is not None:
            self._report(
                offset, note("ingest.bytes_damaged", first_byte=offset, last_byte=next_record, resumed_at="chunk")
            )
        elif head < RECORD_HEAD.size:
            self._report(offset, note("ingest.end_missing"))
        else:
            missing = offset + RECORD_HEAD.size + length - self._size
            unread = self._size - offset
            if opcode and missing > 0:
                self._report(offset, note("ingest.record_cut_off", missing_bytes=missing, unread_bytes=unread))
            else:
                self._report(offset, note("ingest.rest_unreadable", unread_bytes=unread))
        self._report_newline_damage(offset)

    def _report_newline_damage(self, offset: int) -> None:
        if is_damaged_by_text_mode(os.pread(self._file.fileno(), PIECE, len(r.MAGIC))):
            self._report(offset, SEEMS_MANGLED)

    def _check_end(self, offset: int, content: bytes | memoryview) -> None:
        stated = int.from_bytes(content[:4], "little")
        if stated and self._crc is not None and stated != self._crc:
            self._report(offset, note("ingest.checksum_mismatch", part="the data before this place"))
        if not self._summary.ended:
            self._report(self._size, note("ingest.end_missing"))

"""Walk the records of an MCAP file; a damaged span is reported and skipped."""

import bisect
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from fieldloop.ingest.readers.mcap import records as r
from fieldloop.ingest.readers.mcap.records import RECORD_HEAD
from fieldloop.ingest.readers.mcap.resume import LONGEST_HEAD, indexed_chunks, is_chunk, next_chunk
from fieldloop.ingest.readers.mcap.summary import Summary
from fieldloop.ingest.text_mode import SEEMS_MANGLED, in_text_mode
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
        self._chunks = indexed_chunks(summary, size)

    def records(self) -> Iterator[tuple[int, int, bytes | memoryview]]:
        """Yield opcode, place and content of every record up to the end of the data.

        A chunk's content is good until the second chunk after it is read: its memory is used again. Attachments come
        without content: they may be larger than memory.
        """
        at = len(r.MAGIC)
        while True:
            self._file.seek(at)
            head = self._file.read(RECORD_HEAD.size)
            opcode, length = RECORD_HEAD.unpack(head) if len(head) == RECORD_HEAD.size else (0, 0)
            if opcode == r.CHUNK and self._is_cut(length, at):
                yield opcode, at, self._content(opcode, self._size - at - RECORD_HEAD.size)
                self._report_newline_damage(at)
                return
            if not self._is_plausible(opcode, length, at):
                following = next_chunk(self._file, self._size, at, self._chunks)
                self._report_broken(at, len(head), opcode, length, following)
                if following is None:
                    return
                at, self._crc = following, None
                continue
            content = self._content(opcode, length)
            if opcode == r.DATA_END:
                self._check_end(at, content)
                return
            self._add_to_crc(head, content, length if opcode == r.ATTACHMENT else 0)
            yield opcode, at, content
            at += RECORD_HEAD.size + length

    def _content(self, opcode: int, length: int) -> bytes | memoryview:
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

    def _is_cut(self, length: int, at: int) -> bool:
        """Is this a chunk that the file ends within? A damaged length would not fit the chunk's own fields."""
        if self._summary.ended or at + RECORD_HEAD.size + length <= self._size:
            return False
        return is_chunk(os.pread(self._file.fileno(), LONGEST_HEAD, at), None)

    def _is_plausible(self, opcode: int, length: int, at: int) -> bool:
        """Can this be a record? It must fit into the file, run over no indexed chunk, and, as a chunk, fit itself."""
        after = at + RECORD_HEAD.size + length
        known = r.HEADER <= opcode <= r.LAST_KNOWN or opcode >= r.FIRST_PRIVATE
        if not known or after > self._size:
            return False
        following = bisect.bisect_right(self._chunks, at)
        if following < len(self._chunks) and self._chunks[following] < after:
            return False
        if opcode != r.CHUNK:
            return True
        head = os.pread(self._file.fileno(), LONGEST_HEAD, at)
        return is_chunk(head, self._size - at, padded=bool(self._summary.records))

    def _add_to_crc(self, head: bytes, content: bytes | memoryview, more: int) -> None:
        if self._crc is None:
            return
        self._crc = zlib.crc32(content, zlib.crc32(head, self._crc))
        while more and (piece := self._file.read(min(PIECE, more))):
            self._crc = zlib.crc32(piece, self._crc)
            more -= len(piece)

    def _report_broken(self, at: int, head: int, opcode: int, length: int, following: int | None) -> None:
        if following is not None:
            self._report(at, note("ingest.bytes_damaged", first_byte=at, last_byte=following, resumed_at="chunk"))
        elif head < RECORD_HEAD.size:
            self._report(at, note("ingest.end_missing"))
        else:
            missing = at + RECORD_HEAD.size + length - self._size
            unread = self._size - at
            if opcode and missing > 0:
                self._report(at, note("ingest.record_cut_off", missing_bytes=missing, unread_bytes=unread))
            else:
                self._report(at, note("ingest.rest_unreadable", unread_bytes=unread))
        self._report_newline_damage(at)

    def _report_newline_damage(self, at: int) -> None:
        if in_text_mode(os.pread(self._file.fileno(), PIECE, len(r.MAGIC))):
            self._report(at, SEEMS_MANGLED)

    def _check_end(self, at: int, content: bytes | memoryview) -> None:
        stated = int.from_bytes(content[:4], "little")
        if stated and self._crc is not None and stated != self._crc:
            self._report(at, note("ingest.checksum_mismatch", part="the data before this place"))
        if not self._summary.ended:
            self._report(self._size, note("ingest.end_missing"))

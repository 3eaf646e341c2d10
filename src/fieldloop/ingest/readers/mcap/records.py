"""The records of an MCAP file, front to back, each with its place; a broken stretch is named and stepped over."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fieldloop.ingest.readers.mcap.chunks import ChunkHead, decompress, read_head
from fieldloop.model.episode import Defect

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
CHUNK_INDEX, METADATA, DATA_END, LAST_KNOWN, FIRST_PRIVATE = 0x08, 0x0C, 0x0F, 0x0F, 0x80
RECORD_HEAD = struct.Struct("<BQ")
MESSAGE_HEAD = struct.Struct("<HIQQ")
LAST_NS = 2**63 - 1  # the format has 64 bits without sign, we have 63: until the year 2262
CHUNK_INDEX_LEAST = 24
FOOTER_BYTES = RECORD_HEAD.size + 20 + len(MAGIC)


class Schema(NamedTuple):
    """How messages of a type are laid out."""

    name: str
    encoding: str
    data: bytes


class Channel(NamedTuple):
    """A topic with its type and encoding."""

    topic: str
    encoding: str
    schema: Schema | None
    metadata: dict[str, str]


class Place(NamedTuple):
    """Where a message's bytes rest: the byte of its record in the file; inside a chunk also where in its content."""

    record: int
    start: int
    length: int
    in_chunk: bool


class Message(NamedTuple):
    """One message as stored."""

    channel: int
    log_ns: int
    publish_ns: int
    data: memoryview
    place: Place


class McapScan:
    """One walk through a file. Channels, metadata and defects fill up while `messages` is iterated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.profile = ""
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, Channel] = {}
        self.metadata: dict[str, dict[str, str]] = {}
        self.defects: list[Defect] = []
        self._recovered = False

    def messages(self) -> Iterator[Message]:
        """Yield every message that can be read, in file order."""
        with self.path.open("rb") as file:
            for opcode, at, content in self._records(file):
                try:
                    if opcode == CHUNK:
                        yield from self._chunk(at, content)
                    elif message := self._take(opcode, content, at, RECORD_HEAD.size, in_chunk=False):
                        yield message
                except (struct.error, UnicodeDecodeError, ValueError) as wrong:
                    self._defect(at, f"A record of type {opcode:#04x} is malformed ({wrong}) and was left out.")

    def _records(self, file: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
        at, checksum, whole = len(MAGIC), zlib.crc32(MAGIC), True
        file.seek(at)
        while True:
            head = file.read(RECORD_HEAD.size)
            opcode, length = RECORD_HEAD.unpack(head) if len(head) == RECORD_HEAD.size else (0, 0)
            if not self._plausible(opcode, length, at):
                following = self._chunk_after(file, at)
                self._say_broken(at, len(head), opcode, length, following)
                if following is None:
                    return
                at, whole = following, False
                file.seek(at)
                continue
            content = file.read(length)
            if opcode == DATA_END:
                self._end(file, at, content, checksum if whole else None)
                return
            checksum = zlib.crc32(content, zlib.crc32(head, checksum))
            yield opcode, at, content
            at += RECORD_HEAD.size + length

    def _plausible(self, opcode: int, length: int, at: int) -> bool:
        known = HEADER <= opcode <= LAST_KNOWN or opcode >= FIRST_PRIVATE
        return known and at + RECORD_HEAD.size + length <= self.size

    def _say_broken(self, at: int, head: int, opcode: int, length: int, following: int | None) -> None:
        if following is not None:
            self._defect(
                at, f"Bytes {at} to {following} are damaged; reading went on at the next chunk the index names."
            )
        elif head < RECORD_HEAD.size:
            self._defect(at, "The file ends here without its end records: it was cut off, or is still being written.")
        else:
            missing = at + RECORD_HEAD.size + length - self.size
            tail = f"{missing} bytes of a record are missing" if opcode else "what follows is no record"
            self._defect(at, f"Cut off: {tail}; {self.size - at} bytes were not read.")

    def _chunk_after(self, file: BinaryIO, at: int) -> int | None:
        """Find the next chunk by the index at the end of the file, if that end is there."""
        indexed = (content for opcode, content in _summary(file, self.size) if opcode == CHUNK_INDEX)
        starts = (struct.unpack_from("<Q", content, 16)[0] for content in indexed if len(content) >= CHUNK_INDEX_LEAST)
        return min((start for start in starts if start > at), default=None)

    def _recover_channels(self) -> None:
        """Learn schemas and channels from the end of the file: the chunk that described them may be the broken one."""
        if self._recovered:
            return
        self._recovered = True
        with self.path.open("rb") as file:
            described = [(op, content) for op, content in _summary(file, self.size) if op in (SCHEMA, CHANNEL)]
        known = dict(self.channels)
        for opcode, content in sorted(described, key=lambda record: record[0]):
            self._take(opcode, content, self.size, 0, in_chunk=False)
        self.channels.update(known)

    def _end(self, file: BinaryIO, at: int, content: bytes, checksum: int | None) -> None:
        stated = struct.unpack_from("<I", content)[0] if len(content) >= 4 else 0  # noqa: PLR2004 - a 32-bit checksum
        if stated and checksum is not None and stated != checksum:
            self._defect(at, "The data section's checksum does not fit: some bytes before this place changed.")
        file.seek(max(0, self.size - len(MAGIC)))
        if file.read() != MAGIC:
            self._defect(self.size, "The file has no footer: it was cut off behind its data.")

    def _chunk(self, at: int, content: bytes) -> Iterator[Message]:
        head = read_head(content)
        try:
            records = decompress(content, head)
        except ValueError as wrong:
            self._defect(at, f"A chunk {_span(head)} cannot be read ({wrong}); its messages were left out.")
            return
        view, where = memoryview(records), 0
        while where < len(view):
            opcode, length = (
                RECORD_HEAD.unpack_from(view, where) if where + RECORD_HEAD.size <= len(view) else (0, len(view))
            )
            if where + RECORD_HEAD.size + length > len(view):
                self._defect(
                    at, f"A chunk {_span(head)} breaks off at its byte {where}; messages behind it were left out."
                )
                return
            start = where + RECORD_HEAD.size
            if message := self._take(opcode, view[start : start + length], at, start, in_chunk=True):
                yield message
            where = start + length

    def _take(self, opcode: int, content: bytes | memoryview, at: int, start: int, *, in_chunk: bool) -> Message | None:
        """Keep what a record says; return it if it is a message of a known channel."""
        if opcode == MESSAGE:
            channel, _, log_ns, publish_ns = MESSAGE_HEAD.unpack_from(content)
            if channel not in self.channels:
                self._recover_channels()
            if channel not in self.channels:
                self._defect(at, f"A message names channel {channel}, which is described nowhere before it; left out.")
                return None
            body = memoryview(content)[MESSAGE_HEAD.size :]
            place = Place(at, start + MESSAGE_HEAD.size, len(body), in_chunk)
            return Message(channel, min(log_ns, LAST_NS), min(publish_ns, LAST_NS), body, place)
        cursor = _Cursor(bytes(content))
        if opcode == HEADER:
            self.profile = cursor.text()
        elif opcode == SCHEMA:
            number = cursor.number("<H")
            self.schemas[number] = Schema(cursor.text(), cursor.text(), cursor.blob())
        elif opcode == CHANNEL:
            number, schema = cursor.number("<H"), cursor.number("<H")
            if schema and schema not in self.schemas:
                self._defect(at, f"Channel {number} names schema {schema}, which is described nowhere before it.")
            topic, encoding = cursor.text(), cursor.text()
            self.channels[number] = Channel(topic, encoding, self.schemas.get(schema), cursor.pairs())
        elif opcode == METADATA:
            name = cursor.text()
            self.metadata.setdefault(name, {}).update(cursor.pairs())  # what is written later wins
        return None

    def _defect(self, at: int, message: str) -> None:
        defect = Defect(self.path.name, f"byte {at}", message)
        if defect not in self.defects:
            self.defects.append(defect)


def read_place(file: BinaryIO, place: Place, chunks: dict[int, bytes]) -> bytes:
    """Fetch a message's bytes again; the chunk it lies in is kept in `chunks`, one at a time."""
    if not place.in_chunk:
        file.seek(place.record + place.start)
        return file.read(place.length)
    if place.record not in chunks:
        file.seek(place.record)
        _, length = RECORD_HEAD.unpack(file.read(RECORD_HEAD.size))
        content = file.read(length)
        chunks.clear()
        chunks[place.record] = decompress(content, read_head(content))
    return chunks[place.record][place.start : place.start + place.length]


def _summary(file: BinaryIO, size: int) -> list[tuple[int, bytes]]:
    """Return the records of the summary at the end of a file; none where the end is not there or makes no sense."""
    file.seek(max(0, size - FOOTER_BYTES))
    tail = file.read(FOOTER_BYTES)
    if len(tail) < FOOTER_BYTES or not tail.endswith(MAGIC) or tail[0] != FOOTER:
        return []
    (start,) = struct.unpack_from("<Q", tail, RECORD_HEAD.size)
    if not len(MAGIC) <= start <= size - FOOTER_BYTES:
        return []
    file.seek(start)
    content, records, where = file.read(size - FOOTER_BYTES - start), [], 0
    while where + RECORD_HEAD.size <= len(content):
        opcode, length = RECORD_HEAD.unpack_from(content, where)
        begin = where + RECORD_HEAD.size
        records.append((opcode, content[begin : begin + length]))
        where = begin + length
    return records


class _Cursor:
    """Reads the fields of one record in turn."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def blob(self) -> bytes:
        length = self.number("<I")
        if self._at + length > len(self._content):
            raise ValueError(f"a field of {length} bytes does not fit")
        self._at += length
        return self._content[self._at - length : self._at]

    def text(self) -> str:
        return self.blob().decode("utf-8")

    def pairs(self) -> dict[str, str]:
        inner, found = _Cursor(self.blob()), {}
        while inner._at < len(inner._content):
            name = inner.text()
            found[name] = inner.text()
        return found


def _span(head: ChunkHead) -> str:
    return f"with messages of {head.start_ns} to {head.end_ns} ns"

"""The records of a ROS 1 bag: how one is laid out, and how the next is found behind a damaged stretch."""

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from fieldloop.model.stream import NS_PER_S

MESSAGE, BAG_HEADER, INDEX_DATA, CHUNK, CHUNK_INFO, CONNECTION = range(2, 8)
ANY = frozenset(range(2, 8))
TOP_LEVEL = frozenset((INDEX_DATA, CHUNK, CHUNK_INFO))  # these never lie inside a chunk
LENGTH = struct.Struct("<I")
TIME = struct.Struct("<II")
LONGEST_HEADER = 1 << 16
OP = re.compile(rb"\x04\x00\x00\x00op=([\x02-\x07])")
OP_BYTES = 8
HEADER_START = re.compile(rb"(?s)(?=(..[\x00\x01]\x00)..\x00\x00)")  # two lengths, of the header and of its first field
FARTHEST_OP = 320  # other fields may stand before the op, even a topic's name
MOST_TRIES = 20_000  # bytes made to look like records must not keep us for ever
BLOCK = 1 << 20
Fields = dict[str, bytes]


class Record(NamedTuple):
    """One record: what its header says and where its data lie."""

    op: int
    fields: Fields
    at: int
    begin: int
    length: int

    @property
    def end(self) -> int:
        """The byte behind the record."""
        return self.begin + self.length


class Source(Protocol):
    """Bytes that records are read from: a file, or what came out of a chunk."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from a place."""


class FileSource:
    """An open file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from a place."""
        if offset >= self.size:
            return b""  # a damaged place may also be farther than a file can be
        self._file.seek(offset)
        return self._file.read(min(length, self.size - offset))


class BytesSource:
    """Bytes in memory."""

    def __init__(self, content: bytes) -> None:
        self._content, self.size = content, len(content)

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from a place."""
        return self._content[offset : offset + length]


def parse_header_fields(header: bytes) -> Fields:
    """Split a header into its fields; ValueError where it is none."""
    fields, at = {}, 0
    while at < len(header):
        if at + LENGTH.size > len(header):
            raise ValueError("a field is cut off")
        (length,) = LENGTH.unpack_from(header, at)
        at += LENGTH.size
        name, equals, value = header[at : at + length].partition(b"=")
        if not equals or at + length > len(header):
            raise ValueError("a field is malformed")
        fields[name.decode("ascii")] = value
        at += length
    return fields


def get_number_field(fields: Fields, name: str) -> int:
    """Return a field's whole number; ValueError where it is not there or of no known width."""
    value = fields.get(name, b"")
    if len(value) not in (1, 4, 8):
        raise ValueError(f"its field {name!r} is missing or malformed")
    return int.from_bytes(value, "little")


def parse_time_ns(value: bytes) -> int:
    r"""Return the nanoseconds of a stored time; ValueError where it is none.

    >>> parse_time_ns(b"\x01\x00\x00\x00\x05\x00\x00\x00")
    1000000005
    """
    if len(value) != TIME.size:
        raise ValueError("its time is malformed")
    seconds, rest = TIME.unpack(value)
    return int(seconds) * NS_PER_S + int(rest)


def read_record_head(source: Source, offset: int) -> Record | None:
    """Read the head of the record at a place; None where there is none. Its data may run past the end."""
    head = source.read(offset, LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    if not LENGTH.size <= length <= LONGEST_HEADER:
        return None
    rest = source.read(offset + LENGTH.size, length + LENGTH.size)
    if len(rest) < length + LENGTH.size:
        return None
    try:
        fields = parse_header_fields(rest[:length])
    except ValueError:
        return None
    op = fields.get("op", b"")
    if len(op) != 1 or op[0] not in ANY:
        return None
    begin = offset + LENGTH.size + length + LENGTH.size
    return Record(op[0], fields, offset, begin, LENGTH.unpack_from(rest, length)[0])


class Finder:
    """Looks for the next whole record of some kinds; what was found is remembered, so that asking again is free."""

    def __init__(self, source: Source, ops: frozenset[int]) -> None:
        self._source, self._ops = source, ops
        self._asked, self._found = range(0), source.size

    def find_next_record(self, offset: int) -> int:
        """Return where the first such record at or behind a place begins; the end where there is none."""
        if offset not in self._asked:
            self._found = self._search_next_record(offset)
            self._asked = range(offset, self._found + 1)
        return self._found

    def _search_next_record(self, offset: int) -> int:
        tries = 0
        for where in range(offset, self._source.size, BLOCK):
            for hit in OP.finditer(self._source.read(where, BLOCK + OP_BYTES - 1)):
                if hit[1][0] not in self._ops:
                    continue
                for start in self._guess_header_starts(where + hit.start(), offset):
                    record = read_record_head(self._source, start)
                    if record and record.op in self._ops and record.end <= self._source.size:
                        return start
                    if (tries := tries + 1) > MOST_TRIES:
                        return self._source.size
        return self._source.size

    def _guess_header_starts(self, op_offset: int, min_start: int) -> Iterator[int]:
        """Yield where a header might begin that holds the op at a place: nearest first."""
        before = max(min_start, op_offset - FARTHEST_OP)
        stretch = self._source.read(before, op_offset - before + OP_BYTES)
        for hit in reversed(list(HEADER_START.finditer(stretch, 0, op_offset - before + 4))):
            (length,) = LENGTH.unpack_from(hit[1])
            if op_offset - before - hit.start() + OP_BYTES - LENGTH.size <= length <= LONGEST_HEADER:
                yield before + hit.start()

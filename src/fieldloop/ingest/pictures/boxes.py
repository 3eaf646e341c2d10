"""Parse the boxes of an MP4 or MOV file; bounded, whatever the bytes are."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HEAD = struct.Struct(">I4s")
LONG = struct.Struct(">Q")
LARGEST_MOOV = 256 << 20
MOST_BOXES = 20_000
BODY = 8  # version, flags and a count stand before a table


class Unusual(ValueError):
    """Nothing is wrong, but a full demuxer should be asked."""


class Box(NamedTuple):
    """One box: its kind, the byte of the file at which its body begins, and the body."""

    kind: str
    at: int
    data: memoryview

    def list_children(self) -> "Iterator[Box]":
        """Yield the boxes inside; ValueError names the byte of one that does not fit."""
        position, number = 0, 0
        while position + HEAD.size <= len(self.data):
            head, length, kind = _parse_box_head(self.data[position : position + 16], len(self.data) - position)
            if length < head or position + length > len(self.data) or number == MOST_BOXES:
                place = self.at + position
                raise ValueError(f"box {kind!r} at byte {place} states {length} bytes, too many for its parent")
            yield Box(kind, self.at + position + head, self.data[position + head : position + length])
            position, number = position + length, number + 1

    def find_box(self, *kinds: str) -> "Box | None":
        """Go down by kinds, the first of each; None where there is none."""
        inside = next((child for child in self.list_children() if child.kind == kinds[0]), None)
        return inside if inside is None or not kinds[1:] else inside.find_box(*kinds[1:])

    def require_box(self, *kinds: str) -> "Box":
        """Go down by kinds; ValueError where there is none."""
        box = self.find_box(*kinds)
        if box is None:
            raise ValueError(f"box {self.kind!r} at byte {self.at} holds no {'/'.join(kinds)}")
        return box

    def read_number(self, offset: int, struct_format: str = "I") -> int:
        """Read one big-endian number; ValueError where the box is too short for it."""
        try:
            return int(struct.unpack_from(f">{struct_format}", self.data, offset)[0])
        except struct.error as wrong:
            raise ValueError(f"box {self.kind!r} at byte {self.at} is too short") from wrong

    def read_table(self, columns: int, dtype: str, *, offset: int = BODY) -> NDArray[Any]:
        """Read the rows of a table whose number of rows stands before it; ValueError where they are not all there."""
        count = self.read_number(offset - 4)
        kind = np.dtype(dtype)
        if offset + count * columns * kind.itemsize > len(self.data):
            raise ValueError(f"box {self.kind!r} at byte {self.at} states {count} rows and is too short for them")
        return np.frombuffer(self.data, kind, count * columns, offset).reshape(count, columns)


def read_moov_box(path: Path) -> tuple[Box, int]:
    """Find the box that describes the file, and the file's size; ValueError where there is none."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        position = 0
        for _ in range(MOST_BOXES):
            if position + HEAD.size > size:
                break
            file.seek(position)
            head, length, kind = _parse_box_head(memoryview(file.read(16)), size - position)
            if position == 0 and kind not in ("ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"):
                raise Unusual("it does not begin as an MP4 does")
            if kind == "moof":
                raise Unusual("it is fragmented")
            if length < head:
                raise ValueError(f"box {kind!r} at byte {position} states {length} bytes")
            if kind == "moov":
                if length > LARGEST_MOOV or position + length > size:
                    raise ValueError(f"the description at byte {position} states {length} bytes of a {size} byte file")
                file.seek(position + head)
                return Box(kind, position + head, memoryview(file.read(length - head))), size
            position += length
    raise ValueError(f"its description (moov) is missing: the {size} bytes end before it")


def _parse_box_head(data: memoryview, bytes_left: int) -> tuple[int, int, str]:
    """Return the length of the head, of the whole box, and its kind."""
    length, kind = HEAD.unpack_from(data)
    name = kind.decode("latin-1")
    if length == 1 and len(data) >= HEAD.size + LONG.size:
        return HEAD.size + LONG.size, LONG.unpack_from(data, HEAD.size)[0], name
    return HEAD.size, bytes_left if length == 0 else length, name

"""The fields of one MCAP record, read in turn. Whatever follows the last known field is padding and is ignored."""

import struct

U16, U32, U64 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
PAIR = struct.Struct("<HQ")


class Fields:
    """Reads numbers, texts and maps from a record's content; ValueError or struct.error where they do not fit."""

    __slots__ = ("_at", "_content")

    def __init__(self, content: bytes | memoryview) -> None:
        self._content, self._at = memoryview(content), 0

    def _read_number(self, form: struct.Struct) -> int:
        (value,) = form.unpack_from(self._content, self._at)
        self._at += form.size
        return int(value)

    def read_u8(self) -> int:
        """Read a byte."""
        self._at += 1
        return self.read_rest(self._at - 1)[0] if self._at <= len(self._content) else self._raise_too_short(1)

    def read_u16(self) -> int:
        """Read two bytes."""
        return self._read_number(U16)

    def read_u32(self) -> int:
        """Read four bytes."""
        return self._read_number(U32)

    def read_u64(self) -> int:
        """Read eight bytes."""
        return self._read_number(U64)

    def read_bytes(self, length: int) -> memoryview:
        """Read `length` bytes."""
        if self._at + length > len(self._content):
            self._raise_too_short(length)
        self._at += length
        return self._content[self._at - length : self._at]

    def read_rest(self, start: int | None = None) -> memoryview:
        """Return everything from here on."""
        return self._content[self._at if start is None else start :]

    def read_blob(self) -> memoryview:
        """Read bytes that are led by their length in four bytes."""
        return self.read_bytes(self.read_u32())

    def read_text(self) -> str:
        """Read a text."""
        return bytes(self.read_blob()).decode("utf-8")

    def read_text_map(self) -> dict[str, str]:
        """Read a map of texts."""
        inner, pairs = Fields(self.read_blob()), {}
        while not inner.is_finished():
            name = inner.read_text()
            pairs[name] = inner.read_text()
        return pairs

    def read_number_map(self) -> dict[int, int]:
        """Read a map from channels to large numbers."""
        return dict(PAIR.iter_unpack(self.read_blob()))

    def is_finished(self) -> bool:
        """Is everything read?"""
        return self._at >= len(self._content)

    def _raise_too_short(self, length: int) -> int:
        raise ValueError(f"a field of {length} bytes is longer than its record")

"""The heads of messages that are laid out alike, read without taking each apart: most of a bag's records are these."""

import struct

from fieldloop.ingest.readers.rosbag.ros1_records import LENGTH, MESSAGE, TIME, Record

WIDTHS = {"op": 1, "conn": 4, "time": 8}


class MessageHeads:
    """Knows the last message's head: the next is read at a glance where its fields stand in the same order."""

    def __init__(self) -> None:
        self._pattern, self._connection, self._time = b"", 0, 0

    def learn(self, head: bytes, record: Record) -> None:
        """Take a message's head as the pattern: everything but connection, time and length is fixed."""
        if record.op != MESSAGE or {name: len(value) for name, value in record.fields.items()} != WIDTHS:
            return
        self._connection, self._time = head.find(b"\x09\x00\x00\x00conn=") + 9, head.find(b"\x0d\x00\x00\x00time=") + 9
        self._pattern = self._blank(head)

    def read(self, content: bytes, at: int) -> tuple[int, int, int, int] | None:
        """Return connection, time, start and length; None where the head is another."""
        width = len(self._pattern)
        head = content[at : at + width]
        if not width or len(head) < width or self._blank(head) != self._pattern:
            return None
        (connection,) = LENGTH.unpack_from(head, self._connection)
        seconds, rest = TIME.unpack_from(head, self._time)
        (length,) = LENGTH.unpack_from(head, width - LENGTH.size)
        return connection, seconds * 1_000_000_000 + rest, at + width, length

    def _blank(self, head: bytes) -> bytes:
        fixed = bytearray(head)
        struct.pack_into("<I", fixed, self._connection, 0)
        struct.pack_into("<II", fixed, self._time, 0, 0)
        struct.pack_into("<I", fixed, len(head) - LENGTH.size, 0)
        return bytes(fixed)

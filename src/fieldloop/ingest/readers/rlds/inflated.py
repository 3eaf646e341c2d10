"""The bytes of a shard as they were before compression, read forwards; plain files are read as they are."""

import io
import zlib
from pathlib import Path
from typing import BinaryIO

from fieldloop.ingest.readers.rlds.framing import begins_with_record

CHUNK_BYTES = 1 << 18
ANY_HEAD = zlib.MAX_WBITS | 32  # gzip or zlib, whichever the first bytes say
GZIP = b"\x1f\x8b"


class Inflated(io.RawIOBase):
    """A gzip or zlib file as a stream. Going back means beginning again, so ask in ascending order."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._restart()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte from the beginning; beyond the end stops at the end."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("A compressed file can only be searched by position from its beginning.")
        if offset < self._at:
            self._restart()
        while self._at < offset and self.read(min(CHUNK_BYTES, offset - self._at)):
            pass
        return self._at

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]  # what the base class calls it with
        part = self._inflate_some_bytes(len(buffer))
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _restart(self) -> None:
        self._file.seek(0)
        self._inflate = zlib.decompressobj(ANY_HEAD)
        self._waiting, self._at = b"", 0

    def _inflate_some_bytes(self, max_bytes: int) -> bytes:
        """Return some bytes, none at the end. Damage ends the stream: what follows is unknown."""
        while max_bytes:
            if self._inflate.eof:  # several compressed files one behind the other are one
                self._waiting = self._inflate.unused_data or self._file.read(CHUNK_BYTES)
                if not self._waiting.startswith(GZIP):
                    return b""
                self._inflate = zlib.decompressobj(ANY_HEAD)
            given = self._waiting or self._file.read(CHUNK_BYTES)
            if not given:
                return b""
            try:
                part = self._inflate.decompress(given, max_bytes)
            except zlib.error:
                return b""
            self._waiting = self._inflate.unconsumed_tail
            if part:
                return part
        return b""


def open_shard(path: Path) -> tuple[BinaryIO, int | None]:
    """Open a shard for reading; also return how many bytes it has, None where it is compressed."""
    file = path.open("rb")
    head = file.read(2)
    file.seek(0)
    if head == GZIP or (len(head) == 2 and head[0] == 0x78 and int.from_bytes(head, "big") % 31 == 0):  # noqa: PLR2004 - zlib's head
        whole = io.BufferedReader(Inflated(file), CHUNK_BYTES)
        if begins_with_record(whole.peek(16)):
            whole.seek(0)
            return whole, None
        file = path.open("rb")
    return file, path.stat().st_size

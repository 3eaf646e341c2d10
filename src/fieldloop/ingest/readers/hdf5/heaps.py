"""Heaps of texts and rows of free length: a damaged one would keep the HDF5 library busy for ever."""

import mmap
import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

MARK = b"GCOL\x01\x00\x00\x00"
HEAD, OBJECT = struct.Struct("<8sQ"), struct.Struct("<HHIQ")
FREE = 0


def endless_places(path: Path) -> tuple[tuple[int, bytes], ...]:
    """Return where a heap would be walked without end, and the bytes that end the walk there."""
    state = path.stat()
    return _endless_places(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)  # a file is opened again for every look at its pictures
def _endless_places(path: Path, _mtime_ns: int, size: int) -> tuple[tuple[int, bytes], ...]:
    if not size:
        return ()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return tuple(place for at in _heaps(data) if (place := _endless(data, at)))


def _heaps(data: mmap.mmap) -> Iterator[int]:
    at = data.find(MARK)
    while at >= 0:
        yield at
        at = data.find(MARK, at + 1)


def _endless(data: mmap.mmap, at: int) -> tuple[int, bytes] | None:
    """Walk as the library does: a free space of no size leads nowhere. What lies behind a cut reads as zeros."""
    _, size = HEAD.unpack(_padded(data, at, HEAD.size))
    end, here = at + size, at + HEAD.size
    while here + OBJECT.size <= end:
        index, _, _, length = OBJECT.unpack(_padded(data, here, OBJECT.size))
        if index == FREE and not length:
            return here + 8, struct.pack("<Q", end - here)
        here += length if index == FREE else OBJECT.size + (length + 7) // 8 * 8
    return None


def _padded(data: mmap.mmap, at: int, size: int) -> bytes:
    return data[at : at + size].ljust(size, b"\x00")

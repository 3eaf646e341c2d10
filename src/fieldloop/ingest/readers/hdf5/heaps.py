"""Heaps of texts and rows of free length: a damaged one would keep the HDF5 library busy for ever."""

import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

MARK = b"GCOL\x01\x00\x00\x00"
HEAD, OBJECT = struct.Struct("<8sQ"), struct.Struct("<HHIQ")
FREE = 0
BLOCK_BYTES = 8 << 20


def heap_patches(path: Path, end: int) -> tuple[tuple[int, bytes], ...]:
    """Return where heaps of a file that ends at `end` are damaged, and the bytes with which they can be read."""
    state = path.stat()
    return _heap_patches(path, end, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)  # a file is opened again for every look at its pictures
def _heap_patches(path: Path, end: int, _mtime_ns: int, _size: int) -> tuple[tuple[int, bytes], ...]:
    with path.open("rb") as file:
        return tuple(patch for at in list(_heaps(file)) for patch in _patches(file, at, end))


def _heaps(file: BinaryIO) -> Iterator[int]:
    """Look through the whole file, block by block: a mapped one would count as memory in use."""
    start, kept = 0, b""
    while block := file.read(BLOCK_BYTES):
        seen = kept + block
        at = seen.find(MARK)
        while at >= 0:
            yield start - len(kept) + at
            at = seen.find(MARK, at + 1)
        start, kept = start + len(block), seen[-len(MARK) + 1 :]


def _patches(file: BinaryIO, at: int, file_end: int) -> Iterator[tuple[int, bytes]]:
    """Walk as the library does. A step of no size leads nowhere, one beyond the heap comes round to its beginning.

    From there on the heap is made free space. What lies behind a cut reads as zeros.
    """
    _, size = HEAD.unpack(_padded(file, at, HEAD.size))
    if at + size > file_end:
        size = file_end - at
        yield at + 8, struct.pack("<Q", size)
    end, here = at + size, at + HEAD.size
    while here + OBJECT.size <= end:
        index, _, _, length = OBJECT.unpack(_padded(file, here, OBJECT.size))
        step = length if index == FREE else OBJECT.size + (length + 7) // 8 * 8
        if step < OBJECT.size or here + step > end:
            yield here, OBJECT.pack(FREE, 0, 0, end - here)
            return
        here += step


def _padded(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size).ljust(size, b"\x00")

"""A file object that makes damaged HDF5 files safe to open: closed, of the stated length, without endless heaps."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fieldloop.ingest.readers.hdf5.heaps import MARK, find_heap_patches
from fieldloop.ingest.readers.hdf5.superblock import Superblock

MOST_MISSING = 1 << 40
LARGEST_REQUEST = 64 << 20
GATHERED = 1 << 20
"""The library gathers what it reads of a file's structure up to this size, so that a heap may lie anywhere within."""


class Guarded(io.RawIOBase):
    """A file for the library: missing bytes read as zeros, and heaps are checked before the library reads them.

    `found` is called with the place of each damaged heap.
    """

    def __init__(self, path: Path, block: Superblock, size: int, report_heap: Callable[[int], None]) -> None:
        self._file = path.open("rb")
        self._size, self._at, self._found = size, 0, report_heap
        self._length = min(max(size, block.size), size + MOST_MISSING)
        self._patches = [] if block.was_closed else [(block.at, block.write_closed_block(size))]
        self._seen: set[int] = set()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = start + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        view = memoryview(buffer).cast("B")
        if len(view) > self._size + LARGEST_REQUEST:
            raise OSError("more bytes were requested than the file can hold")
        there = os.preadv(self._file.fileno(), [view], self._at) if 0 <= self._at < self._size else 0
        if there < len(view):
            there += self._fill_rest(view, there)
        self._check_heaps(view)
        low, high = self._at, self._at + len(view)
        for at, patch in self._patches:
            first, last = max(low, at), min(high, at + len(patch))
            if first < last:
                view[first - low : last - low] = patch[first - at : last - at]
        self._at = high
        return len(view)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _fill_rest(self, view: memoryview, bytes_read: int) -> int:
        """Fill the rest of what was asked for: the system hands out less than that, or the file ends here."""
        before = bytes_read
        while bytes_read < len(view):
            more = os.preadv(self._file.fileno(), [view[bytes_read:]], self._at + bytes_read) if self._at >= 0 else 0
            if not more:
                break
            bytes_read += more
        view[bytes_read:] = bytes(len(view) - bytes_read)
        return bytes_read - before

    def _check_heaps(self, view: memoryview) -> None:
        """Look at every heap that begins in what was read; in a large piece of data only at its beginning."""
        if len(view) > GATHERED:
            starts = [0] if view[: len(MARK)] == MARK else []
        else:
            seen = bytes(view)
            if MARK[0] in seen[1 - len(MARK) :]:  # the mark may be cut by the end
                seen += os.pread(self._file.fileno(), len(MARK) - 1, self._at + len(seen))
            starts = _find_heap_offsets(seen) if MARK in seen else []
        for start in starts:
            at = self._at + start
            if at in self._seen:
                continue
            self._seen.add(at)
            patches = list(find_heap_patches(self._file, at, self._length))
            self._patches += patches
            for place, _ in patches:
                self._found(place)


def _find_heap_offsets(data: bytes) -> list[int]:
    offsets = []
    at = data.find(MARK)
    while at >= 0:
        offsets.append(at)
        at = data.find(MARK, at + 1)
    return offsets

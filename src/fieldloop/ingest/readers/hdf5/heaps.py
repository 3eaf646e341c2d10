"""Check heaps of texts and variable-length rows: the HDF5 library loops forever on a damaged one."""

import struct
from collections.abc import Iterator
from typing import BinaryIO

MARK = b"GCOL\x01\x00\x00\x00"
HEAD, OBJECT = struct.Struct("<8sQ"), struct.Struct("<HHIQ")
FREE = 0
MOST_OBJECTS = 1 << 16  # they are numbered by two bytes


def find_heap_patches(file: BinaryIO, heap_offset: int, file_end: int) -> Iterator[tuple[int, bytes]]:
    """Yield where the heap at a byte is damaged, and the bytes with which it can be read.

    Walks as the library does. A step of no size leads nowhere, one beyond the heap comes round to its beginning: from
    there on the heap is made free space. What lies behind a cut reads as zeros.
    """
    _, size = HEAD.unpack(_read_padded(file, heap_offset, HEAD.size))
    if heap_offset + size > file_end:
        size = file_end - heap_offset
        yield heap_offset + 8, struct.pack("<Q", size)
    end, here = heap_offset + size, heap_offset + HEAD.size
    for _ in range(MOST_OBJECTS):
        if here + OBJECT.size > end:
            return
        index, _, _, length = OBJECT.unpack(_read_padded(file, here, OBJECT.size))
        step = length if index == FREE else OBJECT.size + (length + 7) // 8 * 8
        if step < OBJECT.size or here + step > end:
            break
        here += step
    if here + OBJECT.size <= end:
        yield here, OBJECT.pack(FREE, 0, 0, end - here)


def _read_padded(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size).ljust(size, b"\x00")

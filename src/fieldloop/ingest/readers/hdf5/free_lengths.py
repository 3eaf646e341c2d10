"""Read variable-length rows without the HDF5 library, which can loop, crash or exhaust memory on damaged ones."""

import struct
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

REFERENCE = np.dtype([("length", "<u4"), ("heap", "<u8"), ("index", "<u4")])
"""How a row of free length is kept: how many values, and where in which heap they lie."""

HEAP, OBJECT = struct.Struct("<4sB3xQ"), struct.Struct("<HHIQ")
DEFLATE = 1
MOST_CHUNK_BYTES = 1 << 26
MOST_REFERENCES = 1 << 26
MOST_OBJECTS = 1 << 16  # they are numbered by two bytes


class FreeRows:
    """The rows of one array. `width` is how many bytes one value of a row takes."""

    def __init__(self, path: Path, data: Any, width: int) -> None:
        if data.file.id.get_create_plist().get_sizes()[0] != REFERENCE["heap"].itemsize:
            raise OSError("its rows of variable length have addresses of an unsupported size")
        if data.ndim > 1 or data.size > MOST_REFERENCES:
            raise OSError(f"it has {data.shape} rows of variable length, an unsupported shape")
        self.width, self._path = width, path
        with path.open("rb") as file:
            self._references = _read_references(file, data)

    def read_row(self, index: int) -> bytes:
        """Return one row's bytes; OSError says what is wrong with it."""
        length, heap, number = self._references[index].tolist()
        if not length:
            return b""
        where = _list_heap_objects(self._path, heap, self._path.stat().st_mtime_ns).get(number)
        if where is None or length * self.width > where[1]:
            raise OSError(f"row {index} of variable length is not at its stated place")
        with self._path.open("rb") as file:
            file.seek(where[0])
            content = file.read(length * self.width)
        if len(content) < length * self.width:
            raise OSError(f"row {index} of variable length lies beyond the end of the file")
        return content


def open_variable_length_rows(path: Path, data: Any) -> FreeRows | None:
    """Return the rows of an array whose rows have lengths of their own; None where they have one length."""
    import h5py

    text, inner = h5py.check_string_dtype(data.dtype), h5py.check_vlen_dtype(data.dtype)
    if text is not None:
        return FreeRows(path, data, 1) if text.length is None else None
    return None if inner is None else FreeRows(path, data, np.dtype(inner).itemsize)


@lru_cache(maxsize=64)
def _list_heap_objects(path: Path, heap_offset: int, _mtime_ns: int) -> dict[int, tuple[int, int]]:
    """List a heap: number → where and how long."""
    with path.open("rb") as file:
        file.seek(0, 2)
        size = file.tell()
        if heap_offset + HEAP.size > size:
            raise OSError("its heap lies beyond the end of the file")
        file.seek(heap_offset)
        mark, _, length = HEAP.unpack(file.read(HEAP.size))
        if mark != b"GCOL":
            raise OSError("its heap is not at its stated place")
        objects: dict[int, tuple[int, int]] = {}
        here, end = heap_offset + HEAP.size, min(heap_offset + length, size)
        while here + OBJECT.size <= end and len(objects) < MOST_OBJECTS:
            file.seek(here)
            number, _, _, taken = OBJECT.unpack(file.read(OBJECT.size))
            if not number or number in objects:
                break  # the free space at the end, or a heap that is damaged
            objects[number] = (here + OBJECT.size, taken)
            here += OBJECT.size + (taken + 7) // 8 * 8
    return objects


def _read_references(file: BinaryIO, data: Any) -> NDArray[Any]:
    references = np.zeros(max(1, data.size) if not data.shape else data.size, REFERENCE)
    start = data.id.get_offset()
    if start is not None:
        file.seek(start)
        _fill_references(references, 0, file.read(references.nbytes))
    if start is not None or not data.id.get_storage_size():  # nothing stored: every row is empty
        return references
    if not data.chunks:
        raise OSError("its rows of variable length are stored in an unsupported way")
    plist = data.id.get_create_plist()
    filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
    if filters not in ([], [DEFLATE]):
        raise OSError("its rows of variable length are compressed in an unsupported way")
    places: list[Any] = []
    data.id.chunk_iter(places.append)
    for place in places:
        file.seek(place.byte_offset)
        raw = file.read(min(place.size, MOST_CHUNK_BYTES))
        _fill_references(references, int(place.chunk_offset[0]), _inflate_bytes(raw) if filters else raw)
    return references


def _fill_references(references: NDArray[Any], first: int, raw: bytes) -> None:
    part = np.frombuffer(raw, REFERENCE, len(raw) // REFERENCE.itemsize)
    room = references[first : first + len(part)]
    room[:] = part[: len(room)]


def _inflate_bytes(raw: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(raw, MOST_CHUNK_BYTES)
    except zlib.error as wrong:
        raise OSError(f"its rows of variable length cannot be decompressed: {wrong}") from wrong

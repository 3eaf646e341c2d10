"""A message's bytes, fetched again from the file: pictures are read when they are looked at."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.mcap.chunks import unpack_chunk
from fieldloop.ingest.readers.mcap.parse import parse_record
from fieldloop.ingest.readers.mcap.records import RECORD_HEAD, Chunk

IN_FILE, IN_CHUNK = 0, 1
PLACE_COLUMNS = 4
"""A place is a row of: the byte of its record in the file, where the payload begins, its length, IN_FILE or IN_CHUNK.

The payload begins so many bytes behind its record's first, or behind the first byte that its chunk unpacks to."""


def make_payload_places(
    record_offsets: int | NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64], storage: int
) -> NDArray[np.int64]:
    """Return the places of payloads in a chunk at byte `record_offsets`, or in records of their own at these bytes."""
    rows = np.empty((len(starts), PLACE_COLUMNS), np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3] = record_offsets, starts, lengths, storage
    return rows


class McapPayloads:
    """Fetches payloads by their places; of chunks, only the last one used is held."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fetch(self, places: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the bytes at these places; none where the file no longer holds them."""
        held: tuple[int, bytes | memoryview] = (-1, b"")
        with self._path.open("rb") as file:
            for record, start, length, where in places.tolist():
                if where == IN_FILE:
                    file.seek(record + start)
                    yield file.read(length)
                    continue
                if held[0] != record:
                    held = (record, _read_chunk(file, record))
                yield bytes(held[1][start : start + length])


def _read_chunk(file: BinaryIO, record_offset: int) -> bytes | memoryview:
    try:
        file.seek(record_offset)
        opcode, length = RECORD_HEAD.unpack(file.read(RECORD_HEAD.size))
        chunk = parse_record(opcode, file.read(min(length, os.fstat(file.fileno()).st_size)))
        return unpack_chunk(chunk).records if isinstance(chunk, Chunk) else b""
    except ValueError:
        return b""

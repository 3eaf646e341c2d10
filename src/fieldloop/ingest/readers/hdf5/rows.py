"""Read rows of an array as far as they are stored; a declared size alone never allocates memory."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened, shorten_error
from fieldloop.ingest.readers.hdf5.tree import BEST_COMPRESSION, Leaf
from fieldloop.model.episode import Defect
from fieldloop.model.note import Note, note

MOST_BYTES = 1 << 30
"""More than this of one array and one episode is not held in memory."""

MOST_CHUNK_BYTES = 1 << 28
MOST_UNWRITTEN = 16  # plain chunks: declared for later and not written yet, but not without measure
SLACK_BYTES = 1 << 20
BLOCK_BYTES = 4 << 20

Rows = NDArray[np.int64]


def count_stored_rows(opened: Opened, leaf: Leaf) -> int:
    """How many of the declared rows can be there? What is declared but not stored is a defect."""
    rows = leaf.shape[0] if leaf.shape else 0
    if not rows:
        return 0
    if why := _explain_too_large(leaf, opened.size):
        opened.defects.append(Defect(leaf.path, "", why))
        return 0
    start = leaf.data.id.get_offset()
    if start is None or not opened.is_cut:
        return rows
    there = max(0, opened.size - int(start)) // max(1, compute_row_bytes(leaf))
    if there < rows:
        message = note("ingest.rows_cut_off", present=there, rows=rows)
        opened.defects.append(Defect.from_place(leaf.path, "row", there, message))
    return min(rows, there)


def read_rows(opened: Opened, leaf: Leaf, first_row: int, last_row: int) -> tuple[NDArray[Any], Rows]:
    """Read rows as n × columns; unreadable rows are left out and reported. Also returns which rows these are."""
    kept = np.arange(first_row, last_row)
    lost = _find_rows_beyond_file_end(opened, leaf, first_row, last_row)
    if compute_row_bytes(leaf) * (last_row - first_row) > MOST_BYTES:
        message = note("ingest.rows_too_large", first_row=first_row, last_row=last_row)
        opened.defects.append(Defect(leaf.path, "", message))
        return np.empty((0, 1)), kept[:0]
    if not lost.any():
        try:
            return _flatten_rows(leaf.data[first_row:last_row]), kept
        except HDF5_ERRORS as wrong:
            why = shorten_error(wrong)
    else:
        why = "they lie after the cut"
    pieces = []
    for start, stop in _split_into_blocks(leaf, first_row, last_row):
        part = slice(start - first_row, stop - first_row)
        try:
            if lost[part].any():
                raise OSError(why)
            pieces.append(_flatten_rows(leaf.data[start:stop]))
        except HDF5_ERRORS as wrong:
            why = shorten_error(wrong)
            lost[part] = True
    bad = np.flatnonzero(lost) + first_row
    if len(bad):
        message = note("ingest.rows_unreadable", lost=len(bad), rows=last_row - first_row, reason=why)
        opened.defects.append(Defect.from_place(leaf.path, "row", int(bad[0]), message))
    return np.concatenate(pieces) if pieces else np.empty((0, 1)), kept[~lost]


def iterate_row_blocks(
    opened: Opened, leaf: Leaf, first_row: int, last_row: int
) -> Iterator[tuple[int, list[bytes] | None]]:
    """Yield the bytes of blocks of rows, each with its first row; None for a block that cannot be read."""
    lost = _find_rows_beyond_file_end(opened, leaf, first_row, last_row)
    for start, stop in _split_into_blocks(leaf, first_row, last_row):
        if lost[start - first_row : stop - first_row].any():
            yield start, None
            continue
        try:
            yield (
                start,
                [leaf.read_row(i) for i in range(start, stop)] if leaf.is_bytes else [leaf.data[start:stop].tobytes()],
            )
        except HDF5_ERRORS:
            yield start, None


def compute_row_bytes(leaf: Leaf) -> int:
    """Return how many bytes one row takes in memory."""
    return math.prod(leaf.shape[1:]) * leaf.dtype.itemsize


def _explain_too_large(leaf: Leaf, size: int) -> Note | None:
    """Return why the array cannot be what it declares, None where it can."""
    stored = int(leaf.data.id.get_storage_size())
    declared = leaf.shape[0] * compute_row_bytes(leaf)
    if declared and not stored and not leaf.data.is_virtual:
        return note("ingest.values_never_written", shape=_format_shape(leaf.shape))
    packed = leaf.data.id.get_create_plist().get_nfilters()
    share = min(stored, size) * (BEST_COMPRESSION if packed else MOST_UNWRITTEN) + SLACK_BYTES
    if not leaf.data.is_virtual and declared > share:
        return note("ingest.values_exceed_storage", shape=_format_shape(leaf.shape), stored_bytes=min(stored, size))
    chunk = leaf.data.chunks
    if chunk and math.prod(chunk) * leaf.dtype.itemsize > MOST_CHUNK_BYTES:
        return note("ingest.chunks_too_large", shape=_format_shape(chunk))
    if leaf.data.is_virtual and declared > size * BEST_COMPRESSION:
        return note("ingest.values_exceed_storage", shape=_format_shape(leaf.shape), stored_bytes=size)
    return None


def _format_shape(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))


def _split_into_blocks(leaf: Leaf, first_row: int, last_row: int) -> Iterator[tuple[int, int]]:
    """Cut a span of rows where the chunks are cut, so that each chunk is read once."""
    step = leaf.data.chunks[0] if leaf.data.chunks else max(1, BLOCK_BYTES // max(1, compute_row_bytes(leaf)))
    step = 1 if leaf.free is not None else step
    start = first_row
    while start < last_row:
        stop = min(last_row, (start // step + 1) * step)
        yield start, stop
        start = stop


def _find_rows_beyond_file_end(opened: Opened, leaf: Leaf, first_row: int, last_row: int) -> NDArray[np.bool_]:
    """Which rows have a chunk that lies behind the end of a file that is cut off?"""
    lost = np.zeros(max(0, last_row - first_row), bool)
    if not opened.is_cut or not leaf.data.chunks:
        return lost
    step = leaf.data.chunks[0]

    def mark_chunk_rows(chunk: Any) -> None:
        if chunk.byte_offset + chunk.size > opened.size:
            row = chunk.chunk_offset[0] - first_row
            lost[max(0, row) : max(0, row + step)] = True

    try:
        leaf.data.id.chunk_iter(mark_chunk_rows)
    except HDF5_ERRORS:
        lost[:] = True
    return lost


def _flatten_rows(values: Any) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.names:  # a table: one column a name
        array = structured_to_unstructured(array)
    return np.ascontiguousarray(array.reshape(len(array), -1))

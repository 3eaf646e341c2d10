"""Protobuf's whole numbers of one to ten bytes: one at a time for structure, all at once for data."""

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 10
LAST = 0x80  # a byte below it ends a number


class Unparsable(ValueError):
    """These bytes are not what they should be; the message says what and where."""


def read_varint(view: memoryview, start: int, end: int) -> tuple[int, int]:
    """Return the number that begins at a byte, and where the next thing begins."""
    value = 0
    for shift in range(0, 7 * MOST_BYTES, 7):
        if start >= end:
            raise Unparsable(f"a number is cut off at byte {start} of the record")
        byte = view[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < LAST:
            return value, start
    raise Unparsable(f"a number has more than {MOST_BYTES} bytes before byte {start} of the record")


def read_varints(packed: memoryview) -> NDArray[np.int64]:
    """Return all numbers of a packed list.

    >>> read_varints(memoryview(bytes([5, 0xAC, 2] + [0xFF] * 9 + [1]))).tolist()
    [5, 300, -1]
    """
    data = np.frombuffer(packed, np.uint8)
    is_last = data < LAST
    if is_last.all():
        return data.astype(np.int64)
    if not is_last[-1]:
        raise Unparsable("a list of whole numbers is cut off within a number")
    ends = np.flatnonzero(is_last)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    if lengths.max() > MOST_BYTES:
        raise Unparsable(f"a list of whole numbers holds a number of more than {MOST_BYTES} bytes")
    values = np.zeros(len(starts), np.uint64)
    for place in range(int(lengths.max())):
        long_enough = np.flatnonzero(lengths > place)
        values[long_enough] |= (data[starts[long_enough] + place] & 0x7F).astype(np.uint64) << np.uint64(7 * place)
    return values.view(np.int64)


def find_run_boundaries(packed: memoryview, numbers_per_run: int) -> NDArray[np.int64] | None:
    """Return where each run of `numbers_per_run` numbers begins and ends, n × 2; None if numbers remain."""
    data = np.frombuffer(packed, np.uint8)
    ends = np.flatnonzero(data < LAST) + 1
    if not numbers_per_run or len(ends) % numbers_per_run or (len(data) and data[-1] >= LAST):
        return None
    last = ends[numbers_per_run - 1 :: numbers_per_run]
    return np.column_stack([np.concatenate([[0], last[:-1]]), last]).astype(np.int64)

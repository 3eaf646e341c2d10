"""The heads of messages that are laid out alike, read as one table: nearly all of a bag's records are these."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.rosbag.ros1_records import LENGTH, MESSAGE, BytesSource, read_record_head
from fieldloop.model.stream import NS_PER_S

WIDTHS = {"op": 1, "conn": 4, "time": 8}
COLUMNS = 5
Table = NDArray[np.int64]
"""A row a message: its connection, when it arrived (ns), where its record and its data begin, how long these are."""

NO_ROWS: Table = np.empty((0, COLUMNS), np.int64)


def read_message_table(content: bytes, offsets: NDArray[np.int64]) -> Table:
    """Read the messages whose records begin at these places; those laid out unlike the first are left to a walk."""
    offsets = np.unique(offsets[(offsets >= 0) & (offsets < len(content))])
    head = _find_first_head(content, offsets)
    width = len(head)
    offsets = offsets[offsets + width <= len(content)]
    if not width or not len(offsets):
        return NO_ROWS
    connection, time = head.find(b"\x09\x00\x00\x00conn=") + 9, head.find(b"\x0d\x00\x00\x00time=") + 9
    windows = np.ndarray((len(content) - width + 1,), f"V{width}", content, strides=(1,))
    heads = windows[offsets].view(np.uint8).reshape(len(offsets), width)
    fixed = np.ones(width, np.bool_)
    for start, length in ((connection, 4), (time, 8), (width - LENGTH.size, 4)):
        fixed[start : start + length] = False
    alike = (heads[:, fixed] == np.frombuffer(head, np.uint8)[fixed]).all(axis=1)
    numbers = [_read_numbers(heads, at) for at in (connection, time, time + 4, width - LENGTH.size)]
    log_ns, lengths = numbers[1] * NS_PER_S + numbers[2], numbers[3]
    rows = np.column_stack([numbers[0], log_ns, offsets, offsets + width, lengths])
    return _drop_if_overlapping(rows[alike & (offsets + width + lengths <= len(content))])


def _find_first_head(content: bytes, offsets: NDArray[np.int64]) -> bytes:
    """Return the head of the first of these records that is a plain message; nothing where none of the first is."""
    source = BytesSource(content)
    for at in offsets[:8].tolist():
        record = read_record_head(source, at)
        if record and record.op == MESSAGE and {name: len(v) for name, v in record.fields.items()} == WIDTHS:
            return content[at : record.begin]
    return b""


def _read_numbers(heads: NDArray[np.uint8], byte_offset: int) -> NDArray[np.int64]:
    return np.ascontiguousarray(heads[:, byte_offset : byte_offset + 4]).view("<u4")[:, 0].astype(np.int64)


def _drop_if_overlapping(rows: Table) -> Table:
    """Where a damaged index leads into the middle of a message, believe none of it."""
    ends = rows[:, 3] + rows[:, 4]
    return NO_ROWS if bool((rows[1:, 2] < ends[:-1]).any()) else rows

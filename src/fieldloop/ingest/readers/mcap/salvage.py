"""The records of a chunk with a damaged place in it: those before it, and those behind it where they can be found."""

import bisect
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.mcap.message_table import (
    ENTRIES,
    FIELDS,
    HEAD,
    Integers,
    Messages,
    read_message_heads,
    walk_records,
)
from fieldloop.ingest.readers.mcap.records import MESSAGE, RECORD_HEAD

PIECE = 1 << 18
ENTRY_BYTES = 16


class Salvaged(NamedTuple):
    """What could be found: messages, other records, and the stretches (first byte, byte behind) that hold none."""

    messages: Messages
    others: list[tuple[int, int, int]]
    lost: list[tuple[int, int]]


def salvage_messages(buffer: bytes | memoryview, indexes: Sequence[bytes], first_ns: int, last_ns: int) -> Salvaged:
    """Step from record to record; behind a damaged place go on at the next message.

    The index shows where messages begin, if it agrees with the bytes; otherwise whatever looks like a
    message of the chunk's time, `first_ns` to `last_ns`, is taken for one.
    """
    indexed = _find_indexed_starts(buffer, indexes).tolist()
    places = indexed or _find_message_starts(buffer, first_ns, last_ns).tolist()
    starts: list[int] = []
    others: list[tuple[int, int, int]] = []
    lost: list[tuple[int, int]] = []
    at, size = 0, len(buffer)
    while at < size:
        # a record that overlaps an indexed message is damaged; without an index, any length may be right
        following = _find_next_place(at, indexed, size)
        end = walk_records(buffer, at, following, starts, others)
        at = following
        if end < following:
            at = _find_next_place(end, places, size)
            lost.append((end, at))
    return Salvaged(read_message_heads(buffer, np.asarray(starts, np.int64)), others, lost)


def _find_next_place(offset: int, places: Sequence[int], size: int) -> int:
    following = bisect.bisect_right(places, offset)
    return places[following] if following < len(places) else size


def _find_indexed_starts(buffer: bytes | memoryview, indexes: Sequence[bytes]) -> Integers:
    """Return where the index and the bytes agree that a message begins: same channel, same time."""
    message_starts: list[Integers] = [np.empty(0, np.int64)]
    for index in indexes:
        rows = np.frombuffer(index, "<i8", max(0, len(index) - ENTRIES) // ENTRY_BYTES * 2, ENTRIES).reshape(-1, 2)
        rows = rows[(rows[:, 1] >= 0) & (rows[:, 1] <= len(buffer) - HEAD.itemsize)]
        messages = read_message_heads(buffer, rows[:, 1])
        same = messages.heads["channel"] == int.from_bytes(index[:2], "little")
        message_starts.append(
            rows[:, 1][_find_messages_inside(messages, len(buffer)) & same & (messages.heads["log"] == rows[:, 0])]
        )
    return np.unique(np.concatenate(message_starts))


def _find_message_starts(buffer: bytes | memoryview, first_ns: int, last_ns: int) -> Integers:
    """Return where something looks like a message of this time, piece by piece: a chunk may be large."""
    every = np.frombuffer(buffer, np.uint8)
    message_starts: list[Integers] = [np.empty(0, np.int64)]
    for begin in range(0, max(0, len(buffer) - HEAD.itemsize + 1), PIECE):
        end = min(begin + PIECE, len(buffer) - HEAD.itemsize + 1)
        starts = np.flatnonzero(every[begin:end] == MESSAGE) + begin
        messages = read_message_heads(buffer, starts)
        times = messages.heads["log"].astype(np.uint64)  # as the format has them, without a sign
        message_starts.append(
            starts[_find_messages_inside(messages, len(buffer)) & (times >= first_ns) & (times <= last_ns)]
        )
    return np.concatenate(message_starts)


def _find_messages_inside(messages: Messages, size: int) -> NDArray[np.bool_]:
    """Which of these messages lie wholly in a buffer of this size?"""
    heads, room = messages.heads, (size - messages.starts - RECORD_HEAD.size).astype(np.uint64)
    return np.asarray((heads["opcode"] == MESSAGE) & (heads["length"] >= FIELDS) & (heads["length"] <= room))

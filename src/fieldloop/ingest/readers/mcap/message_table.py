"""The messages of an unpacked chunk as arrays: channel, stamps, place. No step per message where there is an index."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.mcap.records import MESSAGE, RECORD_HEAD

Integers = NDArray[np.int64]
HEAD = np.dtype(
    [("opcode", "u1"), ("length", "<u8"), ("channel", "<u2"), ("sequence", "<u4"), ("log", "<i8"), ("publish", "<i8")]
)
ENTRIES = 6  # behind the channel and the length of all entries
FIELDS = HEAD.itemsize - RECORD_HEAD.size
FEW_TOPICS = 2**15
LAST_NS = 2**63 - 1  # the format has 64 bits without sign, we have 63: until the year 2262


class Messages(NamedTuple):
    """Messages in a buffer: where their records begin, and their fields as stored."""

    starts: Integers
    heads: NDArray[np.void]

    def reorder(self, order: NDArray[np.intp]) -> "Messages":
        """Return the messages in another order."""
        whole = self.heads.view(f"V{HEAD.itemsize}")  # copied in one piece each, not field by field
        return Messages(self.starts[order], whole[order].view(HEAD))

    def copy_to_table(self) -> "MessageTable":
        """Return stamps and payloads as arrays of their own."""
        heads = self.heads
        lengths = heads["length"].astype(np.int64) - FIELDS
        return MessageTable(
            _clamp_stamps(heads["log"]), _clamp_stamps(heads["publish"]), self.starts + HEAD.itemsize, lengths
        )


class MessageTable(NamedTuple):
    """Stamps of messages; `starts` and `lengths` say where their payloads lie in the buffer."""

    log_ns: Integers
    publish_ns: Integers
    starts: Integers
    lengths: Integers


class Tiling(NamedTuple):
    """What a buffer of records holds: its messages, other records, and where it breaks off (None: nowhere)."""

    messages: Messages
    others: list[tuple[int, int, int]]
    broken_at: int | None


def find_records(buffer: bytes | memoryview, hints: Integers) -> Tiling:
    """Find every record. `hints` are where an index says messages begin; believed only if all records fit together."""
    if len(hints) and (tiling := _find_by_hints(buffer, np.sort(hints))):
        return tiling
    starts: list[int] = []
    others: list[tuple[int, int, int]] = []
    end = walk_records(buffer, 0, len(buffer), starts, others)
    return Tiling(read_message_heads(buffer, np.asarray(starts, np.int64)), others, None if end == len(buffer) else end)


def read_indexed_places(indexes: Sequence[bytes]) -> Integers:
    """Return where MessageIndex records say that messages begin; an index that is malformed says nothing."""
    places = [
        np.frombuffer(index, "<i8", (len(index) - ENTRIES) // 16 * 2, ENTRIES)[1::2]
        for index in indexes
        if len(index) > ENTRIES
    ]
    return np.concatenate(places) if places else np.empty(0, np.int64)


def read_message_heads(buffer: bytes | memoryview, starts: Integers) -> Messages:
    """Read the heads of all messages that begin at `starts`."""
    if not len(starts):
        return Messages(starts, np.empty(0, HEAD))
    windows = np.ndarray((len(buffer) - HEAD.itemsize + 1,), f"V{HEAD.itemsize}", buffer, strides=(1,))
    return Messages(starts, windows[starts].view(HEAD))


def _find_by_hints(buffer: bytes | memoryview, hints: Integers) -> Tiling | None:
    """Tile by an index; None where it does not fit the buffer."""
    size = len(buffer)
    if hints[0] < 0 or hints[-1] > size - HEAD.itemsize:
        return None
    messages = read_message_heads(buffer, hints)
    heads = messages.heads
    lengths = np.minimum(heads["length"], size).astype(np.int64)
    begins = np.concatenate([[0], hints + RECORD_HEAD.size + lengths])
    ends = np.concatenate([hints, [size]])
    if bool((begins > ends).any()) or bool((heads["opcode"] != MESSAGE).any()) or bool((lengths < FIELDS).any()):
        return None
    more: list[int] = []
    others: list[tuple[int, int, int]] = []
    for gap in np.flatnonzero(begins != ends):
        if walk_records(buffer, int(begins[gap]), int(ends[gap]), more, others) != ends[gap]:
            return None
    if more:
        messages = read_message_heads(buffer, np.union1d(hints, np.asarray(more, np.int64)))
    return Tiling(messages, others, None)


def walk_records(
    buffer: bytes | memoryview, start: int, end: int, starts: list[int], others: list[tuple[int, int, int]]
) -> int:
    """Step from record to record; return where the last whole one ends."""
    unpack, step = RECORD_HEAD.unpack_from, RECORD_HEAD.size
    while start + step <= end:
        opcode, length = unpack(buffer, start)
        after = start + step + length
        if after > end or not opcode:  # no record is of type 0: these are zeros where something was lost
            break
        if opcode == MESSAGE and length >= FIELDS:
            starts.append(start)
        else:
            others.append((opcode, start + step, after))
        start = after
    return start


def _clamp_stamps(stamps: NDArray[np.int64]) -> Integers:
    """Return stamps that lie together; one beyond what a signed number holds becomes the last one it does."""
    together = np.ascontiguousarray(stamps)
    return np.where(together < 0, LAST_NS, together) if len(together) and together.min() < 0 else together


def group_by_topic(topics: Integers) -> tuple[NDArray[np.intp], list[tuple[int, slice]]]:
    """Return an order that puts each topic's messages together as they were stored, and which part of it is whose.

    Negative numbers are not topics.
    """
    few = len(topics) and int(topics.max()) < FEW_TOPICS
    order = np.argsort(topics.astype(np.int16) if few else topics, kind="stable")  # short numbers sort far faster
    ordered = topics[order]
    cuts = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(ordered)]
    parts = [(int(ordered[first]), slice(first, last)) for first, last in pairwise(cuts) if first < last]
    return order, [(topic, part) for topic, part in parts if topic >= 0]

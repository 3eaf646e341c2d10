"""Decoded messages of a topic: timestamps, and rows of numbers grouped by their columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.messages.spans import Spans

NO_STAMP = np.iinfo(np.int64).min
LAST_NS = 2**63
LAST_EXACT = 2**53
Columns = tuple[str, ...]
Group = tuple[str, Columns]
"""What is added to the topic's name ('' for its own stream), and the columns."""

Texts = dict[str, str | None]
Numbers = Sequence[float] | NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(slots=True)
class Rows:
    """Rows of one group: which messages they came from, their numbers, and their own stamps where they have them."""

    messages: Integers
    values: NDArray[np.float64]
    stamps_ns: Integers | None = None
    frame_id: str = ""
    rounded: bool = False


@dataclass(slots=True)
class Decoded:
    """A batch of messages in the order given. `stamps_ns` holds NO_STAMP where a message carries none.

    `texts` are what fields say that hold a text, None where it changes.
    """

    stamps_ns: Integers
    groups: dict[Group, Rows] = field(default_factory=dict)
    failed: int = 0
    first_failure: tuple[int, str] | None = None
    frame_id: str = ""
    left_out: set[str] = field(default_factory=set)
    texts: Texts = field(default_factory=dict)

    def note_text(self, path: str, text: str) -> None:
        """Note a text field, which no stream can hold; of lists only that they were left out."""
        if "[" not in path:
            merge_constant_text(self.texts, path, text)
        if text:
            self.left_out.add(path.rpartition("[")[0] if path.endswith("]") else path)


def merge_constant_text(texts: Texts, path: str, text: str | None) -> None:
    """Note a field's text; None once it has changed.

    >>> texts = {}
    >>> for path, text in (("a", "x"), ("b", "x"), ("a", "x"), ("b", "y"), ("b", "x")):
    ...     merge_constant_text(texts, path, text)
    >>> texts
    {'a': 'x', 'b': None}
    """
    texts[path] = text if texts.get(path, text) == text else None


def exceeds_float64(value: object) -> bool:
    """Is this a whole number that a float of 64 bits may not hold?

    >>> exceeds_float64(2**53 + 1), exceeds_float64(-(2**60)), exceeds_float64(2.0**60), exceeds_float64(2**53)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not -LAST_EXACT <= value <= LAST_EXACT


def replace_unstorable_stamp(stamp_ns: int | None) -> int:
    """Return a stamp that 64 bits hold, NO_STAMP where there is none or it is beyond them."""
    return stamp_ns if stamp_ns is not None and abs(stamp_ns) < LAST_NS else NO_STAMP


Decode = Callable[[Spans], Decoded]
"""Turns a batch of payloads into numbers; a message it cannot read is a failure of that message alone."""


class Collector:
    """Puts a batch together message by message, for what cannot be decoded as a table."""

    def __init__(self, count: int) -> None:
        self.decoded = Decoded(np.full(count, NO_STAMP, np.int64))
        self._rows: dict[Group, tuple[list[int], list[Numbers], list[int], str]] = {}
        self._rounded: set[Group] = set()

    def note_stamp(self, message_index: int, stamp_ns: int | None, frame_id: str = "") -> None:
        """Note when and in which frame a message was sensed."""
        self.decoded.stamps_ns[message_index] = replace_unstorable_stamp(stamp_ns)
        self.decoded.frame_id = self.decoded.frame_id or frame_id

    def add_row(
        self, group: Group, message_index: int, values: Numbers, stamp_ns: int | None = None, frame_id: str = ""
    ) -> None:
        """Put one row into its group; a row may have a stamp and a frame of its own."""
        messages, rows, stamps, _ = self._rows.setdefault(group, ([], [], [], frame_id))
        messages.append(message_index)
        rows.append(values)
        if stamp_ns is not None:
            stamps.append(stamp_ns)

    def note_rounding(self, group: Group) -> None:
        """Note that a whole number in this group is larger than its stream can hold."""
        self._rounded.add(group)

    def note_unreadable_message(self, message_index: int, reason: str) -> None:
        """Note a message that could not be read."""
        self.decoded.failed += 1
        self.decoded.first_failure = self.decoded.first_failure or (message_index, reason)

    def make_batch(self) -> Decoded:
        """Return the batch."""
        for group, (messages, rows, stamps, frame_id) in self._rows.items():
            values = np.asarray(rows, np.float64).reshape(len(rows), -1)
            row_stamps_ns = np.asarray(stamps, np.int64) if len(stamps) == len(rows) else None
            self.decoded.groups[group] = Rows(
                np.asarray(messages, np.int64), values, row_stamps_ns, frame_id, group in self._rounded
            )
        return self.decoded


class Gathered:
    """All batches of a topic, kept as arrays and put together once."""

    def __init__(self, most_groups: int) -> None:
        self.frame_id = ""
        self.failed = 0
        self.first_failure: tuple[int, str] | None = None
        self.left_out: set[str] = set()
        self.texts: Texts = {}
        self.too_many = False
        self._most_groups = most_groups
        self._stamps: list[tuple[Integers, Integers]] = []
        self._parts: dict[Group, list[Rows]] = {}

    def add_batch(self, batch: Decoded, messages: Integers) -> None:
        """Add a batch whose messages have these numbers in the topic."""
        self._stamps.append((messages, batch.stamps_ns))
        self.frame_id = self.frame_id or batch.frame_id
        self.left_out |= batch.left_out
        for path, text in batch.texts.items():
            merge_constant_text(self.texts, path, text)
        self.failed += batch.failed
        if batch.first_failure and not self.first_failure:
            self.first_failure = (int(messages[batch.first_failure[0]]), batch.first_failure[1])
        for group, rows in batch.groups.items():
            if group not in self._parts and len(self._parts) >= self._most_groups:
                self.too_many = True
                continue
            rows.messages = messages[rows.messages]
            self._parts.setdefault(group, []).append(rows)

    def collect_stamps_ns(self, count: int) -> Integers:
        """Return the stamps of all `count` messages, NO_STAMP where there is none."""
        stamps = np.full(count, NO_STAMP, np.int64)
        for messages, part in self._stamps:
            stamps[messages] = part
        return stamps

    @property
    def holds_numbers(self) -> bool:
        """Is there any group?"""
        return bool(self._parts)

    def collect_groups(self) -> dict[Group, Rows]:
        """Return each group's rows in the order of their messages."""
        return {group: _concatenate_rows(parts) for group, parts in self._parts.items()}

    def merge_batches(self, count: int) -> Decoded:
        """Return everything as one batch of `count` messages."""
        return Decoded(
            self.collect_stamps_ns(count), self.collect_groups(), self.failed, self.first_failure, self.frame_id,
            self.left_out, self.texts,
        )  # fmt: skip


def _concatenate_rows(parts: list[Rows]) -> Rows:
    messages = np.concatenate([part.messages for part in parts])
    values = np.concatenate([part.values for part in parts])
    part_stamps = [part.stamps_ns for part in parts if part.stamps_ns is not None]
    stamps = np.concatenate(part_stamps) if len(part_stamps) == len(parts) else None
    if bool((np.diff(messages) < 0).any()):
        order = np.argsort(messages, kind="stable")
        messages, values, stamps = messages[order], values[order], None if stamps is None else stamps[order]
    return Rows(messages, values, stamps, parts[0].frame_id, any(part.rounded for part in parts))

"""tf.train.Example parsed from its bytes: names, and where each list lies; a list is unpacked when it is asked for."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.rlds.varints import Unparsable, read_varint, read_varints

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
MOST_BYTES_VALUES = 1 << 22
FEATURES_TAG = LENGTH | 1 << 3
UNPACKED_FLOAT = FIXED32 | 1 << 3
UNPACKED_INT = VARINT | 1 << 3


class Kind(IntEnum):
    """Which of its three lists a feature holds, by field number."""

    NONE = 0
    BYTES = 1
    FLOAT = 2
    INT64 = 3


class Span(NamedTuple):
    """From which byte of the payload to which."""

    start: int
    end: int


@dataclass(slots=True)
class Values:
    """One feature of an Example: its kind and where in the payload its list lies, usually in one piece."""

    payload: memoryview
    kind: Kind = Kind.NONE
    spans: list[Span] = field(default_factory=list)

    def read_floats(self) -> NDArray[np.float32]:
        """Return a list of floats, copied: it must not keep the record's pictures in memory."""
        return np.array(_concatenate_parts([_parse_floats(self.payload[a:b]) for a, b in self.spans], np.float32))

    def read_ints(self) -> NDArray[np.int64]:
        """Return a list of whole numbers."""
        return _concatenate_parts([_parse_ints(self.payload[a:b]) for a, b in self.spans], np.int64)

    def locate_blobs(self) -> NDArray[np.int64]:
        """Return for each bytes value from where to where it lies in the payload, n × 2."""
        bounds = array("q")
        for start, end in self.spans:
            for number, wire, a, b in parse_fields(self.payload, start, end):
                if (number, wire) == (1, LENGTH):
                    bounds.extend((a, b))
                    if len(bounds) > 2 * MOST_BYTES_VALUES:
                        raise Unparsable(f"more than {MOST_BYTES_VALUES} values in one list")
        return np.frombuffer(bounds, np.int64).reshape(-1, 2) if bounds else np.zeros((0, 2), np.int64)

    def read_blobs(self) -> list[bytes]:
        """Return a list of bytes."""
        return [bytes(self.payload[a:b]) for a, b in self.locate_blobs().tolist()]

    def read_numbers(self) -> NDArray[Any]:
        """Return the numbers of either kind."""
        return self.read_floats() if self.kind is Kind.FLOAT else self.read_ints()

    def locate_packed(self) -> Span | None:
        """Return where a packed list of numbers lies; None where it is in several pieces."""
        if len(self.spans) != 1:
            return None
        first_field = next(parse_fields(self.payload, *self.spans[0]), (0, 0, 0, 0))
        return (
            Span(*first_field[2:]) if first_field[:2] == (1, LENGTH) and first_field[3] == self.spans[0].end else None
        )

    def read_raw_bytes(self) -> list[memoryview]:
        """Return the list as it is stored, for naming the content."""
        return [self.payload[a:b] for a, b in self.spans]


def parse_example(payload: bytes) -> tuple[dict[str, Values], str]:
    """Return the features by name, and what stopped the parsing ('' where nothing did): what came before it is kept."""
    view = memoryview(payload)
    features: dict[str, Values] = {}
    try:
        at = 0
        while at < len(view):
            tag, start = read_varint(view, at, len(view))
            length, start = read_varint(view, start, len(view))
            at = start + length
            if tag != FEATURES_TAG:
                return features, f"something else than a feature at byte {start} of the record"
            for number, wire, a, b in parse_fields(
                view, start, min(at, len(view))
            ):  # a record cut short is read so far
                if (number, wire) == (1, LENGTH):
                    _parse_entry(view, a, b, features)
        if at > len(view):
            return features, f"it ends {at - len(view)} bytes too early"
    except Unparsable as wrong:
        return features, str(wrong)
    return features, ""


def parse_fields(view: memoryview, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield field number, wire type, and from where to where its value lies."""
    while start < end:
        tag, start = read_varint(view, start, end)
        wire = tag & 7
        if wire == LENGTH:
            length, start = read_varint(view, start, end)
        elif wire == VARINT:
            _, after = read_varint(view, start, end)
            length = after - start
        elif wire in (FIXED32, FIXED64):
            length = 4 if wire == FIXED32 else 8
        else:
            raise Unparsable(f"a field has the unknown wire type {wire} at byte {start} of the record")
        if length > end - start:
            raise Unparsable(f"a field at byte {start} of the record is longer than what holds it")
        yield tag >> 3, wire, start, start + length
        start += length


def _parse_entry(view: memoryview, start: int, end: int, features: dict[str, Values]) -> None:
    """One name and its list; of a repeated name the last counts, as in protobuf."""
    name, values = "", Values(view)
    for number, wire, a, b in parse_fields(view, start, end):
        if (number, wire) == (1, LENGTH):
            name = bytes(view[a:b]).decode("utf-8", "replace")
        elif (number, wire) == (2, LENGTH):
            for kind, wire_, c, d in parse_fields(view, a, b):
                if wire_ != LENGTH or kind not in set(Kind):
                    continue
                if kind != values.kind:
                    values = Values(view, Kind(kind))
                values.spans.append(Span(c, d))
    features[name] = values


def _parse_floats(list_: memoryview) -> NDArray[np.float32]:
    """Parse a FloatList: packed as everyone writes it, or one by one as it also may be."""
    whole = np.frombuffer(list_, np.uint8)
    if len(whole) % 5 == 0 and (whole[::5] == UNPACKED_FLOAT).all():
        return np.ascontiguousarray(whole.reshape(-1, 5)[:, 1:]).view("<f4")[:, 0]
    parts = []
    for number, wire, a, b in parse_fields(list_, 0, len(list_)):
        if number == 1 and wire in (LENGTH, FIXED32):
            if (b - a) % 4:
                raise Unparsable(f"a list of floats has {b - a} bytes, which is not a multiple of 4")
            parts.append(np.frombuffer(list_[a:b], "<f4"))
    return _concatenate_parts(parts, np.float32)


def _parse_ints(list_: memoryview) -> NDArray[np.int64]:
    whole = np.frombuffer(list_, np.uint8)
    if len(whole) and whole[0] == UNPACKED_INT:
        pairs = read_varints(list_)
        if len(pairs) % 2 == 0 and (pairs[::2] == UNPACKED_INT).all():
            return pairs[1::2]
    parts = []
    for number, wire, a, b in parse_fields(list_, 0, len(list_)):
        if number == 1 and wire in (LENGTH, VARINT):
            parts.append(read_varints(list_[a:b]))
    return _concatenate_parts(parts, np.int64)


def _concatenate_parts(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0].astype(dtype, copy=False)
    return np.concatenate(parts).astype(dtype, copy=False) if parts else np.zeros(0, dtype)

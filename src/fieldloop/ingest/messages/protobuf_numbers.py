"""The numbers of a protobuf message under their dotted names, in the order its type declares."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from fieldloop.ingest.messages.decoded import Decoded
from fieldloop.ingest.messages.ros_types import LONGEST_ARRAY, LONGEST_SIGNAL, USED_TEXTS
from fieldloop.model.stream import NS_PER_S

TIMESTAMP, DURATION = "google.protobuf.Timestamp", "google.protobuf.Duration"
DEEPEST = 8
MOST_NUMBERS = LONGEST_SIGNAL  # in a message; types within types may declare far more than are ever sent


def extract_numbers(message: Any, descriptor: Any, decoded: Decoded) -> list[tuple[str, float]]:
    """Return every number; what is passed over is noted in `decoded`. ValueError where there are far too many."""
    flat = list(islice(_Walk(decoded).walk_message(message, descriptor, "", ()), MOST_NUMBERS + 1))
    if len(flat) > MOST_NUMBERS:
        raise ValueError(f"the message holds more than {MOST_NUMBERS} numbers, too many for a signal")
    return flat


class _Walk:
    """Goes through a message and names what it passes over."""

    def __init__(self, decoded: Decoded) -> None:
        self._decoded, self._left_out = decoded, decoded.left_out
        self._parts = 0

    def walk_message(
        self, message: Any, descriptor: Any, path: str, enclosing_types: tuple[str, ...]
    ) -> Iterator[tuple[str, float]]:
        """Yield every number, in the order the type declares; of a part that is absent they are NaN.

        `enclosing_types` are the types that this one stands in: a type that holds itself has no end of numbers.
        """
        self._parts += 1
        if self._parts > MOST_NUMBERS:  # parts without a number count too: they take their time
            raise ValueError(f"the message has more than {MOST_NUMBERS} parts, too many for a signal")
        enclosing_types = (*enclosing_types, descriptor.full_name)
        for field in descriptor.fields:
            inner = f"{path}.{field.name}" if path else field.name
            if is_repeated(field):
                yield from self._walk_repeated(message, field, inner, enclosing_types)
            elif field.message_type is None:
                yield from self._walk_single(message, field, inner)
            elif field.message_type.full_name != TIMESTAMP and (field.name != "header" or path):
                part = getattr(message, field.name) if message is not None and message.HasField(field.name) else None
                yield from self._walk_part(part, field.message_type, inner, enclosing_types)

    def _walk_part(
        self, part: Any, descriptor: Any, path: str, enclosing_types: tuple[str, ...]
    ) -> Iterator[tuple[str, float]]:
        if descriptor.full_name == DURATION:
            yield path, math.nan if part is None else part.seconds + part.nanos / NS_PER_S
        elif len(enclosing_types) <= DEEPEST and descriptor.full_name not in enclosing_types:
            yield from self.walk_message(part, descriptor, path, enclosing_types)
        elif part is not None:
            self._left_out.add(path)

    def _walk_single(self, message: Any, field: Any, path: str) -> Iterator[tuple[str, float]]:
        absent = message is None or (field.has_presence and not message.HasField(field.name))
        if field.cpp_type != field.CPPTYPE_STRING:
            yield path, math.nan if absent else getattr(message, field.name)
        elif not absent and field.name not in USED_TEXTS:
            value = getattr(message, field.name)
            if isinstance(value, str):
                self._decoded.note_text(path, value)
            elif value:
                self._left_out.add(path)

    def _walk_repeated(
        self, message: Any, field: Any, path: str, enclosing_types: tuple[str, ...]
    ) -> Iterator[tuple[str, float]]:
        values = getattr(message, field.name) if message is not None else ()
        if not len(values):
            return
        if len(values) > LONGEST_ARRAY:
            self._left_out.add(path)
            return
        pairs, element = _pair_with_keys(values, field)
        if not _holds_only_numbers(element, (), enclosing_types):
            self._left_out.add(path)
            return
        for key, value in pairs:
            if element.message_type is None:
                yield f"{path}[{key}]", value
            else:
                yield from self._walk_part(value, element.message_type, f"{path}[{key}]", enclosing_types)


def _pair_with_keys(values: Any, field: Any) -> tuple[Iterable[tuple[Any, Any]], Any]:
    """Return keys or numbers beside what they stand for, and the field that describes it; maps by their keys."""
    if isinstance(values, Mapping):
        return sorted(values.items(), key=lambda pair: pair[0]), field.message_type.fields_by_name["value"]
    return enumerate(values), field


def is_repeated(field: Any) -> bool:
    """Ask as the library at hand wants to be asked: older ones know only labels, newer ones warn of them."""
    asked = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if asked is None else asked)


def _holds_only_numbers(field: Any, inner_types: tuple[str, ...], enclosing_types: tuple[str, ...]) -> bool:
    """Does a field hold a number, or a type of nothing but numbers, as a vector or a pose is?"""
    if field.message_type is None:
        return bool(field.cpp_type != field.CPPTYPE_STRING)
    return _is_numeric_type(field.message_type, inner_types, enclosing_types)


@lru_cache(maxsize=1024)  # types within types: the same question again and again
def _is_numeric_type(descriptor: Any, inner_types: tuple[str, ...], enclosing_types: tuple[str, ...]) -> bool:
    if descriptor.full_name in (*inner_types, *enclosing_types) or len(inner_types) + len(enclosing_types) > DEEPEST:
        return False
    inner = (*inner_types, descriptor.full_name)
    return all(
        not is_repeated(field) and _holds_only_numbers(field, inner, enclosing_types) for field in descriptor.fields
    )

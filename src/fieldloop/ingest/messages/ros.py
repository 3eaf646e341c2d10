"""Decode ROS messages (CDR of ROS 2, the plain form of ROS 1) by the schema that the log carries."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from fieldloop.ingest.messages import transforms
from fieldloop.ingest.messages.decoded import Collector, Decoded, Gathered
from fieldloop.ingest.messages.layout import Layout, LayoutFinder
from fieldloop.ingest.messages.layout_table import decode_table, find_rows_like_first
from fieldloop.ingest.messages.ros_types import (
    JOINT_STATE,
    TRANSFORMS,
    flatten_message,
    get_max_array_length,
    read_stamp_and_frame,
)
from fieldloop.ingest.messages.shapes import collect_message_numbers, find_number_groups
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.messages.wire import CDR, FIRST_VERSION, detect_wire_format
from fieldloop.model.stream import NS_PER_S

MOST_LAYOUTS = 16  # in a batch; what is laid out in more ways than that is decoded one by one
NO_LIMIT = 1 << 30
WRAP_NS = 2**32 * NS_PER_S
MISFITS = (ValueError, AttributeError, TypeError, OverflowError)  # a log may call any type by a well-known name
BUILT_IN = ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration")


@lru_cache(maxsize=256)  # logs of one robot share their types, and a type costs some ten milliseconds
def make_ros_decoder(name: str, encoding: str, schema_encoding: str, schema_text: str) -> "RosDecoder":
    """Return the decoder of a type; ValueError where the schema cannot be understood."""
    return RosDecoder(name, encoding, schema_encoding, schema_text)


class RosDecoder:
    """Decodes one message type. Making one raises ValueError where the schema cannot be understood."""

    def __init__(self, name: str, encoding: str, schema_encoding: str, text: str) -> None:
        self.name = name
        self._made_of = (name, encoding, schema_encoding, text)
        self._encoding = encoding
        self._store = _build_typestore(name, schema_encoding, text)
        self._finder = LayoutFinder(self._store.fielddefs, name, get_max_array_length(name))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as what it was made of."""
        return make_ros_decoder, self._made_of

    def decode_message(self, payload: bytes | memoryview) -> Any:
        """Decode one message; ValueError where its bytes do not fit its type."""
        view = memoryview(payload)
        wire = detect_wire_format(self._encoding, view)
        if self._encoding == "cdr" and wire not in [CDR[first] for first in FIRST_VERSION]:
            raise ValueError("messages in version 2 of CDR can be read only if all have the same layout")
        read = self._store.deserialize_cdr if self._encoding == "cdr" else self._store.deserialize_ros1
        try:
            return read(view, self.name)
        except Exception as wrong:  # the generated code raises whatever the broken bytes lead it to
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong

    def find_stamp_and_frame(self, message: Any) -> tuple[int | None, str]:
        """Return the sensing stamp and the frame of a decoded message, where it has them."""
        stamp, frame = read_stamp_and_frame(message)
        return (None if stamp is None else self._unsign_stamp(stamp)), frame

    def _unsign_stamp(self, stamp_ns: int) -> int:
        """ROS 1 counts seconds without a sign; the library takes them for signed."""
        return stamp_ns + WRAP_NS if self._encoding == "ros1" and stamp_ns < 0 else stamp_ns

    def __call__(self, payloads: Spans) -> Decoded:
        """Decode a batch: as tables where messages are laid out alike, the others one by one."""
        gathered = Gathered(NO_LIMIT)
        waiting = np.arange(len(payloads))
        single: list[int] = []
        for _ in range(MOST_LAYOUTS):
            if not len(waiting):
                break
            layout = self._find_table_layout(payloads[int(waiting[0])])
            table = None
            if layout is not None:
                chosen = waiting[payloads.lengths[waiting] == payloads.lengths[waiting[0]]]
                table = payloads.select_payloads(chosen).arrange_as_table()
            if layout is None or table is None:
                single.append(int(waiting[0]))
                waiting = waiting[1:]
                continue
            same = find_rows_like_first(table, layout)
            gathered.add_batch(decode_table(table[same], layout, self.name), chosen[same])
            waiting = np.setdiff1d(waiting, chosen[same], assume_unique=True)
        rest = np.sort(np.concatenate([np.asarray(single, np.int64), waiting]))
        if len(rest):
            gathered.add_batch(self.decode_one_by_one(payloads.select_payloads(rest)), rest)
        return gathered.merge_batches(len(payloads))

    def decode_one_by_one(self, payloads: Spans) -> Decoded:
        """Decode a batch message by message."""
        collector = Collector(len(payloads))
        for index, payload in enumerate(payloads):
            try:
                message = self.decode_message(payload)
                self._collect_numbers(message, index, collector)
                collector.note_stamp(index, *self.find_stamp_and_frame(message))
            except MISFITS as wrong:
                collector.note_unreadable_message(index, str(wrong))
        return collector.make_batch()

    def find_layout(self, payload: bytes | memoryview) -> Layout:
        """Find where everything stands in a message without decoding it; ValueError where that cannot be done."""
        view = memoryview(payload)
        return self._finder.find_layout(view, detect_wire_format(self._encoding, view))

    def _find_table_layout(self, payload: memoryview) -> Layout | None:
        try:
            layout = self.find_layout(payload)
            shapes = find_number_groups(self.name, tuple(layout.names), layout.words)
        except (ValueError, KeyError, IndexError):
            return None  # one by one it will be said what is wrong with it
        return layout if all(not shape.stamp or shape.stamp in layout.stamps for shape in shapes) else None

    def _collect_numbers(self, message: Any, index: int, collector: Collector) -> None:
        if self.name in TRANSFORMS:
            transforms.collect_transforms(message, index, collector, self._unsign_stamp)
            return
        flat = list(flatten_message(message, self._store.fielddefs, collector.decoded, get_max_array_length(self.name)))
        collect_message_numbers(
            self.name, flat, {"name": message.name} if self.name == JOINT_STATE else {}, index, collector
        )


def _build_typestore(name: str, schema_encoding: str, schema_text: str) -> Any:
    from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    try:
        if schema_encoding == "ros2idl":
            types = {k: v for part in _split_idl_files(schema_text) for k, v in get_types_from_idl(part).items()}
        else:
            types = get_types_from_msg(schema_text, name)
        store.register({k: v for k, v in types.items() if k not in BUILT_IN})
    except (TypesysError, KeyError, ValueError, SyntaxError, RecursionError) as wrong:
        raise ValueError(f"schema {name} cannot be understood: {' '.join(str(wrong).split())[:120]}") from wrong
    return store


def _split_idl_files(schema_text: str) -> Iterator[str]:
    """Cut a schema into its files, without what names other files; enumerations are whole numbers of four bytes."""
    for file in re.split(r"^=+\nIDL: .*\n", schema_text, flags=re.MULTILINE):
        if part := re.sub(r"^\s*#.*$", "", file, flags=re.MULTILINE).strip():
            yield re.sub(r"\benum\s+(\w+)\s*\{[^}]*\}\s*;", r"typedef unsigned long \1;", part)

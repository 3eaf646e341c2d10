"""Decode ROS messages (CDR of ROS 2, the plain form of ROS 1) by the schema that the log carries."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from fieldloop.ingest.messages import transforms
from fieldloop.ingest.messages.decoded import Collector, Decoded, Gathered
from fieldloop.ingest.messages.layout import Layout, LayoutFinder
from fieldloop.ingest.messages.layout_table import alike, read_table
from fieldloop.ingest.messages.ros_types import JOINT_STATE, TRANSFORMS, flatten, longest_array, stamp_of
from fieldloop.ingest.messages.shapes import shapes_of
from fieldloop.ingest.messages.spans import Spans
from fieldloop.ingest.messages.wire import CDR, FIRST_VERSION, wire_of

MOST_LAYOUTS = 16  # in a batch; what is laid out in more ways than that is decoded one by one
NO_LIMIT = 1 << 30


@lru_cache(maxsize=256)  # logs of one robot share their types, and a type costs some ten milliseconds
def decoder_for(name: str, encoding: str, schema_encoding: str, text: str) -> "RosDecoder":
    """Return the decoder of a type; ValueError where the schema cannot be understood."""
    return RosDecoder(name, encoding, schema_encoding, text)


class RosDecoder:
    """Decodes one message type. Making one raises ValueError where the schema cannot be understood."""

    def __init__(self, name: str, encoding: str, schema_encoding: str, text: str) -> None:
        self.name = name
        self._made_of = (name, encoding, schema_encoding, text)
        self._encoding = encoding
        self._store = _typestore(name, schema_encoding, text)
        self._finder = LayoutFinder(self._store.fielddefs, name, longest_array(name))

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as what it was made of."""
        return decoder_for, self._made_of

    def message(self, payload: bytes | memoryview) -> Any:
        """Decode one message; ValueError where its bytes do not fit its type."""
        view = memoryview(payload)
        wire = wire_of(self._encoding, view)
        if self._encoding == "cdr" and wire not in [CDR[first] for first in FIRST_VERSION]:
            raise ValueError("the second version of CDR is read as a table only")
        read = self._store.deserialize_cdr if self._encoding == "cdr" else self._store.deserialize_ros1
        try:
            return read(view, self.name)
        except Exception as wrong:  # the generated code raises whatever the broken bytes lead it to
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong

    def __call__(self, payloads: Spans) -> Decoded:
        """Decode a batch: as tables where messages are laid out alike, the others one by one."""
        gathered = Gathered(NO_LIMIT)
        waiting = np.arange(len(payloads))
        single: list[int] = []
        for _ in range(MOST_LAYOUTS if self.name not in TRANSFORMS else 0):
            if not len(waiting):
                break
            layout = self._layout(payloads[int(waiting[0])])
            table = None
            if layout is not None:
                chosen = waiting[payloads.lengths[waiting] == payloads.lengths[waiting[0]]]
                table = payloads.pick(chosen).table()
            if layout is None or table is None:
                single.append(int(waiting[0]))
                waiting = waiting[1:]
                continue
            same = alike(table, layout)
            gathered.add(read_table(table[same], layout, self.name), chosen[same])
            waiting = np.setdiff1d(waiting, chosen[same], assume_unique=True)
        rest = np.sort(np.concatenate([np.asarray(single, np.int64), waiting]))
        if len(rest):
            gathered.add(self.one_by_one(payloads.pick(rest)), rest)
        return gathered.decoded(len(payloads))

    def one_by_one(self, payloads: Spans) -> Decoded:
        """Decode a batch message by message."""
        collector = Collector(len(payloads))
        for index, payload in enumerate(payloads):
            try:
                message = self.message(payload)
                self._collect(message, index, collector)
            except ValueError as wrong:
                collector.fail(index, str(wrong))
                continue
            collector.stamp(index, *stamp_of(message))
        return collector.finish()

    def _layout(self, payload: memoryview) -> Layout | None:
        try:
            layout = self._finder.find(payload, wire_of(self._encoding, payload))
            shapes_of(self.name, tuple(layout.names), layout.words)
        except ValueError:
            return None  # one by one it will be said what is wrong with it
        return layout

    def _collect(self, message: Any, index: int, collector: Collector) -> None:
        if self.name in TRANSFORMS:
            transforms.collect(message, index, collector)
            return
        flat = list(flatten(message, self._store.fielddefs, collector.decoded.left_out, longest_array(self.name)))
        words: Mapping[str, Any] = {"name": message.name} if self.name == JOINT_STATE else {}
        values = np.asarray([value for _, value in flat], np.float64)
        for group, picks in shapes_of(self.name, tuple(name for name, _ in flat), words):
            collector.add(group, index, values if picks is None else values[picks])


def _typestore(name: str, schema_encoding: str, text: str) -> Any:
    from rosbags.typesys import Stores, TypesysError, get_types_from_idl, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    try:
        store.register(get_types_from_idl(text) if schema_encoding == "ros2idl" else get_types_from_msg(text, name))
    except (TypesysError, KeyError, ValueError, SyntaxError, RecursionError) as wrong:
        raise ValueError(f"schema {name} cannot be understood: {' '.join(str(wrong).split())[:120]}") from wrong
    return store

"""Find the offset of each number in a message, by walking its type over the bytes of one example."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldloop.ingest.messages.ros_types import SILENT, USED_TEXTS
from fieldloop.ingest.messages.wire import Wire

BASE, NAME, ARRAY, SEQUENCE = 1, 2, 3, 4  # kinds of fields, as rosbags numbers them
TIME = "builtin_interfaces/msg/Time"
PADDING = 3  # behind a message some middleware fills up to four bytes
PRIMITIVES = {
    "bool": "u1", "byte": "u1", "octet": "u1", "char": "u1", "uint8": "u1", "int8": "i1", "uint16": "u2", "int16": "i2",
    "uint32": "u4", "int32": "i4", "uint64": "u8", "int64": "i8", "float32": "f4", "float64": "f8",
}  # fmt: skip
Definitions = Mapping[str, tuple[Any, list[tuple[str, tuple[Any, Any]]]]]


@dataclass(slots=True)
class Layout:
    """Stretches of equal numbers (dtype, first byte, count) in the order of `names`; `fixed` must not change.

    `stamps` says where each stamp stands: seconds, written so, and nanoseconds without a sign. `words` are texts by
    their path, as the names of joints; of `texts` each is a field of its own.
    """

    stamps: dict[str, int] = field(default_factory=dict)
    seconds: str = "<i4"
    words: dict[str, list[str]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    runs: list[tuple[np.dtype[Any], int, int]] = field(default_factory=list)
    fixed: list[tuple[int, int]] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)


class LayoutFinder:
    """Walks one type over messages. Arrays of more than `longest` numbers are left out and named."""

    def __init__(self, types: Definitions, name: str, longest: int) -> None:
        self._types, self._name, self._longest = types, name, longest

    def find_layout(self, payload: memoryview, wire: Wire) -> Layout:
        """Lay out one message; ValueError where its bytes do not fit its type, or the type is beyond this walk."""
        walk = _Walk(self._types, payload, wire, self._longest)
        try:
            walk.walk_message(self._name, "")
        except (struct.error, KeyError, IndexError, RecursionError, UnicodeDecodeError) as wrong:
            raise ValueError(f"{type(wrong).__name__}: {wrong}") from wrong
        if not len(payload) - PADDING <= walk.at <= len(payload):
            raise ValueError(f"{len(payload)} bytes where its type has {walk.at}")
        return walk.layout


class _Walk:
    def __init__(self, types: Definitions, payload: memoryview, wire: Wire, longest: int) -> None:
        self._types, self._payload, self._wire, self._longest = types, payload, wire, longest
        self.at = wire.start
        self.layout = Layout(seconds=wire.seconds)
        self._silent = 0  # inside a header, or an array that is left out

    def walk_message(self, name: str, path: str) -> None:
        for field_name, described in self._types[name][1]:
            inner = f"{path}.{field_name}" if path else field_name
            silent = field_name in SILENT
            self._silent += silent
            self._walk_field(described, inner)
            self._silent -= silent

    def _walk_field(self, field_type: tuple[Any, Any], path: str) -> None:
        kind, detail = field_type
        kind = int(kind)
        if kind == BASE:
            self._walk_base_type(detail[0], path, 1, indexed=False)
        elif kind == NAME:
            self._walk_named_type(detail, path)
        else:
            inner, count = detail
            self._walk_array(inner, self._read_count() if kind == SEQUENCE else count, path)

    def _walk_named_type(self, name: str, path: str) -> None:
        if name == TIME:
            at = self._wire.align_offset(self.at, 4)
            self.layout.stamps[path] = at
            self._skip_bytes(at, 8)
        else:
            self.walk_message(name, path)

    def _walk_array(self, element_type: tuple[Any, Any], count: int, path: str) -> None:
        if int(element_type[0]) == BASE:
            self._walk_base_type(element_type[1][0], path, count, indexed=True)
            return
        if count > len(self._payload):
            raise ValueError(f"{path} states {count} elements, more than the message holds")
        geometry = (
            int(element_type[0]) == NAME
            and str(element_type[1]).startswith("geometry_msgs/")
            and count <= self._longest
        )
        if not geometry and count and not self._silent:
            self.layout.left_out.add(path)
        self._silent += not geometry
        for index in range(count):
            self._walk_field(element_type, f"{path}[{index}]")
        self._silent -= not geometry

    def _walk_base_type(self, name: str, path: str, count: int, *, indexed: bool) -> None:
        if name == "string":
            self.layout.words[path] = [self._read_text() for _ in range(self._check_count(count, path))]
            if not self._silent and path.rpartition(".")[2] not in USED_TEXTS:
                self._note_left_out_text(path, indexed=indexed)
            return
        if not count:
            return
        dtype = np.dtype(self._wire.order + PRIMITIVES[name])
        at = self._wire.align_offset(self.at, dtype.itemsize)
        self._skip_bytes(at, dtype.itemsize * count)
        if self._silent:
            return
        if count > self._longest:
            self.layout.left_out.add(path)
            return
        self.layout.names += [f"{path}[{i}]" for i in range(count)] if indexed else [path]
        self.layout.runs.append((dtype, at, count))

    def _note_left_out_text(self, path: str, *, indexed: bool) -> None:
        """Texts are in no stream; one that is a field of its own may be a fact."""
        if any(self.layout.words[path]):
            self.layout.left_out.add(path)
        if not indexed and "[" not in path:
            self.layout.texts.append(path)

    def _read_text(self) -> str:
        at = self._wire.align_offset(self.at, 4)
        (length,) = struct.unpack_from(f"{self._wire.order}I", self._payload, at)
        self._skip_bytes(at + 4, length)
        self.layout.fixed.append((at, self.at))
        text = bytes(self._payload[at + 4 : self.at])
        return (text.removesuffix(b"\x00") if self._wire.nul_ended else text).decode("utf-8")

    def _read_count(self) -> int:
        at = self._wire.align_offset(self.at, 4)
        (count,) = struct.unpack_from(f"{self._wire.order}I", self._payload, at)
        self._skip_bytes(at, 4)
        self.layout.fixed.append((at, self.at))
        return int(count)

    def _check_count(self, count: int, path: str) -> int:
        if count > len(self._payload):
            raise ValueError(f"{path} states {count} elements, more than the message holds")
        return count

    def _skip_bytes(self, offset: int, length: int) -> None:
        self.at = offset + length
        if self.at > len(self._payload):
            raise ValueError("the message is shorter than the length it states")

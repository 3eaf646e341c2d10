"""Decode protobuf messages by the descriptors that the log carries: every number under its dotted name."""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from fieldloop.ingest.messages.decoded import Collector, Decoded
from fieldloop.ingest.messages.picture_messages import PictureFields, fields_of
from fieldloop.ingest.messages.ros_types import LONGEST_ARRAY
from fieldloop.ingest.messages.shapes import shapes_of
from fieldloop.ingest.messages.spans import Spans

TIMESTAMP, DURATION = "google.protobuf.Timestamp", "google.protobuf.Duration"
STAMPS = ("timestamp", "stamp")
DEEPEST = 8  # messages that hold themselves are followed no further
NS_PER_S = 1_000_000_000


@lru_cache(maxsize=256)
def protobuf_decoder(name: str, descriptors: bytes) -> "ProtobufDecoder":
    """Return the decoder of a type; ValueError where its descriptors cannot be understood."""
    return ProtobufDecoder(name, descriptors)


class ProtobufDecoder:
    """Decodes one message type. Making one raises ValueError where the descriptors cannot be understood."""

    def __init__(self, name: str, descriptors: bytes) -> None:
        self.name = name
        self._made_of = (name, descriptors)
        self._class = _message_class(name, descriptors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as what it was made of."""
        return protobuf_decoder, self._made_of

    def message(self, payload: bytes | memoryview) -> Any:
        """Decode one message; ValueError where its bytes do not fit its type."""
        from google.protobuf.message import DecodeError

        try:
            return self._class.FromString(bytes(payload))
        except (DecodeError, RecursionError) as wrong:
            raise ValueError(f"no {self.name}: {wrong}") from wrong

    def read_picture(self, payload: bytes | memoryview) -> PictureFields:
        """Read a picture message of Foxglove."""
        message = self.message(payload)
        return fields_of(message, stamp_in(message), frame_in(message))

    def __call__(self, payloads: Spans) -> Decoded:
        """Decode a batch message by message."""
        collector = Collector(len(payloads))
        for index, payload in enumerate(payloads):
            try:
                message = self.message(payload)
            except ValueError as wrong:
                collector.fail(index, str(wrong))
                continue
            flat = list(_flatten(message, self._class.DESCRIPTOR, collector.decoded.left_out, "", 0))
            collector.stamp(index, stamp_in(message), frame_in(message))
            numbers = [value for _, value in flat]
            for shape in shapes_of(self.name, tuple(name for name, _ in flat), {}):
                collector.add(shape.group, index, numbers if shape.picks is None else [numbers[i] for i in shape.picks])
        return collector.finish()


def _message_class(name: str, descriptors: bytes) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.message import DecodeError

    try:
        files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file}
        pool = descriptor_pool.DescriptorPool()
        done: set[str] = set()
        for file in files:
            _add(file, files, pool, done)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    except (DecodeError, KeyError, TypeError, ValueError, RecursionError) as wrong:
        raise ValueError(f"schema {name} cannot be understood: {' '.join(str(wrong).split())[:120]}") from wrong


def _add(name: str, files: dict[str, Any], pool: Any, done: set[str]) -> None:
    """Add a file behind those that it leans on, whatever order they are stored in."""
    if name in done:
        return
    done.add(name)
    if name not in files:
        raise ValueError(f"it needs {name}, which the log does not hold")
    for needed in files[name].dependency:
        _add(needed, files, pool, done)
    pool.AddSerializedFile(files[name].SerializeToString())


def _flatten(message: Any, described: Any, left_out: set[str], path: str, depth: int) -> Iterator[tuple[str, float]]:
    """Yield every number, in the order the type declares; of a part that is absent they are NaN."""
    for field in described.fields:
        inner = f"{path}.{field.name}" if path else field.name
        if _is_repeated(field):
            yield from _repeated(message, field, left_out, inner, depth)
        elif field.message_type is not None:
            if field.message_type.full_name == TIMESTAMP or (field.name == "header" and not path):
                continue
            part = getattr(message, field.name) if message is not None and message.HasField(field.name) else None
            if field.message_type.full_name == DURATION:
                yield inner, math.nan if part is None else part.seconds + part.nanos / NS_PER_S
            elif depth < DEEPEST:
                yield from _flatten(part, field.message_type, left_out, inner, depth + 1)
        elif field.cpp_type != field.CPPTYPE_STRING:
            absent = message is None or (field.has_presence and not message.HasField(field.name))
            yield inner, math.nan if absent else float(getattr(message, field.name))
        elif field.type == field.TYPE_BYTES and message is not None and getattr(message, field.name):
            left_out.add(inner)


def _repeated(message: Any, field: Any, left_out: set[str], path: str, depth: int) -> Iterator[tuple[str, float]]:
    values = getattr(message, field.name) if message is not None else ()
    if not len(values) or (field.message_type is None and field.cpp_type == field.CPPTYPE_STRING):
        return
    numeric = field.message_type is None or _is_numeric(field.message_type, 0)
    if len(values) > LONGEST_ARRAY or not numeric:
        left_out.add(path)
        return
    for index, value in enumerate(values):
        if field.message_type is None:
            yield f"{path}[{index}]", float(value)
        else:
            yield from _flatten(value, field.message_type, left_out, f"{path}[{index}]", depth + 1)


def _is_repeated(field: Any) -> bool:
    """Ask as the library at hand wants to be asked: older ones know only labels, newer ones warn of them."""
    asked = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if asked is None else asked)


def _is_numeric(described: Any, depth: int) -> bool:
    """Is a type nothing but numbers, as a vector or a pose is?"""
    return depth < DEEPEST and all(
        not _is_repeated(field)
        and (
            _is_numeric(field.message_type, depth + 1)
            if field.message_type is not None
            else field.cpp_type != field.CPPTYPE_STRING
        )
        for field in described.fields
    )


def stamp_in(message: Any) -> int | None:
    """Find the sensing stamp: a Timestamp called timestamp or stamp, among the fields or in the header."""
    for holder in (message, _field(message, "header")):
        for name in STAMPS:
            found = _field(holder, name)
            if found is not None and found.DESCRIPTOR.full_name == TIMESTAMP:
                return int(found.seconds) * NS_PER_S + int(found.nanos)
    return None


def frame_in(message: Any) -> str:
    """Find the frame of a message among its fields or in its header."""
    header = _field(message, "header")
    return next((str(m.frame_id) for m in (header, message) if isinstance(getattr(m, "frame_id", None), str)), "")


def _field(message: Any, name: str) -> Any:
    """Return a message within a message, None where it is absent or no message."""
    described = message.DESCRIPTOR.fields_by_name.get(name) if message is not None else None
    if described is None or described.message_type is None or _is_repeated(described) or not message.HasField(name):
        return None
    return getattr(message, name)

"""Decode protobuf messages by the descriptors that the log carries: every number under its dotted name."""

from functools import lru_cache
from typing import Any

from fieldloop.ingest.messages.decoded import Collector, Decoded
from fieldloop.ingest.messages.picture_messages import PictureFields, read_picture_fields
from fieldloop.ingest.messages.protobuf_numbers import TIMESTAMP, extract_numbers, is_repeated
from fieldloop.ingest.messages.ros_types import TRANSFORMS
from fieldloop.ingest.messages.shapes import collect_message_numbers
from fieldloop.ingest.messages.spans import Spans
from fieldloop.model.stream import NS_PER_S

STAMPS = ("timestamp", "stamp")


@lru_cache(maxsize=256)
def make_protobuf_decoder(name: str, descriptors: bytes) -> "ProtobufDecoder":
    """Return the decoder of a type; ValueError where its descriptors cannot be understood."""
    return ProtobufDecoder(name, descriptors)


class ProtobufDecoder:
    """Decodes one message type. Making one raises ValueError where the descriptors cannot be understood."""

    def __init__(self, name: str, descriptors: bytes) -> None:
        self.name = name
        self._made_of = (name, descriptors)
        self._class = _build_message_class(name, descriptors)
        self._shape = "" if name in TRANSFORMS else name  # a type of ROS, whose stamps and frames are found there alone

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as what it was made of."""
        return make_protobuf_decoder, self._made_of

    def decode_message(self, payload: bytes | memoryview) -> Any:
        """Decode one message; ValueError where its bytes do not fit its type."""
        from google.protobuf.message import DecodeError

        try:
            return self._class.FromString(bytes(payload))
        except (DecodeError, RecursionError) as wrong:
            raise ValueError(f"no {self.name}: {wrong}") from wrong

    def read_picture(self, payload: bytes | memoryview) -> PictureFields:
        """Read a picture message of Foxglove."""
        message = self.decode_message(payload)
        return read_picture_fields(message, find_sensing_stamp_ns(message), find_frame_id(message))

    def __call__(self, payloads: Spans) -> Decoded:
        """Decode a batch message by message."""
        collector = Collector(len(payloads))
        for index, payload in enumerate(payloads):
            try:
                message = self.decode_message(payload)
                collector.note_stamp(index, find_sensing_stamp_ns(message), find_frame_id(message))
                flat = extract_numbers(message, self._class.DESCRIPTOR, collector.decoded)
                collect_message_numbers(self._shape, flat, {}, index, collector)
            except ValueError as wrong:
                collector.note_unreadable_message(index, str(wrong))
        return collector.make_batch()


def _build_message_class(name: str, descriptors: bytes) -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.message import DecodeError

    try:
        files = {file.name: file for file in descriptor_pb2.FileDescriptorSet.FromString(descriptors).file}
        pool = descriptor_pool.DescriptorPool()
        done: set[str] = set()
        for file in files:
            _add_file_with_imports(file, files, pool, done)
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
    except (DecodeError, KeyError, TypeError, ValueError, RecursionError) as wrong:
        raise ValueError(f"schema {name} cannot be understood: {' '.join(str(wrong).split())[:120]}") from wrong


def _add_file_with_imports(name: str, files: dict[str, Any], pool: Any, added_names: set[str]) -> None:
    """Add a file behind those that it leans on, whatever order they are stored in."""
    if name in added_names:
        return
    added_names.add(name)
    if name not in files:
        raise ValueError(f"it needs {name}, which the log does not hold")
    for needed in files[name].dependency:
        _add_file_with_imports(needed, files, pool, added_names)
    pool.AddSerializedFile(files[name].SerializeToString())


def find_sensing_stamp_ns(message: Any) -> int | None:
    """Find the sensing stamp: a Timestamp called timestamp or stamp, among the fields or in the header."""
    for holder in (message, _get_submessage(message, "header")):
        for name in STAMPS:
            stamp = _get_submessage(holder, name)
            if stamp is not None and stamp.DESCRIPTOR.full_name == TIMESTAMP:
                return int(stamp.seconds) * NS_PER_S + int(stamp.nanos)
    return None


def find_frame_id(message: Any) -> str:
    """Find the frame of a message among its fields or in its header."""
    header = _get_submessage(message, "header")
    return next((str(m.frame_id) for m in (header, message) if isinstance(getattr(m, "frame_id", None), str)), "")


def _get_submessage(message: Any, name: str) -> Any:
    """Return a message within a message, None where it is absent or no message."""
    described = message.DESCRIPTOR.fields_by_name.get(name) if message is not None else None
    if described is None or described.message_type is None or is_repeated(described) or not message.HasField(name):
        return None
    return getattr(message, name)

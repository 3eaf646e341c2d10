"""Which decoder reads a topic: chosen by how its messages and their schema are written."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from fieldloop.ingest.messages.arrived import Described
from fieldloop.ingest.messages.channel_metadata import parse_channel_metadata
from fieldloop.ingest.messages.decoded import Decode
from fieldloop.ingest.messages.json_messages import JsonDecoder, parse_json, read_json_picture
from fieldloop.ingest.messages.picture_messages import PICTURES, PictureMessages, make_ros_picture_messages
from fieldloop.ingest.messages.protobuf import make_protobuf_decoder
from fieldloop.ingest.messages.ros import make_ros_decoder
from fieldloop.ingest.messages.ros_types import format_ros2_type_name
from fieldloop.ingest.words import split_into_words
from fieldloop.model.stream import StreamKind

ROS_SCHEMAS = {"cdr": ("ros2msg", "ros2idl"), "ros1": ("ros1msg",)}


class Reading(NamedTuple):
    """How a topic is read: as numbers, as pictures, or (with a note on why) by its timestamps alone.

    `message` decodes a single message, for what is stated once: calibrations.
    """

    decode: Decode | None = None
    pictures: PictureMessages | None = None
    message: Callable[[bytes], Any] | None = None
    note: str = ""


def choose_reading(described: Described) -> Reading:
    """Choose how to read a topic; what cannot be decoded still gives its stamps."""
    try:
        reading = _choose_decoder(described)
    except ValueError as wrong:  # a schema's bytes may not even be text
        return Reading(note=f"timestamps only: {wrong}")
    if reading.pictures and _holds_depth(described):
        return reading._replace(pictures=replace(reading.pictures, depth=True))
    return reading


def _holds_depth(described: Described) -> bool:
    return parse_channel_metadata(described.metadata).kind is StreamKind.DEPTH or "depth" in split_into_words(
        described.topic
    )


def _choose_decoder(described: Described) -> Reading:
    if described.encoding == "json":
        if described.type in PICTURES:
            return Reading(pictures=PictureMessages(described.type, read_json_picture))
        return Reading(JsonDecoder(described.type), message=parse_json)
    if described.encoding == "protobuf" and described.schema_encoding == "protobuf":
        protobuf = make_protobuf_decoder(described.type, described.schema)
        if described.type in PICTURES:
            return Reading(pictures=PictureMessages(described.type, protobuf.read_picture))
        return Reading(protobuf, message=protobuf.decode_message)
    if described.schema_encoding in ROS_SCHEMAS.get(described.encoding, ()):
        ros = make_ros_decoder(
            format_ros2_type_name(described.type),
            described.encoding,
            described.schema_encoding,
            described.schema.decode("utf-8"),
        )
        return (
            Reading(pictures=make_ros_picture_messages(ros))
            if ros.name in PICTURES
            else Reading(ros, message=ros.decode_message)
        )
    schema = f" with a schema in {described.schema_encoding!r}" if described.schema_encoding else ""
    return Reading(
        note=f"timestamps only: messages in {described.encoding or 'no stated encoding'!r}{schema} are not decoded"
    )

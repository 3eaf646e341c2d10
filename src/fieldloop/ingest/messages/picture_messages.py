"""Read picture messages of any encoding: their header fields and pixels."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fieldloop.ingest.messages.picture_peek import PicturePeek
from fieldloop.ingest.messages.ros import RosDecoder
from fieldloop.ingest.pictures.picture_bytes import (
    Picture,
    decode_compressed_picture,
    decode_raw_picture,
    is_depth_encoding,
)

COMPRESSED = ("sensor_msgs/msg/CompressedImage", "foxglove_msgs/msg/CompressedImage", "foxglove.CompressedImage")
RAW = ("sensor_msgs/msg/Image", "foxglove_msgs/msg/RawImage", "foxglove.RawImage")
VIDEO = ("foxglove_msgs/msg/CompressedVideo", "foxglove.CompressedVideo")
PICTURES = {*COMPRESSED, *RAW, *VIDEO}


class PictureFields(NamedTuple):
    """What a picture message holds. `form` is how the picture is compressed, or how its plain pixels lie."""

    stamp_ns: int | None
    frame_id: str
    form: str
    data: bytes
    height: int = 0
    width: int = 0
    step: int = 0
    big_endian: bool = False


ReadPicture = Callable[[bytes | memoryview], PictureFields]
"""Reads one message; ValueError where its bytes do not fit its type."""


@dataclass(frozen=True, slots=True)
class PictureMessages:
    """How the pictures of one topic are read."""

    type: str
    read: ReadPicture
    peek: PicturePeek | None = None
    depth: bool = False
    """Does the topic's name contain depth? Then 16-bit grey is millimetres."""

    def read_head(self, payload: bytes | memoryview) -> PictureFields:
        """Read what a message says of its picture, without its bytes where that is cheaper; ValueError as ever."""
        if self.is_video or self.peek is None:
            return self.read(payload)
        return PictureFields(*self.peek(payload), b"")

    @property
    def is_video(self) -> bool:
        """Does decoding a picture need those before it?"""
        return self.type in VIDEO

    @property
    def is_raw(self) -> bool:
        """Are they plain pixels?"""
        return self.type in RAW

    def decode_picture(self, payload: bytes | memoryview) -> Picture:
        """Decode the pixels of a message; ValueError where its bytes do not fit its type."""
        fields = self.read(payload)
        if not self.is_raw:
            return decode_compressed_picture(
                fields.data, fields.form, depth=self.depth or is_depth_encoding(fields.form)
            )
        size = fields.height, fields.width, fields.step
        return decode_raw_picture(fields.data, fields.form, *size, big_endian=fields.big_endian, depth=self.depth)


def make_ros_picture_messages(decoder: RosDecoder) -> PictureMessages:
    """Return how picture messages of ROS 1 and 2 are read."""
    return PictureMessages(decoder.name, partial(_read_ros_picture, decoder), PicturePeek(decoder))


def _read_ros_picture(decoder: RosDecoder, payload: bytes | memoryview) -> PictureFields:
    message = decoder.decode_message(payload)
    return read_picture_fields(message, *decoder.find_stamp_and_frame(message))


def read_picture_fields(message: Any, stamp_ns: int | None, frame_id: str) -> PictureFields:
    """Read the fields that picture messages of ROS and Foxglove share; ValueError where it has other fields."""
    data = getattr(message, "data", None)
    if not isinstance(data, bytes | np.ndarray):
        raise ValueError("the message holds no picture")  # noqa: TRY004 - what is wrong is the log
    form = str(getattr(message, "format", getattr(message, "encoding", "")))
    try:
        height, width, step = (int(getattr(message, name, 0)) for name in ("height", "width", "step"))
    except TypeError as wrong:
        raise ValueError(f"its size is not a number: {wrong}") from wrong
    return PictureFields(
        stamp_ns, frame_id, form, bytes(data), height, width, step, bool(getattr(message, "is_bigendian", 0))
    )

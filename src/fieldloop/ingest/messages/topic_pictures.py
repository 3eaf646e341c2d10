"""Pictures stored as messages: fetched from the log and decoded one at a time, when asked for."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from fieldloop.ingest.messages.ros2 import Ros2Decoder
from fieldloop.ingest.messages.ros_types import COMPRESSED_IMAGE
from fieldloop.ingest.pictures.picture_bytes import NOTHING, Picture, decode_compressed, decode_raw, size_of
from fieldloop.ingest.readers.mcap.records import Place, read_place


class McapPictures:
    """A FrameSource over the messages of one image topic; holds their places, never their pixels."""

    def __init__(self, path: Path, places: Sequence[Place], decoder: Ros2Decoder) -> None:
        self._path, self._places, self._decoder = path, tuple(places), decoder

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the first frame that decodes; 0 × 0 where none does."""
        return size_of(self.frames())

    def __len__(self) -> int:
        return len(self._places)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        chunks: dict[int, bytes] = {}
        with self._path.open("rb") as file:
            for index in range(len(self)) if indices is None else sorted(indices):
                yield self._decode(read_place(file, self._places[index], chunks))

    def _decode(self, payload: bytes) -> Picture:
        try:
            message = self._decoder.message(payload)
        except ValueError:
            return NOTHING
        return decode_message(message, self._decoder.name)


def decode_message(message: Any, name: str) -> Picture:
    """Decode a sensor_msgs Image or CompressedImage."""
    data = bytes(message.data)
    if name == COMPRESSED_IMAGE:
        return decode_compressed(data, message.format)
    return decode_raw(
        data, message.encoding, message.height, message.width, message.step, big_endian=bool(message.is_bigendian)
    )

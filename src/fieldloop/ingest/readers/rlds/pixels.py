"""How the bytes of one picture in a record become pixels: encoded, as plain numbers, or as deflated bytes."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.pictures.picture_bytes import NOTHING, PNG, Picture, decode_compressed_picture
from fieldloop.ingest.pictures.placed import PlacedPictures
from fieldloop.ingest.readers.rlds.inflated import open_shard
from fieldloop.ingest.readers.rlds.schema import Leaf
from fieldloop.ingest.readers.rlds.varints import Unparsable, read_varints
from fieldloop.ingest.words import infer_kind_from_name
from fieldloop.model.stream import StreamKind

Decode = Callable[[bytes], Picture]
JPEG = b"\xff\xd8\xff"
PNG_BITS, WIDE_GREY = slice(24, 26), b"\x10\x00"  # 16 bits, grey: what cameras write distances as
COLOURS = (1, 3, 4)
PLANE, VOLUME = 2, 3
SMALLEST_SIDE = 8
LARGEST_PICTURE = 1 << 28


class RecordPictures(PlacedPictures):
    """A FrameSource over pictures that stay in the shard; `places` says from which byte to which each one lies."""

    def __init__(self, shard: Path, places: NDArray[np.int64], decode: Decode, *, depth: bool) -> None:
        super().__init__(places)
        self._shard, self._decode = shard, decode
        self._dtype = np.dtype(np.float32 if depth else np.uint8)

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[Picture]:
        """Yield frames in ascending order; one that cannot be decoded as an empty array."""
        for data in self._read_stored_bytes(indices):
            picture = self._decode(data) if data else NOTHING
            yield picture if picture.dtype == self._dtype else NOTHING

    def encoded(self, indices: Iterable[int] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield form and bytes in ascending order; ('', b'') for what is not compressed by itself."""
        for data in self._read_stored_bytes(indices):
            form = detect_picture_form(data) if self._decode is decode_compressed_picture else ""
            yield (form, data) if form else ("", b"")

    def _read_stored_bytes(self, indices: Iterable[int] | None) -> Iterator[bytes]:
        wanted = range(len(self)) if indices is None else sorted(indices)
        try:
            file, _ = open_shard(self._shard)
        except OSError:
            yield from (b"" for _ in wanted)
            return
        with file:
            for index in wanted:
                start, end = self._places[index].tolist()
                file.seek(start)
                yield file.read(end - start)


def detect_picture_form(data: bytes) -> str:
    """Name what a picture is compressed as, in ROS' words; '' where it is neither JPEG nor PNG."""
    if data.startswith(PNG):
        return "16UC1; png" if data[PNG_BITS] == WIDE_GREY else "png"
    return "jpeg" if data.startswith(JPEG) else ""


def holds_pictures(path: str, leaf: Leaf) -> bool:
    """Does a tensor hold pictures? Bytes of colour, or distances by name."""
    sides = leaf.shape[:2]
    if (
        leaf.form != "tensor"
        or leaf.size is None
        or len(leaf.shape) not in (PLANE, VOLUME)
        or min(sides) < SMALLEST_SIDE
    ):
        return False
    if leaf.dtype == "uint8":
        return len(leaf.shape) == VOLUME and leaf.shape[2] in COLOURS
    is_plane = len(leaf.shape) == PLANE or leaf.shape[2] == 1
    return leaf.dtype in ("float32", "uint16") and is_plane and infer_kind_from_name(path) is StreamKind.DEPTH


def make_picture_decoder(leaf: Leaf | None) -> Decode:
    """Return what decodes PNG and JPEG; distances in float32 hide in the four colours of a PNG."""
    if leaf and leaf.dtype == "float32":
        return decode_floats_from_png
    return decode_compressed_picture


def make_float_decoder(leaf: Leaf) -> Decode:
    """Return what decodes distances kept as packed floats."""
    return lambda data: _reshape_picture(np.frombuffer(data[: len(data) // 4 * 4], "<f4"), leaf)


def make_packed_decoder(leaf: Leaf) -> Decode:
    """Return what decodes pixels kept as packed whole numbers."""

    def decode_packed_pixels(data: bytes) -> Picture:
        try:
            return _reshape_picture(read_varints(memoryview(data)), leaf)
        except Unparsable:
            return NOTHING

    return decode_packed_pixels


def make_stored_decoder(leaf: Leaf) -> Decode:
    """Return what decodes pixels kept as the bytes of their array, plain or deflated."""
    dtype = np.dtype(leaf.dtype)

    def decode_stored_pixels(data: bytes) -> Picture:
        try:
            plain = zlib.decompressobj().decompress(data, LARGEST_PICTURE) if leaf.encoding == "zlib" else data
        except zlib.error:
            return NOTHING
        return _reshape_picture(np.frombuffer(plain[: len(plain) // dtype.itemsize * dtype.itemsize], dtype), leaf)

    return decode_stored_pixels


def _reshape_picture(numbers: NDArray[Any], leaf: Leaf) -> Picture:
    if len(numbers) != leaf.size:
        return NOTHING
    picture = numbers.reshape(leaf.shape)
    if leaf.dtype == "float32":
        return picture.reshape(leaf.shape[:2]).astype(np.float32)
    if leaf.dtype == "uint16":
        plane = picture.reshape(leaf.shape[:2])
        return np.where(plane == 0, np.float32(np.nan), plane.astype(np.float32) / np.float32(1000))
    colours = picture.astype(np.uint8)
    return np.repeat(colours, 3, axis=2) if colours.shape[2] == 1 else np.ascontiguousarray(colours[:, :, :3])


def decode_floats_from_png(data: bytes) -> Picture:
    """Decode distances whose four bytes are the four colours of a PNG's pixels."""
    import cv2

    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) if data else None
    except cv2.error:
        return NOTHING
    if picture is None or picture.dtype != np.uint8 or picture.ndim != VOLUME or picture.shape[2] != 4:  # noqa: PLR2004 - bytes of a float
        return NOTHING
    return np.ascontiguousarray(picture[:, :, [2, 1, 0, 3]]).view("<f4")[:, :, 0]

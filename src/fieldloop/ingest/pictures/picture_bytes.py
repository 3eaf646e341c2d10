"""Bytes of one picture become pixels: uint8 H×W×3 for colour, float32 H×W metres for depth."""

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import MM_PER_M

Picture = NDArray[Any]
NOTHING: Picture = np.empty((0, 0, 3), np.uint8)
"""What a frame that cannot be decoded is yielded as."""

DEPTH_ENCODINGS = ("16UC1", "32FC1")
GREY_16 = "mono16"  # brightness, by its name; some depth cameras call millimetres so
LEVELS_OF_16_PER_8 = 257
PNG = b"\x89PNG\r\n\x1a\n"
COMPRESSED_DEPTH_HEAD = struct.Struct("<iff")
RAW = {  # encoding: (dtype, channels, how OpenCV turns it into RGB; "" where it is RGB already)
    "rgb8": (np.uint8, 3, ""),
    "bgr8": (np.uint8, 3, "COLOR_BGR2RGB"),
    "8UC3": (np.uint8, 3, "COLOR_BGR2RGB"),
    "rgba8": (np.uint8, 4, "COLOR_RGBA2RGB"),
    "bgra8": (np.uint8, 4, "COLOR_BGRA2RGB"),
    "mono8": (np.uint8, 1, "COLOR_GRAY2RGB"),
    "8UC1": (np.uint8, 1, "COLOR_GRAY2RGB"),
    "bayer_rggb8": (np.uint8, 1, "COLOR_BayerBG2RGB"),
    "bayer_bggr8": (np.uint8, 1, "COLOR_BayerRG2RGB"),
    "bayer_gbrg8": (np.uint8, 1, "COLOR_BayerGR2RGB"),
    "bayer_grbg8": (np.uint8, 1, "COLOR_BayerGB2RGB"),
    "yuv422_yuy2": (np.uint8, 2, "COLOR_YUV2RGB_YUY2"),
    "16UC1": (np.uint16, 1, ""),
    GREY_16: (np.uint16, 1, "COLOR_GRAY2RGB"),
    "32FC1": (np.float32, 1, ""),
}


def decode_compressed_picture(data: bytes, form: str = "", *, depth: bool = True) -> Picture:
    """Decode JPEG, PNG and whatever else OpenCV knows; ROS' compressedDepth too. NOTHING where it does not decode.

    Pictures of 16 bits are depth in millimetres unless `depth` says that they are not: then they are grey.
    """
    import cv2

    start = max(data.find(PNG, 0, 64), 0)  # compressedDepth puts its own head before the PNG
    array = np.frombuffer(data, np.uint8)[start:]
    if not len(array):
        return NOTHING
    try:
        picture = cv2.imdecode(array, cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return NOTHING
    if picture is None:
        return NOTHING
    if picture.dtype == np.float32 and picture.ndim == 2:  # noqa: PLR2004 - depth in metres, as TIFF holds it
        return np.asarray(picture)
    if picture.dtype == np.uint16:
        if start and form.startswith("32FC1"):
            return _dequantise_depth(picture, data)
        if depth:
            return _convert_to_metres(picture)
        picture = _reduce_to_eight_bits(picture)
    if picture.ndim == 2:  # noqa: PLR2004 - two axes: grey
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB))
    return np.asarray(cv2.cvtColor(picture[:, :, :3], cv2.COLOR_BGR2RGB))


def decode_raw_picture(
    data: bytes, encoding: str, height: int, width: int, bytes_per_row: int, *, big_endian: bool, depth: bool = True
) -> Picture:
    """Decode rows of plain pixels; NOTHING where the encoding is not known or the bytes are too few.

    `depth` says whether 16-bit grey is depth in millimetres.
    """
    if encoding not in RAW:
        return NOTHING
    dtype, channels, conversion = RAW[encoding]
    kind = np.dtype(dtype).newbyteorder(">" if big_endian else "<")
    row = width * channels * kind.itemsize
    if not (height and width) or len(data) < (height - 1) * max(bytes_per_row, row) + row:
        return NOTHING
    rows = np.zeros((height, max(bytes_per_row, row)), np.uint8)
    flat = np.frombuffer(data, np.uint8)[: rows.size]
    rows.reshape(-1)[: len(flat)] = flat
    pixels = np.ascontiguousarray(rows[:, :row]).view(kind).reshape(height, width, channels).astype(dtype)
    if encoding == "32FC1":
        return pixels[:, :, 0]
    if encoding in DEPTH_ENCODINGS or (encoding == GREY_16 and depth):
        return _convert_to_metres(pixels[:, :, 0])
    if encoding == GREY_16:
        pixels = _reduce_to_eight_bits(pixels)
    if not conversion:
        return pixels
    import cv2

    return np.asarray(cv2.cvtColor(pixels[:, :, 0] if channels == 1 else pixels, getattr(cv2, conversion)))


def is_depth_encoding(encoding: str) -> bool:
    """Does this encoding hold distances?

    >>> is_depth_encoding("16UC1; png"), is_depth_encoding("rgb8; jpeg compressed bgr8")
    (True, False)
    """
    return encoding.startswith(DEPTH_ENCODINGS) or "compressedDepth" in encoding


def _reduce_to_eight_bits(picture: Picture) -> Picture:
    """Return the upper half of 16 bits: white stays white."""
    return (picture // LEVELS_OF_16_PER_8).astype(np.uint8)


def _convert_to_metres(millimetres: Picture) -> Picture:
    metres = millimetres.astype(np.float32) / np.float32(MM_PER_M)
    metres[millimetres == 0] = np.nan
    return metres


def _dequantise_depth(picture: Picture, data: bytes) -> Picture:
    """Undo the inverse-depth quantisation of ROS' compressedDepth for float images."""
    _, a, b = COMPRESSED_DEPTH_HEAD.unpack_from(data)
    depth = np.full(picture.shape, np.nan, np.float32)
    known = picture > 0
    depth[known] = a / (picture[known].astype(np.float32) - b)
    return depth


def find_picture_size(frames: Iterable[Picture]) -> tuple[int, int]:
    """Return width and height of the first frame that decodes; 0 × 0 where none does."""
    shape = next((frame.shape for frame in frames if frame.size), (0, 0))
    return shape[1], shape[0]

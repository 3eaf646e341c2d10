"""Test pictures with a barcode of camera, episode and frame, in blocks large enough to survive a video codec.

No other test finds a loader that returns the wrong frame with the right shape.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

BITS_A_ROW = 8
ROWS = 6  # camera, episode × 2, frame × 2, and a check sum
SMALLEST = (32, 24)
DARK_SHARE, BRIGHT_FROM, MIDDLE = 0.3, 178.0, 127.0
NEAR_M, FAR_M, MIDDLE_M = 0.5, 2.0, 1.0


class Mark(NamedTuple):
    """Which picture it is."""

    camera: int
    episode: int
    frame: int


def draw_barcode(picture: NDArray[Any], mark: Mark) -> NDArray[Any]:
    """Return the picture with the mark over all of it: uint8 H×W×3 made dark and bright, float32 H×W near and far.

    The picture still shows through, so that swapped colours, cut edges and lost contrast can be detected.
    """
    bits = _spread_bits_over_pixels(_encode_bits(mark), picture.shape[:2])
    if picture.ndim == 2:  # noqa: PLR2004 - depth
        return np.where(bits, np.float32(FAR_M), np.float32(NEAR_M)) + (picture * np.float32(0.1)).astype(np.float32)
    return np.asarray(picture * DARK_SHARE + bits[:, :, None] * BRIGHT_FROM).round().astype(np.uint8)


def read_barcode(picture: NDArray[Any]) -> Mark | None:
    """Return the mark of a picture in 8-bit levels (H×W×3) or metres (H×W), None where no mark can be read.

    >>> picture = np.full((48, 64, 3), 99, np.uint8)
    >>> read_barcode(draw_barcode(picture, Mark(camera=1, episode=2, frame=345)))
    Mark(camera=1, episode=2, frame=345)
    >>> read_barcode(picture) is None
    True
    """
    depth = picture.ndim == 2  # noqa: PLR2004
    grey = picture if depth else picture.mean(axis=2)
    row, column = _locate_barcode_cells(picture.shape[:2])
    level = np.zeros((ROWS, BITS_A_ROW))
    for i in range(ROWS):
        for j in range(BITS_A_ROW):
            block = grey[np.ix_(row == i, column == j)]
            away, across = block.shape[0] // 4, block.shape[1] // 4  # codecs blur edges
            level[i, j] = np.median(block[away : block.shape[0] - away, across : block.shape[1] - across])
    numbers = np.packbits(level > (MIDDLE_M if depth else MIDDLE), axis=1)[:, 0].tolist()
    mark = Mark(numbers[0], numbers[1] << 8 | numbers[2], numbers[3] << 8 | numbers[4])
    return mark if np.array_equal(_encode_bits(mark), level > (MIDDLE_M if depth else MIDDLE)) else None


@dataclass(frozen=True, slots=True)
class MarkedPictures:
    """A FrameSource that draws its frames, each with its mark over a coloured slope."""

    camera: int
    episode: int
    count: int
    size: tuple[int, int] = (64, 48)
    depth: bool = False

    def __len__(self) -> int:
        return self.count

    def frames(self, indices: Iterable[int] | None = None) -> Iterator[NDArray[Any]]:
        """Draw frames in ascending order."""
        for index in range(self.count) if indices is None else sorted(indices):
            yield draw_barcode(self._draw_background(), Mark(self.camera, self.episode, index))

    def _draw_background(self) -> NDArray[Any]:
        width, height = self.size
        across, down = np.meshgrid(np.linspace(0, 255, width), np.linspace(255, 0, height))
        if self.depth:
            return (across / 255).astype(np.float32)
        return np.stack([across, down, np.full_like(across, 60 + 40 * (self.camera % 4))], axis=2).astype(np.uint8)


def _encode_bits(mark: Mark) -> NDArray[np.bool_]:
    content = bytes((mark.camera, mark.episode >> 8, mark.episode & 255, mark.frame >> 8, mark.frame & 255))
    return (
        np.unpackbits(np.frombuffer(content + bytes((zlib.crc32(content) & 255,)), np.uint8))
        .reshape(ROWS, -1)
        .astype(bool)
    )


def _locate_barcode_cells(shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the barcode's row of each line of pixels, and its column of each column of pixels."""
    height, width = shape
    if width < SMALLEST[0] or height < SMALLEST[1]:
        raise ValueError(f"A mark needs {SMALLEST[0]} × {SMALLEST[1]} pixels, and the picture has {width} × {height}.")
    return np.arange(height) * ROWS // height, np.arange(width) * BITS_A_ROW // width


def _spread_bits_over_pixels(bits: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    row, column = _locate_barcode_cells(shape)
    return bits[row][:, column]

"""Pictures become compressed messages: passed on as they were stored, else as JPEG or PNG; depth exactly or in mm."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, note
from fieldloop.model.stream import MM_PER_M, EncodedSource, Stream, StreamKind
from fieldloop.release.writers.mcap.about import make_text_fit_for_message
from fieldloop_robot.messages import CompressedImage

MILLIMETRES = np.float32(MM_PER_M)
FARTHEST_MM = 65535  # 16 bits
PNG, DEPTH_PNG, DEPTH_TIFF = "png", "16UC1; png", "32FC1; tiff compressed "
PLAIN_TIFF = 1  # the chunk around it is compressed
ROUNDED = note("release.depth_rounded_to_mm", farthest_mm=FARTHEST_MM)
NOTHING = np.empty(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Compression:
    """How pictures that are not compressed yet are to be kept; `quality` speaks of JPEG.

    Depth in `millimetres` is what a camera's driver sends; `exact` keeps every bit, in a larger file where depth is
    no whole number of millimetres.
    """

    form: Literal["jpeg", "png"] = "jpeg"
    quality: int = 95
    depth: Literal["exact", "millimetres"] = "exact"


class Compressor:
    """Compresses one stream's pictures and remembers what it cost them."""

    def __init__(self, compression: Compression) -> None:
        self.losses: set[Note] = set()
        self._as = compression

    def make_messages(self, stream: Stream) -> Iterator[CompressedImage]:
        """Yield one message a frame, and empty ones behind a source that ends before its time."""
        source, frame_id = stream.pictures, make_text_fit_for_message(stream.frame_id)
        assert source is not None
        if isinstance(source, EncodedSource):
            for index, (form, data) in enumerate(source.encoded()):
                kept = (form, data) if form else self._compress(next(iter(source.frames([index])), NOTHING), stream)
                yield CompressedImage(*kept, frame_id)
        else:
            for picture in source.frames():
                yield CompressedImage(*self._compress(picture, stream), frame_id)
        while True:
            yield CompressedImage(*self._compress(NOTHING, stream), frame_id)

    def _compress(self, picture: NDArray[Any], stream: Stream) -> tuple[str, bytes]:
        if not picture.size:  # the message keeps its stamp, and decodes to nothing
            self.losses.add(note("release.frames_empty"))
            return DEPTH_PNG if stream.kind is StreamKind.DEPTH else self._as.form, b""
        if picture.dtype.kind == "f":
            return self._compress_depth(np.asarray(picture, np.float32))
        return self._as.form, self._compress_colour(np.asarray(picture, np.uint8))

    def _compress_colour(self, picture: NDArray[np.uint8]) -> bytes:
        import cv2

        blue_first = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
        if self._as.form == PNG:
            return bytes(cv2.imencode(".png", blue_first)[1])
        self.losses.add(note("release.pixels_recompressed", how=f"JPEG of quality {self._as.quality}"))
        return bytes(cv2.imencode(".jpg", blue_first, [cv2.IMWRITE_JPEG_QUALITY, self._as.quality])[1])

    def _compress_depth(self, depth_m: NDArray[np.float32]) -> tuple[str, bytes]:
        """Whole millimetres as a 16-bit PNG, as REP 118 has it; other depth as floats, unless rounding is asked for."""
        import cv2

        with np.errstate(over="ignore"):
            millimetres = np.nan_to_num(depth_m * MILLIMETRES, nan=0.0).round().clip(0, FARTHEST_MM).astype(np.uint16)
        rounding_is_known = self._as.depth == "millimetres" and ROUNDED in self.losses
        if not rounding_is_known and not _is_lossless(millimetres, depth_m):
            if self._as.depth == "exact":
                return DEPTH_TIFF, bytes(cv2.imencode(".tiff", depth_m, [cv2.IMWRITE_TIFF_COMPRESSION, PLAIN_TIFF])[1])
            self.losses.add(ROUNDED)
        return DEPTH_PNG, bytes(cv2.imencode(".png", millimetres)[1])


def _is_lossless(millimetres: NDArray[np.uint16], depth_m: NDArray[np.float32]) -> bool:
    known = millimetres > 0
    back = millimetres[known].astype(np.float32) / MILLIMETRES
    return np.array_equal(known, ~np.isnan(depth_m)) and np.array_equal(back, depth_m[known])

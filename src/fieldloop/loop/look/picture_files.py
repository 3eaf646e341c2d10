"""One frame as a file that a browser shows: the stored bytes where they are a JPEG or PNG, else encoded anew."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import EncodedSource, FrameSource

AS_STORED = {"jpeg": "image/jpeg", "jpg": "image/jpeg", "png": "image/png"}
QUALITY = 92
SMALL = 256 * 256
"""Pixels up to which a frame is sent without loss."""
SAMPLED, LOW_SHARE, HIGH_SHARE = 3, 2.0, 98.0


@dataclass(frozen=True, slots=True)
class PictureFile:
    """The bytes of one picture and their media type; b'' where the frame does not decode."""

    kind: str
    data: bytes


def make_picture_file(pictures: FrameSource, frame: int, depth_m: tuple[float, float] | None = None) -> PictureFile:
    """Return one frame; distances are coloured between two ends."""
    if depth_m is None and isinstance(pictures, EncodedSource):
        form, data = next(iter(pictures.encoded([frame])), ("", b""))
        kind = AS_STORED.get(form.rpartition(";")[2].strip().lower().removeprefix("image/"))
        if kind and data and _is_what_it_states(kind, data):
            return PictureFile(kind, data)
    picture = next(iter(pictures.frames([frame])), None)
    if picture is None or not picture.size:
        return PictureFile("image/png", b"")
    return _encode_picture(picture if depth_m is None else draw_depth(picture, *depth_m))


def draw_depth(metres: NDArray[Any], near_m: float, far_m: float) -> NDArray[np.uint8]:
    """Colour distances from near (red) to far (blue); black where nothing was measured."""
    import cv2

    share = (far_m - np.nan_to_num(metres, nan=far_m)) / max(far_m - near_m, 1e-6)
    coloured = cv2.applyColorMap(np.asarray(np.clip(share, 0, 1) * 255, np.uint8), cv2.COLORMAP_TURBO)
    coloured[~np.isfinite(metres)] = 0
    return np.asarray(cv2.cvtColor(coloured, cv2.COLOR_BGR2RGB), np.uint8)


def find_depth_range_m(pictures: FrameSource) -> tuple[float, float]:
    """Return the ends of the scale: nearly all distances of a few frames lie between them."""
    places = sorted({round(k * (len(pictures) - 1) / (SAMPLED - 1)) for k in range(SAMPLED)} if len(pictures) else ())
    seen = [frame[np.isfinite(frame)] for frame in pictures.frames(places) if frame.size]
    metres = np.concatenate(seen) if seen else np.empty(0)
    if not len(metres):
        return 0.0, 1.0
    near, far = (float(end) for end in np.percentile(metres, [LOW_SHARE, HIGH_SHARE]))
    return near, max(far, near + 1e-3)


def _is_what_it_states(kind: str, data: bytes) -> bool:
    """A browser shows only what it recognises; everything else is decoded here."""
    begins = b"\xff\xd8\xff" if kind == "image/jpeg" else b"\x89PNG\r\n"
    return data.startswith(begins)


def _encode_picture(picture: NDArray[Any]) -> PictureFile:
    import cv2

    ordered = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_RGB2BGR) if picture.ndim > 2 else picture  # noqa: PLR2004 - channels
    small = picture.shape[0] * picture.shape[1] <= SMALL
    form, options = (".png", []) if small else (".jpg", [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    done, data = cv2.imencode(form, ordered, options)
    return PictureFile("image/png" if small else "image/jpeg", data.tobytes() if done else b"")

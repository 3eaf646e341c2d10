"""What stands still in front of a camera: the median of frames spread over an episode, small and grey."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

WIDTH_PX = 160
RED_GREEN_BLUE = (0.299, 0.587, 0.114)
CHANNELS = 3


def compute_median_view(frames: Iterable[NDArray[Any]], width_px: int = WIDTH_PX) -> NDArray[np.uint8]:
    """Return the median of frames (H × W, or H × W × 3 red first), no wider than `width_px`.

    An arm that is elsewhere in most frames is gone from it. Eight frames spread over an episode are enough.

    >>> compute_median_view([np.full((60, 80), level, np.uint8) for level in (9, 10, 250)]).max()
    np.uint8(10)
    """
    small = [shrink_to_grey(frame, width_px) for frame in frames]
    if not small:
        raise BadInput("A view needs at least one frame.")
    return np.asarray(np.round(np.median(small, axis=0)), dtype=np.uint8)


def shrink_to_grey(frame: NDArray[Any], width_px: int = WIDTH_PX) -> NDArray[np.uint8]:
    """Return one frame grey and no wider than `width_px`; non-finite pixels become black."""
    import cv2

    pixels = frame if frame.dtype == np.uint8 else np.nan_to_num(frame.astype(np.float32), posinf=0.0, neginf=0.0)
    scale = min(1.0, width_px / frame.shape[1])
    size = (round(frame.shape[1] * scale), max(1, round(frame.shape[0] * scale)))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)  # before the colours go: fewer pixels to mix
    grey = small[..., :CHANNELS] @ np.array(RED_GREEN_BLUE, np.float32) if small.ndim == CHANNELS else small
    return np.asarray(np.clip(np.round(grey), 0, 255), dtype=np.uint8)

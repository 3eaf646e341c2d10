"""What stands still in front of a camera: the median of frames spread over an episode, small and grey."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

WIDTH_PX = 160
RED_GREEN_BLUE = (0.299, 0.587, 0.114)
CHANNELS = 3


def still_view(frames: Iterable[NDArray[Any]], width_px: int = WIDTH_PX) -> NDArray[np.uint8]:
    """Return the median of frames (H × W, or H × W × 3 red first), no wider than `width_px`.

    An arm that is elsewhere in most frames is gone from it. Eight frames spread over an episode are enough.

    >>> still_view([np.full((60, 80), level, np.uint8) for level in (9, 10, 250)]).max()
    np.uint8(10)
    """
    import cv2

    small = []
    for frame in frames:
        grey = frame.astype(np.float32) @ np.array(RED_GREEN_BLUE, np.float32) if frame.ndim == CHANNELS else frame
        scale = min(1.0, width_px / grey.shape[1])
        size = (round(grey.shape[1] * scale), round(grey.shape[0] * scale))
        small.append(cv2.resize(np.asarray(grey, np.float32), size, interpolation=cv2.INTER_AREA))
    if not small:
        raise BadInput("A view needs at least one frame.")
    return np.asarray(np.clip(np.round(np.median(small, axis=0)), 0, 255), dtype=np.uint8)

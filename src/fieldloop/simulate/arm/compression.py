"""What a camera's driver does to pictures: JPEG compression for colour, whole millimetres for depth."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.stream import MM_PER_M

JPEG_QUALITY = 80


def compress_to_jpeg(picture: NDArray[np.uint8]) -> bytes:
    """Compress a picture, red first."""
    import cv2

    settings = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    done, data = cv2.imencode(".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), settings)
    assert done
    return bytes(data)


def simulate_delivered_picture(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the picture as subscribers receive it, log and policy alike: compressed once."""
    import cv2

    raw = cv2.imdecode(np.frombuffer(compress_to_jpeg(picture), np.uint8), cv2.IMREAD_COLOR)
    return np.ascontiguousarray(cv2.cvtColor(raw, cv2.COLOR_BGR2RGB))


def simulate_delivered_depth(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return depth as subscribers receive it: in whole millimetres."""
    return np.asarray(np.round(depth_m * MM_PER_M) / MM_PER_M, dtype=np.float32)

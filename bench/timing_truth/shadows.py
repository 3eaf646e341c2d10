"""Shadows: boxes slide along the light onto the ground, and their outlines are filled there."""

import numpy as np
from numpy.typing import NDArray

from bench.timing_truth.window import Window
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm import raster
from fieldloop.simulate.arm.boxes import Boxes

_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
FAR_PX = 20_000.0


def shadow_mask(
    boxes: Boxes, count: int, sun: Floats, camera: Pinhole, camera_from_base: Floats
) -> tuple[NDArray[np.uint8], Window]:
    """Return where the shadows of the first `count` boxes fall on the plane z = 0, and a window around them."""
    import cv2

    turned = boxes.frames[:count, :3, :3].swapaxes(-1, -2)
    corners = (_CORNERS * boxes.sizes[:count, None, :]) @ turned + boxes.frames[:count, None, :3, 3]
    fallen = corners - sun * (np.clip(corners[..., 2:], 0.0, None) / sun[2])
    seen = tf.transform_points(camera_from_base, fallen)
    seen = seen[seen[..., 2].min(axis=1) > raster.NEAR_M]
    mask = np.zeros((camera.height, camera.width), np.uint8)
    pixels = np.clip(camera.project(seen), -FAR_PX, FAR_PX)
    low, high = pixels.min(axis=1), pixels.max(axis=1)
    inside = (high >= 0).all(axis=1) & (low <= [camera.width, camera.height]).all(axis=1)
    if not inside.any():
        return mask, Window(0, 0, 0, 0)
    for points in np.round(pixels[inside] * (1 << raster.SUBPIXEL_BITS)).astype(np.int32):
        cv2.fillConvexPoly(mask, cv2.convexHull(points), 1, shift=raster.SUBPIXEL_BITS)
    left, upper = np.maximum(np.floor(low[inside].min(axis=0)).astype(int), 0).tolist()
    right, lower = (np.ceil(high[inside].max(axis=0)).astype(int) + 1).tolist()
    return mask, Window(upper, min(lower, camera.height), left, min(right, camera.width))

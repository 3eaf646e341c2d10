"""The rasteriser: boxes to pixels with a depth buffer, in NumPy and OpenCV."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.boxes import Boxes

NEAR_M = 0.05
"""Nothing nearer is drawn."""
SUBPIXEL_BITS = 4
FACE_BITS = 9
MAX_FACES = 1 << FACE_BITS
NEARNESS_SCALE = float(1 << 17)
"""Steps per 1/m: at one metre depth is kept to 8 µm, and at NEAR_M the key still fits 31 bits."""

# Corners of a unit box by sign, and the four corners of each face, in order round the face.
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_NORMALS = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """What each pixel sees, in one whole number: one over its depth in the upper bits, the face's number in the lower.

    The nearest face has the largest number, so that drawing is taking a maximum. A pixel that sees nothing is 0.
    """

    keys: NDArray[np.int32]

    def copy(self) -> "Buffer":
        """Return a buffer that may be drawn over."""
        return Buffer(self.keys.copy())

    @property
    def faces(self) -> NDArray[np.int32]:
        """The number of the face each pixel sees."""
        return self.keys & (MAX_FACES - 1)

    @property
    def nearness(self) -> NDArray[np.float32]:
        """One over the depth of each pixel (1/m; 0: nothing)."""
        return (self.keys >> FACE_BITS).astype(np.float32) / np.float32(NEARNESS_SCALE)


def blank(camera: Pinhole) -> Buffer:
    """Return a buffer that sees nothing yet."""
    return Buffer(np.zeros((camera.height, camera.width), np.int32))


def shades(boxes: Boxes, light_base: Floats, ambient: float) -> NDArray[np.float32]:
    """Return the colour of each face (boxes × 6 × 3, 0 to 1) under light from one direction and from all."""
    normals = np.einsum("kij,fj->kfi", boxes.frames[:, :3, :3], _NORMALS)
    lit = ambient + (1 - ambient) * np.clip(normals @ light_base, 0.0, None)
    return np.asarray(boxes.colours[:, None, :] * lit[..., None], dtype=np.float32)


def draw(into: Buffer, camera: Pinhole, camera_from_base: Floats, boxes: Boxes, first_face: int = 1) -> None:
    """Draw boxes over what the buffer holds, nearest wins; their faces are numbered from `first_face` on, six a box."""
    import cv2

    if first_face + 6 * len(boxes) > MAX_FACES:
        raise BadInput(f"A picture can hold {MAX_FACES // 6} boxes; this scene has {(first_face + 5) // 6 + len(boxes)}.")
    quads, planes, numbers = _facing(camera_from_base, boxes, first_face)
    outlines, bounds = _outlines(camera, quads)
    # On a plane n·X = d, one over depth is linear in the pixel: n·(K⁻¹ [u v 1]) / d.
    planes = planes * NEARNESS_SCALE
    slope_u, slope_v = planes[:, 0] / camera.fx, planes[:, 1] / camera.fy
    level = planes[:, 2] - slope_u * camera.cx - slope_v * camera.cy
    by_column = np.outer(slope_u, np.arange(camera.width)).astype(np.float32)
    by_row = (np.outer(slope_v, np.arange(camera.height)) + level[:, None]).astype(np.float32)
    peaks = (NEARNESS_SCALE / np.maximum(quads[..., 2].min(axis=-1), NEAR_M)).tolist()
    mask = np.zeros((camera.height, camera.width), np.int32)
    for i, (left, upper, right, lower) in enumerate(bounds):
        if right <= left or lower <= upper:
            continue
        cv2.fillConvexPoly(mask, outlines[i], -1, shift=SUBPIXEL_BITS)
        near = by_row[i, upper:lower, None] + by_column[i, left:right]
        np.clip(near, 0, peaks[i], out=near)  # a filled outline reaches half a pixel beyond its face
        keys = near.astype(np.int32)
        keys <<= FACE_BITS
        keys |= numbers[i]
        inside = mask[upper:lower, left:right]
        keys &= inside
        inside[:] = 0
        behind = into.keys[upper:lower, left:right]
        np.maximum(behind, keys, out=behind)


def _facing(camera_from_base: Floats, boxes: Boxes, first_face: int) -> tuple[Floats, Floats, list[int]]:
    """Return the faces turned towards the camera: corners (n × 4 × 3), planes n/d with n·X = d, and numbers."""
    frames = camera_from_base @ boxes.frames
    corners = (_SIGNS * boxes.sizes[:, None, :]) @ frames[:, :3, :3].swapaxes(-1, -2) + frames[:, None, :3, 3]
    normals = _NORMALS @ frames[:, :3, :3].swapaxes(-1, -2)
    quads = corners[:, _FACES]
    offsets = (normals * quads[:, :, 0]).sum(axis=-1)
    shown = (offsets < -1e-9) & (quads[..., 2].max(axis=-1) > NEAR_M)
    numbers = first_face + np.flatnonzero(shown)
    return quads[shown], normals[shown] / offsets[shown][:, None], numbers.tolist()


def _outlines(camera: Pinhole, quads: Floats) -> tuple[list[NDArray[np.int32]], list[list[int]]]:
    """Return the outline of each face in fractions of a pixel, and its bounds (left, upper, right, lower)."""
    whole = quads[..., 2].min(axis=-1) > NEAR_M
    pixels = camera.project(np.where(whole[:, None, None], quads, 1.0))
    outlines = list(np.round(pixels * (1 << SUBPIXEL_BITS)).astype(np.int32))
    low, high = np.floor(pixels.min(axis=1)), np.ceil(pixels.max(axis=1)) + 1
    for i in np.flatnonzero(~whole):
        cut = _clipped(camera, quads[i])
        outlines[i] = np.round(cut * (1 << SUBPIXEL_BITS)).astype(np.int32)
        low[i], high[i] = np.floor(cut.min(axis=0)), np.ceil(cut.max(axis=0)) + 1
    edge = [camera.width, camera.height]
    bounds = np.concatenate([np.clip(low, 0, edge), np.clip(high, 0, edge)], axis=1)
    return outlines, bounds.astype(int).tolist()


def _clipped(camera: Pinhole, quad: Floats) -> Floats:
    """Cut a face that reaches behind the camera at the near plane (Sutherland and Hodgman 1974)."""
    kept = []
    for here, there in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        if here[2] > NEAR_M:
            kept.append(here)
        if (here[2] > NEAR_M) != (there[2] > NEAR_M):
            kept.append(here + (there - here) * (NEAR_M - here[2]) / (there[2] - here[2]))
    return np.clip(camera.project(np.array(kept) + [0, 0, 1e-9]), -1e5, 1e5)

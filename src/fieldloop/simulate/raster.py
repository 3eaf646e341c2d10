"""The rasteriser: boxes to pixels with a depth buffer, in NumPy and OpenCV."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.boxes import Boxes

NEAR_M = 0.01
SUBPIXEL_BITS = 4
BACKGROUND = 0
"""The face id of pixels that see nothing."""

# Corners of a unit box by sign, and the four corners of each face, in order round the face.
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_NORMALS = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Buffers:
    """What each pixel sees: the number of a face (0: nothing) and one over its depth (1/m; 0: nothing)."""

    faces: NDArray[np.int32]
    nearness: NDArray[np.float32]

    def copy(self) -> "Buffers":
        """Return buffers that may be drawn over."""
        return Buffers(self.faces.copy(), self.nearness.copy())


def blank(camera: Pinhole) -> Buffers:
    """Return buffers that see nothing yet."""
    shape = (camera.height, camera.width)
    return Buffers(np.zeros(shape, np.int32), np.zeros(shape, np.float32))


def shades(boxes: Boxes, light_base: Floats, ambient: float) -> NDArray[np.float32]:
    """Return the colour of each face (boxes × 6 × 3, 0 to 1) under light from one direction and from all."""
    normals = np.einsum("kij,fj->kfi", boxes.frames[:, :3, :3], _NORMALS)
    lit = ambient + (1 - ambient) * np.clip(normals @ light_base, 0.0, None)
    return np.asarray(boxes.colours[:, None, :] * lit[..., None], dtype=np.float32)


def draw(into: Buffers, camera: Pinhole, camera_from_base: Floats, boxes: Boxes, first_face: int = 1) -> None:
    """Draw boxes over what the buffers hold, nearest wins; their faces are numbered from `first_face` on, six a box."""
    import cv2

    frames = camera_from_base @ boxes.frames
    corners = frames[:, None, :3, 3] + np.einsum("kij,kcj->kci", frames[:, :3, :3], _SIGNS * boxes.sizes[:, None, :])
    normals = np.einsum("kij,fj->kfi", frames[:, :3, :3], _NORMALS)
    quads = corners[:, _FACES]  # boxes × faces × 4 × 3
    offsets = np.einsum("kfi,kfi->kf", normals, quads[:, :, 0])
    shown = (offsets < -1e-9) & (quads[..., 2].max(axis=-1) > NEAR_M)
    which = np.argwhere(shown)
    quads, planes = quads[shown], normals[shown] / offsets[shown][:, None]
    # On a plane n·X = d, one over depth is linear in the pixel: n·(K⁻¹ [u v 1]) / d.
    slope_u, slope_v = planes[:, 0] / camera.fx, planes[:, 1] / camera.fy
    level = planes[:, 2] - slope_u * camera.cx - slope_v * camera.cy
    by_column = np.outer(slope_u, np.arange(camera.width)).astype(np.float32)
    by_row = (np.outer(slope_v, np.arange(camera.height)) + level[:, None]).astype(np.float32)
    peak = (1.0 / np.maximum(quads[..., 2].min(axis=-1), NEAR_M)).astype(np.float32)
    outlines, bounds = _outlines(camera, quads)
    numbers = (first_face + 6 * which[:, 0] + which[:, 1]).tolist()
    mask = np.zeros((camera.height, camera.width), np.uint8)
    seen = mask.view(bool)
    faces, nearness = into.faces, into.nearness
    for i, (left, upper, right, lower) in enumerate(bounds):
        if right <= left or lower <= upper:
            continue
        cv2.fillConvexPoly(mask, outlines[i], 1, shift=SUBPIXEL_BITS)
        near = by_row[i, upper:lower, None] + by_column[i, left:right]
        np.minimum(near, peak[i], out=near)  # a filled outline reaches half a pixel beyond its face
        behind = nearness[upper:lower, left:right]
        inside = seen[upper:lower, left:right] & (near > behind)
        np.copyto(behind, near, where=inside)
        np.copyto(faces[upper:lower, left:right], numbers[i], where=inside)
        mask[upper:lower, left:right] = 0


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

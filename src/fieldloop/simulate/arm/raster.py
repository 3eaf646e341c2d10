"""The rasteriser: faces of boxes to pixels with a depth buffer, in NumPy and OpenCV."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes

NEAR_M = 0.05
"""Nothing nearer is drawn."""
EDGE_ON = 1e-9
SUBPIXEL_BITS = 4
FACE_BITS = 9
MAX_FACES = 1 << FACE_BITS
NEARNESS_SCALE = float(1 << 17)
"""Steps per 1/m: at one metre depth is kept to 8 µm, and at NEAR_M the key still fits 31 bits."""

# Corners of a unit box by sign, the four corners of each face in order round it, and the faces' normals.
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
_NORMALS = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Faces in the base frame: corners (n × 4 × 3), outward normals, distance of their planes, colours (n × 3)."""

    corners: Floats
    normals: Floats
    levels: Floats
    colours: Floats

    def __len__(self) -> int:
        return len(self.levels)

    def __add__(self, other: "Mesh") -> "Mesh":
        return Mesh(
            np.concatenate([self.corners, other.corners]),
            np.concatenate([self.normals, other.normals]),
            np.concatenate([self.levels, other.levels]),
            np.concatenate([self.colours, other.colours]),
        )

    def compute_face_colours(self, light: Floats, ambient: float) -> NDArray[np.float32]:
        """Return the colour of each face (0 to 1) under light from one direction and from all."""
        lit = ambient + (1 - ambient) * np.clip(self.normals @ light, 0.0, None)
        return np.asarray(self.colours * lit[:, None], dtype=np.float32)


def make_mesh(boxes: Boxes) -> Mesh:
    """Return the faces of boxes, six a box."""
    turned = boxes.frames[:, :3, :3].swapaxes(-1, -2)
    corners = ((_SIGNS * boxes.sizes[:, None, :]) @ turned + boxes.frames[:, None, :3, 3])[:, _FACES].reshape(-1, 4, 3)
    normals = (_NORMALS @ turned).reshape(-1, 3)
    return Mesh(corners, normals, (normals * corners[:, 0]).sum(axis=1), np.repeat(boxes.colours, 6, axis=0))


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


def make_blank_buffer(camera: Pinhole) -> Buffer:
    """Return a buffer that sees nothing yet."""
    return Buffer(np.zeros((camera.height, camera.width), np.int32))


def draw_mesh(buffer: Buffer, camera: Pinhole, camera_from_base: Floats, mesh: Mesh, first_face: int = 1) -> None:
    """Draw faces over what the buffer holds, nearest wins; they are numbered from `first_face` on."""
    import cv2

    if first_face + len(mesh) > MAX_FACES:
        raise BadInput(f"A picture can hold {MAX_FACES // 6} boxes; this scene has {(first_face + len(mesh)) // 6}.")
    corners, planes, numbers = _select_faces_in_view(camera, camera_from_base, mesh, first_face)
    outlines, bounds = _project_outlines(camera, corners)
    by_row, by_column = _compute_key_slopes(camera, planes, numbers)
    peaks = NEARNESS_SCALE / np.maximum(corners[..., 2].min(axis=-1), NEAR_M)
    peak_keys = ((peaks.astype(np.int64) << FACE_BITS) + numbers).tolist()
    mask = np.zeros((camera.height, camera.width), np.int32)
    for i, (left, upper, right, lower) in enumerate(bounds):
        if right <= left or lower <= upper:
            continue
        cv2.fillConvexPoly(mask, outlines[i], -1, shift=SUBPIXEL_BITS)
        keys = by_row[i, upper:lower, None] + by_column[i, left:right]
        np.minimum(keys, peak_keys[i], out=keys)  # a filled outline reaches half a pixel beyond its face
        inside = mask[upper:lower, left:right]
        keys &= inside
        inside[:] = 0
        behind = buffer.keys[upper:lower, left:right]
        np.maximum(behind, keys, out=behind)


def _compute_key_slopes(
    camera: Pinhole, planes: Floats, numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the keys of each face as a sum of one part by row and one by column.

    On a plane n·X = d, one over depth is linear in the pixel: n·(K⁻¹ [u v 1]) / d. Both parts are whole multiples
    of the face bits, and the row part carries the number of the face, so that one addition makes the key.
    """
    slope_u, slope_v = planes[:, 0] / camera.fx * NEARNESS_SCALE, planes[:, 1] / camera.fy * NEARNESS_SCALE
    level = planes[:, 2] * NEARNESS_SCALE - slope_u * camera.cx - slope_v * camera.cy
    by_column = np.round(np.outer(slope_u, np.arange(camera.width))).astype(np.int64) << FACE_BITS
    by_row = np.round(np.outer(slope_v, np.arange(camera.height)) + level[:, None]).astype(np.int64) << FACE_BITS
    return (by_row + numbers[:, None]).astype(np.int32), by_column.astype(np.int32)  # parts may wrap, sums do not


def _select_faces_in_view(
    camera: Pinhole, camera_from_base: Floats, mesh: Mesh, first_face: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the faces turned towards the camera and in its view: corners, planes n/d with n·X = d, numbers."""
    turn, shift = camera_from_base[:3, :3], camera_from_base[:3, 3]
    offsets = mesh.levels + mesh.normals @ (turn.T @ shift)
    front = np.flatnonzero(offsets < -EDGE_ON)
    corners = mesh.corners[front] @ turn.T + shift
    seen = (corners[..., 2].max(axis=-1) > NEAR_M) & _are_faces_in_view(camera, corners)
    kept = front[seen]
    return corners[seen], (mesh.normals[kept] @ turn.T) / offsets[kept, None], first_face + kept


def _are_faces_in_view(camera: Pinhole, corners: Floats) -> NDArray[np.bool_]:
    """Which faces have a corner on the inner side of each edge of the field of view?"""
    x, y, z = corners[..., 0] * camera.fx, corners[..., 1] * camera.fy, corners[..., 2]
    left, right = x + (camera.cx + 1) * z, (camera.width - camera.cx) * z - x
    upper, lower = y + (camera.cy + 1) * z, (camera.height - camera.cy) * z - y
    return np.asarray(np.stack([left, right, upper, lower]).max(axis=-1).min(axis=0) > 0)


def _project_outlines(camera: Pinhole, corners: Floats) -> tuple[list[NDArray[np.int32]], list[list[int]]]:
    """Return the outline of each face in fractions of a pixel, and its bounds (left, upper, right, lower)."""
    whole = corners[..., 2].min(axis=-1) > NEAR_M
    pixels = camera.project(np.where(whole[:, None, None], corners, 1.0))  # the others are cut below
    outlines = list(np.round(pixels * (1 << SUBPIXEL_BITS)).astype(np.int32))
    low, high = np.floor(pixels.min(axis=1)), np.ceil(pixels.max(axis=1)) + 1
    for i in np.flatnonzero(~whole):
        cut = _clip_at_near_plane(camera, corners[i])
        outlines[i] = np.round(cut * (1 << SUBPIXEL_BITS)).astype(np.int32)
        low[i], high[i] = np.floor(cut.min(axis=0)), np.ceil(cut.max(axis=0)) + 1
    edge = [camera.width, camera.height]
    bounds = np.concatenate([np.clip(low, 0, edge), np.clip(high, 0, edge)], axis=1)
    return outlines, bounds.astype(int).tolist()


def _clip_at_near_plane(camera: Pinhole, quad: Floats) -> Floats:
    """Cut a face that reaches behind the camera at the near plane (Sutherland and Hodgman 1974)."""
    kept = []
    for here, there in zip(quad, quad[[1, 2, 3, 0]], strict=True):
        if here[2] > NEAR_M:
            kept.append(here)
        if (here[2] > NEAR_M) != (there[2] > NEAR_M):
            kept.append(here + (there - here) * (NEAR_M - here[2]) / (there[2] - here[2]))
    return np.clip(camera.project(np.array(kept)), -1e5, 1e5)

"""Textures: patterns printed on the faces of boxes, looked up by where on its face each pixel falls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.raster import FACE_BITS, NEARNESS_SCALE, Mesh

TILE = 256
PADDED = TILE + 2
"""A tile repeats; one pixel of its neighbour on each side keeps the interpolation seamless."""

JOINT_PX = 4
SLOPES = 9
"""How many numbers say where on a face a pixel falls."""


def _smooth(rng: np.random.Generator, cells: int) -> Floats:
    """Noise on a torus, `cells` to a side, between 0 and 1."""
    import cv2

    coarse = rng.random((cells, cells)).astype(np.float32)
    ring = np.pad(coarse, 2, mode="wrap")
    fine = cv2.resize(ring, None, fx=TILE / cells, fy=TILE / cells, interpolation=cv2.INTER_CUBIC)
    edge = 2 * TILE // cells
    return np.array(fine[edge : edge + TILE, edge : edge + TILE], dtype=np.float64)


def _cloud(rng: np.random.Generator) -> Floats:
    """Soft blotches of many sizes."""
    return 0.35 * _smooth(rng, 4) + 0.3 * _smooth(rng, 8) + 0.2 * _smooth(rng, 16) + 0.15 * _smooth(rng, 32)


def _patches(rng: np.random.Generator) -> Floats:
    """Squares of random grey, as on a patchwork."""
    return rng.random((8, 8)).repeat(TILE // 8, axis=0).repeat(TILE // 8, axis=1)


def _grain(rng: np.random.Generator) -> Floats:
    """Long wavy streaks, as in wood."""
    across = np.arange(TILE)[:, None] / TILE
    waves = 5 * across + 0.5 * _smooth(rng, 4)
    return 0.6 * (0.5 + 0.5 * np.sin(2 * np.pi * waves)) + 0.4 * _smooth(rng, 8)


def _spots(rng: np.random.Generator) -> Floats:
    """Round spots of differing size and grey, which may overlap."""
    v, u = np.mgrid[0:TILE, 0:TILE]
    sheet = np.full((TILE, TILE), 0.5)
    for x, y, radius, grey in rng.uniform([0, 0, 8, 0], [TILE, TILE, 24, 1], (40, 4)):
        away_u, away_v = (np.minimum(abs(a - c), TILE - abs(a - c)) for a, c in ((u, x), (v, y)))
        sheet = np.where(np.hypot(away_u, away_v) < radius, grey, sheet)
    return sheet


def _bricks(rng: np.random.Generator) -> Floats:
    """Courses of bricks, every second one shifted, each its own grey, with dark joints."""
    v, u = np.mgrid[0:TILE, 0:TILE]
    course = v // 32
    along = (u + 32 * (course % 2)) % TILE
    joint = np.minimum(v % 32, along % 64) < JOINT_PX
    return np.where(joint, 0.0, 0.4 + 0.6 * rng.random((8, 4))[course, along // 64])


PATTERNS: Mapping[str, Callable[[np.random.Generator], Floats]] = {
    "cloud": _cloud,
    "patches": _patches,
    "grain": _grain,
    "spots": _spots,
    "bricks": _bricks,
    "plain": lambda _rng: np.full((TILE, TILE), 0.5),
}


@dataclass(frozen=True, slots=True)
class Print:
    """A pattern by name, how wide one tile of it is (m), and how strongly it shows (0: not at all)."""

    pattern: str
    tile_m: float
    contrast: float


class Prints:
    """The patterns of one scene side by side in one sheet."""

    def __init__(self, prints: Sequence[Print], rng: np.random.Generator) -> None:
        """Draw the patterns; a face refers to one by its place in the list."""
        if unknown := [each.pattern for each in prints if each.pattern not in PATTERNS]:
            raise UnknownName("pattern", unknown[0], PATTERNS)
        sheets = [1 + each.contrast * (2 * PATTERNS[each.pattern](rng) - 1) for each in prints]
        self._sheet = np.concatenate([np.pad(sheet, 1, mode="wrap") for sheet in sheets], axis=1).astype(np.float32)
        self._per_m = np.array([TILE / each.tile_m for each in prints])

    def slopes(
        self, what: Mesh, which: NDArray[np.int64], pinhole: Pinhole, camera_from_base: Floats
    ) -> NDArray[np.float32]:
        """Return per face how the place on it follows from a pixel: s·nearness = a·u + b·v + c, for both sides.

        On the face's plane both 1/depth and place/depth are linear in the pixel. Rows: three for s, three for t,
        then the corner's s and t, and the offset of the pattern in the sheet.
        """
        turn, shift = camera_from_base[:3, :3], camera_from_base[:3, 3]
        corners = what.corners @ turn.T + shift
        sides = np.stack([corners[:, 1] - corners[:, 0], corners[:, 3] - corners[:, 0]], axis=1)
        sides *= (self._per_m[which][:, None] / np.maximum(np.linalg.norm(sides, axis=2), 1e-9))[..., None]
        level = sides[..., 2] - sides[..., 0] * pinhole.cx / pinhole.fx - sides[..., 1] * pinhole.cy / pinhole.fy
        linear = np.stack([sides[..., 0] / pinhole.fx, sides[..., 1] / pinhole.fy, level], axis=2).reshape(-1, 6)
        start = (sides * corners[:, :1]).sum(axis=2)
        table = np.concatenate([linear, start, PADDED * which[:, None].astype(float)], axis=1)
        return np.ascontiguousarray(table.T, dtype=np.float32)

    def look_up(
        self,
        slopes: NDArray[np.float32],
        faces: NDArray[np.intp],
        keys: NDArray[np.int32],
        u: NDArray[np.float32],
        v: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Return how bright the pattern is at pixels (u, v) that see these faces (from 1 on; 0 sees nothing)."""
        import cv2

        depth = np.float32(NEARNESS_SCALE) / np.maximum(keys >> FACE_BITS, 1).astype(np.float32)
        by_face = np.concatenate([np.zeros((len(slopes), 1), np.float32), slopes], axis=1)
        a, b, c, d, e, f, s_start, t_start, sheet = (column.take(faces, mode="clip") for column in by_face)
        s = _place(a, b, c, u, v, depth, s_start)
        t = _place(d, e, f, u, v, depth, t_start)
        s += sheet
        return np.asarray(cv2.remap(self._sheet, s, t, cv2.INTER_LINEAR), dtype=np.float32)


def _place(
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    c: NDArray[np.float32],
    u: NDArray[np.float32],
    v: NDArray[np.float32],
    depth: NDArray[np.float32],
    start: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return where in its padded tile each pixel falls along one side."""
    a *= u
    b *= v
    a += b
    a += c
    a *= depth
    a -= start
    a -= np.float32(TILE) * np.floor(a * np.float32(1 / TILE))
    a += np.float32(0.5)
    return a

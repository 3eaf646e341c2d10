"""Textures: patterns printed on the faces of boxes, looked up by where on its face each pixel falls."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.raster import NEARNESS_SCALE, Buffer, Mesh
from fieldloop.simulate.raster import FACE_BITS

TILE = 256
PADDED = TILE + 2
"""A tile repeats; one pixel of its neighbour on each side keeps the interpolation seamless."""


def _smooth(rng: np.random.Generator, cells: int) -> Floats:
    """Noise on a torus, `cells` to a side, between 0 and 1."""
    import cv2

    coarse = rng.random((cells, cells)).astype(np.float32)
    ring = np.pad(coarse, 2, mode="wrap")
    fine = cv2.resize(ring, None, fx=TILE / cells, fy=TILE / cells, interpolation=cv2.INTER_CUBIC)
    edge = 2 * TILE // cells
    return np.asarray(fine[edge : edge + TILE, edge : edge + TILE], dtype=float)


def _cloud(rng: np.random.Generator) -> Floats:
    return 0.45 * _smooth(rng, 4) + 0.35 * _smooth(rng, 8) + 0.2 * _smooth(rng, 16)


def _patches(rng: np.random.Generator) -> Floats:
    """Squares of random grey, as on a patchwork."""
    return np.kron(rng.random((8, 8)), np.ones((TILE // 8, TILE // 8)))


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
    joint = (v % 32 < 4) | (along % 64 < 4)
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

    def slopes(self, what: Mesh, which: NDArray[np.int64], pinhole: Pinhole, camera_from_base: Floats) -> Floats:
        """Return per face how the place on it follows from a pixel: s·nearness = a·u + b·v + c, for both sides.

        On the face's plane both 1/depth and place/depth are linear in the pixel. Columns: three for s, three for t,
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
        return np.asarray(table, dtype=np.float32)

    def look_up(self, slopes: Floats, keys: NDArray[np.int32], u: Floats, v: Floats) -> NDArray[np.float32]:
        """Return how bright the pattern is at pixels (u, v) that see faces (rows of `slopes`) at these keys' depths."""
        import cv2

        depth = np.float32(NEARNESS_SCALE) / np.maximum(keys >> FACE_BITS, 1).astype(np.float32)
        s = (slopes[..., 0] * u + slopes[..., 1] * v + slopes[..., 2]) * depth - slopes[..., 6]
        t = (slopes[..., 3] * u + slopes[..., 4] * v + slopes[..., 5]) * depth - slopes[..., 7]
        s -= TILE * np.floor(s * np.float32(1 / TILE))
        t -= TILE * np.floor(t * np.float32(1 / TILE))
        found = cv2.remap(self._sheet, s + 0.5 + slopes[..., 8], t + 0.5, cv2.INTER_LINEAR)
        return np.asarray(found, dtype=np.float32)

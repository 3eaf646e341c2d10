"""Lenses: where the ray of each delivered pixel lies in an ideal pinhole picture."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bench.timing_truth.window import Window
from fieldloop.errors import UnknownName
from fieldloop.geometry.camera import Pinhole
from fieldloop.geometry.transforms import Floats

UNDISTORT_STEPS = 20


@dataclass(frozen=True, slots=True)
class Lens:
    """A family of lenses and its parameters; the focal length is given in widths of the picture.

    `rectilinear` bends nothing. `brown` is Brown and Conrady's radial polynomial (k1, k2) on the pinhole's radius.
    `division` is Fitzgibbon's one-parameter model (λ). `equidistant` is the fisheye whose radius is the angle off axis.
    """

    family: str
    focal_widths: float
    bend: tuple[float, float] = (0.0, 0.0)

    def straight(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return the pinhole's (x/z, y/z) of what is seen at (x, y) of the picture, both in focal lengths."""
        if self.family not in FAMILIES:
            raise UnknownName("family of lenses", self.family, FAMILIES)
        radius = np.hypot(x, y)
        stretch = FAMILIES[self.family](radius, self.bend)
        return x * stretch, y * stretch


def _rectilinear(radius: Floats, _bend: tuple[float, float]) -> Floats:
    return np.ones_like(radius)


def _brown(radius: Floats, bend: tuple[float, float]) -> Floats:
    """Solve r (1 + k1 r² + k2 r⁴) = radius for r by Newton's steps."""
    first, second = bend
    ideal = radius.copy()
    for _ in range(UNDISTORT_STEPS):
        square = ideal * ideal
        error = ideal * (1 + square * (first + square * second)) - radius
        ideal = ideal - error / (1 + square * (3 * first + 5 * square * second))
    return _ratio(ideal, radius)


def _division(radius: Floats, bend: tuple[float, float]) -> Floats:
    return np.asarray(1 / (1 + bend[0] * radius**2))


def _equidistant(radius: Floats, _bend: tuple[float, float]) -> Floats:
    return _ratio(np.tan(radius), radius)


def _ratio(ideal: Floats, radius: Floats) -> Floats:
    return np.where(radius > 0, ideal / np.where(radius > 0, radius, 1.0), 1.0)


FAMILIES: Mapping[str, Callable[[Floats, tuple[float, float]], Floats]] = {
    "rectilinear": _rectilinear,
    "brown": _brown,
    "division": _division,
    "equidistant": _equidistant,
}


@dataclass(frozen=True, slots=True, eq=False)
class Optics:
    """A lens in front of a picture of one size: the pinhole to draw with, and where each pixel looks in its picture."""

    pinhole: Pinhole
    columns: NDArray[np.float32] = field(repr=False)
    rows: NDArray[np.float32] = field(repr=False)

    def seen(self, picture: NDArray[np.float32], corner: tuple[int, int], window: Window) -> NDArray[np.float32]:
        """Return a window of the delivered picture; `picture` holds the pinhole's from `corner` (row, column) on."""
        import cv2

        rows, columns = self.rows[window.slices], self.columns[window.slices]
        rows, columns = rows - np.float32(corner[0]), columns - np.float32(corner[1])
        return np.asarray(cv2.remap(picture, columns, rows, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.float32)

    def touched(self, changed: Window, upper: int, lower: int) -> Window:
        """Return which of the delivered rows `upper` to `lower` look at the inside of a window of the pinhole's."""
        if changed.empty:
            return changed
        rows, columns = self.rows[upper:lower], self.columns[upper:lower]
        across = (columns >= changed.left) & (columns <= changed.right - 1)
        return Window.of(across & (rows >= changed.upper) & (rows <= changed.lower - 1)).lower_by(upper)

    def band(self, upper: int, lower: int) -> tuple[int, int]:
        """Return the rows of the pinhole's picture that delivered rows `upper` to `lower` look at."""
        part = self.rows[upper:lower]
        first, last = int(np.floor(part.min())), int(np.ceil(part.max())) + 2
        return max(first, 0), min(last, self.pinhole.height)


def optics(lens: Lens, width: int, height: int, oversample: int) -> Optics:
    """Fit a pinhole picture around what a lens sees; oversampled twice, each pixel averages four of the pinhole's."""
    focal = lens.focal_widths * width
    u, v = np.meshgrid(np.arange(width, dtype=float), np.arange(height, dtype=float))
    x, y = lens.straight((u - (width - 1) / 2) / focal, (v - (height - 1) / 2) / focal)
    scale = focal * oversample
    half_wide, half_high = int(np.ceil(np.abs(x).max() * scale)) + 2, int(np.ceil(np.abs(y).max() * scale)) + 2
    pinhole = Pinhole(2 * half_wide, 2 * half_high, scale, scale, half_wide - 0.5, half_high - 0.5)
    return Optics(pinhole, (x * scale + pinhole.cx).astype(np.float32), (y * scale + pinhole.cy).astype(np.float32))

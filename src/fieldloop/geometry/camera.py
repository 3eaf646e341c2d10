"""The pinhole camera: from points in front of it to pixels, and back with a depth."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.geometry.transforms import Floats


@dataclass(frozen=True, slots=True)
class Pinhole:
    """Focal lengths and principal point in pixels; x right, y down, z forward. Pixel centres lie on whole numbers."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    @classmethod
    def from_field_of_view(cls, width: int, height: int, horizontal_rad: float) -> "Pinhole":
        """Make a camera with square pixels that looks through the middle of its picture.

        >>> Pinhole.from_field_of_view(160, 120, np.pi / 2).fx
        80.0
        """
        focal = width / (2 * float(np.tan(horizontal_rad / 2)))
        return cls(width, height, round(focal, 12), round(focal, 12), (width - 1) / 2, (height - 1) / 2)

    @property
    def matrix(self) -> Floats:
        """The 3×3 intrinsic matrix."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])

    def project(self, points_camera: ArrayLike) -> Floats:
        """Return pixels (u, v) of points in the camera's frame; NaN for those not in front of it.

        >>> Pinhole(160, 120, 100, 100, 80, 60).project([[0.1, 0.0, 1.0], [0.0, 0.0, -1.0]])
        array([[90., 60.],
               [nan, nan]])
        """
        points = np.asarray(points_camera, dtype=float)
        depth = np.where(points[..., 2] > 0, points[..., 2], np.nan)
        u = self.fx * points[..., 0] / depth + self.cx
        v = self.fy * points[..., 1] / depth + self.cy
        return np.stack([u, v], axis=-1)

    def back_project(self, pixels: ArrayLike, depth_m: ArrayLike) -> Floats:
        """Return the points in the camera's frame that are seen at these pixels, this far along its axis."""
        at, depth = np.asarray(pixels, dtype=float), np.asarray(depth_m, dtype=float)
        x = (at[..., 0] - self.cx) / self.fx * depth
        y = (at[..., 1] - self.cy) / self.fy * depth
        return np.stack([x, y, np.broadcast_to(depth, x.shape)], axis=-1)

    def sees(self, pixels: ArrayLike) -> NDArray[np.bool_]:
        """Which pixels lie inside the picture? NaN does not."""
        at = np.asarray(pixels, dtype=float)
        cell = np.floor(at + 0.5)  # a pixel reaches half a pixel to each side of its centre
        inside = (cell >= 0) & (cell < np.array([self.width, self.height]))
        return np.asarray(inside.all(axis=-1))

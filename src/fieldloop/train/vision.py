"""Image features of the learner: position, direction and height of the colourful item, and its surroundings.

The same steps are in the ONNX graph (`graph.py`); a parity test compares them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats

GRID = 4  # part of the reference policy: fields along each side of a picture
EXPOSED = 0.5
"""Pictures are scaled to this mean, as a camera's automatic exposure does."""
DARK = 0.02  # added to the mean, so that a black picture stays black
EMPTY = 1e-3  # keeps a division by zero apart where nothing is seen
FLAT = 1e-5  # keeps a division by zero apart where a shape has no extent
FAR_M = 1.0
"""What stands for depth where nothing came back."""
DEPTH_GAIN = 3.0
"""Makes a difference of ten centimetres count like a clear difference in colour."""


@dataclass(frozen=True, slots=True)
class Vision:
    """Sizes of the pictures, and how colourful a pixel must be to belong to the item."""

    picture: tuple[int, int]
    depth: tuple[int, int]
    threshold: float

    @property
    def pool(self) -> int:
        """How many picture pixels meet one depth pixel, along each side."""
        return self.picture[0] // self.depth[0]

    def __post_init__(self) -> None:
        high, wide = self.depth
        if self.picture != (high * self.pool, wide * self.pool) or not self.pool:
            raise BadInput(
                f"Pictures of {self.picture} pixels are not a whole multiple of depth images of {self.depth}."
            )
        if high % GRID or wide % GRID:
            raise BadInput(f"Depth images of {self.depth} pixels cannot be divided into {GRID} × {GRID} fields.")

    @property
    def columns(self) -> Floats:
        """Column coordinate of the pooled pixels, -1 to 1."""
        return np.linspace(-1, 1, self.depth[1])

    @property
    def rows(self) -> Floats:
        """Row coordinate of the pooled pixels, on the scale of the columns."""
        return np.linspace(-1, 1, self.depth[0]) * self.depth[0] / self.depth[1]


def extract_features(vision: Vision, pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return what describes the item (n × 10) and the scene (n × 64)."""
    count, (high, wide), pool = len(pictures), vision.depth, vision.pool
    x = pictures.reshape(count, high, pool, wide, pool, 3).mean(axis=(2, 4)) / 255
    x = x / (x.mean(axis=(1, 2, 3), keepdims=True) + DARK) * EXPOSED
    weight = np.maximum(x.max(axis=3) - x.min(axis=3) - vision.threshold, 0.0)
    lost = np.isnan(depths)
    depth = np.where(lost, FAR_M, depths.astype(float))
    return _item_features(vision, x, weight, depth, lost), _scene_features(x, depth)


def _item_features(vision: Vision, x: Floats, weight: Floats, depth: Floats, lost: NDArray[np.bool_]) -> Floats:
    mass = weight.sum(axis=(1, 2)) + EMPTY
    u, v = vision.columns[None, None, :], vision.rows[None, :, None]
    at_u, at_v = (weight * u).sum(axis=(1, 2)) / mass, (weight * v).sum(axis=(1, 2)) / mass
    off_u, off_v = u - at_u[:, None, None], v - at_v[:, None, None]
    uu, vv = (weight * off_u**2).sum(axis=(1, 2)) / mass, (weight * off_v**2).sum(axis=(1, 2)) / mass
    uv = (weight * off_u * off_v).sum(axis=(1, 2)) / mass
    extent = uu + vv + FLAT
    returned = np.where(lost, 0.0, weight)
    distance = (returned * depth).sum(axis=(1, 2)) / (returned.sum(axis=(1, 2)) + EMPTY)
    colour = (weight[..., None] * x).sum(axis=(1, 2)) / mass[:, None]
    shape = np.stack([at_u, at_v, (uu - vv) / extent, 2 * uv / extent, np.sqrt(extent), np.log(mass), distance], axis=1)
    return np.concatenate([shape, colour], axis=1)


def _scene_features(x: Floats, depth: Floats) -> Floats:
    count, high, wide = depth.shape
    colours = x.reshape(count, GRID, high // GRID, GRID, wide // GRID, 3).mean(axis=(2, 4))
    depths = depth.reshape(count, GRID, high // GRID, GRID, wide // GRID).mean(axis=(2, 4)) * DEPTH_GAIN
    # Colour planes first, as the graph pools them.
    return np.concatenate([np.moveaxis(colours, 3, 1).reshape(count, -1), depths.reshape(count, -1)], axis=1)

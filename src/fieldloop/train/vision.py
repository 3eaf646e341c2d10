"""Image features of the learner: place, direction, size and distance of the colourful item, and its surroundings.

Colours are balanced channel by channel, and saturation does not depend on brightness: neither the lamp's colour nor its
strength moves the item. Only the strongest spot in the place where items lie counts, so that other coloured things do
not pull at it. The same steps are in the ONNX graph (`graph.py`); a parity test compares them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats

GRID = 4  # part of the reference policy: fields along each side of a picture
EXPOSED = 0.5
"""Every colour channel is scaled to this mean, as a camera's automatic exposure and white balance do."""
DARK = 0.02  # added to the mean, so that a black picture stays black
DIM = 0.08  # added to the brightness of a pixel, so that the noise of a black one is not colour
EMPTY = 1e-3  # keeps a division by zero apart where nothing is seen
FLAT = 1e-5  # keeps a division by zero apart where a shape has no extent
FAR_M = 1.0
"""What stands for depth where nothing came back."""
DEPTH_GAIN, CHROMA_GAIN = 3.0, 4.0
"""Make a difference of ten centimetres, and of an eighth in chromaticity, count like a clear difference."""
SPOT, PATCH = 7, 3
"""Sides in pixels of the squares over which colour is averaged: about an item, and well inside one."""
SHARP = 16
"""Power that makes the strongest spot outweigh all others."""
REACH = 0.16
"""Radius around the spot, in half pictures, within which pixels can belong to the item."""
LOOKS = 2  # how often the window is centred on what it holds
FAINT, CLEAR = 0.3, 0.6
"""Pixels below the first share of the item's own saturation are not part of it, above the second they are."""
EDGE = 8  # power of the soft edge around the place where items lie
SALIENT = 11
"""Numbers that describe the item."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where items lie in the picture: centre and half size, in half pictures."""

    u: float = 0.0
    v: float = 0.0
    half_u: float = 8.0
    half_v: float = 8.0


@dataclass(frozen=True, slots=True)
class Vision:
    """Sizes of the pictures, how saturated a pixel must be to belong to the item, and where items lie."""

    picture: tuple[int, int]
    depth: tuple[int, int]
    threshold: float
    place: Place = Place()

    @property
    def picture_pixels_per_depth_pixel(self) -> int:
        """How many picture pixels meet one depth pixel, along each side."""
        return self.picture[0] // self.depth[0]

    def __post_init__(self) -> None:
        high, wide = self.depth
        if (
            self.picture != (high * self.picture_pixels_per_depth_pixel, wide * self.picture_pixels_per_depth_pixel)
            or not self.picture_pixels_per_depth_pixel
        ):
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

    @property
    def item_likelihood(self) -> Floats:
        """How likely each pooled pixel belongs to an item, by its place alone: 1 inside, falling at the edge."""
        u, v = (self.columns - self.place.u) / self.place.half_u, (self.rows - self.place.v) / self.place.half_v
        return np.asarray(np.exp(-0.5 * (u[None, :] ** EDGE + v[:, None] ** EDGE)))


def extract_features(vision: Vision, pictures: NDArray[np.uint8], depths: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return what describes the item (n × SALIENT) and the scene (n × 64)."""
    count, (high, wide), pool = len(pictures), vision.depth, vision.picture_pixels_per_depth_pixel
    x = pictures.reshape(count, high, pool, wide, pool, 3).mean(axis=(2, 4)) / 255
    x = x / (x.mean(axis=(1, 2), keepdims=True) + DARK) * EXPOSED
    bright = x.max(axis=3)
    vivid = np.maximum((bright - x.min(axis=3)) / (bright + DIM) - vision.threshold, 0.0) * vision.item_likelihood
    lost = np.isnan(depths)
    depth = np.where(lost, FAR_M, depths.astype(float))
    return _compute_item_features(vision, x, _compute_item_mask(vision, vivid), depth, lost), _compute_scene_features(
        x, depth
    )


def find_item_area(vision: Vision, pictures: NDArray[np.uint8], depths: NDArray[np.float32], margin: float) -> Place:
    """Return the place where items lay in these pictures, with a margin; a tenth on each side may be mistaken."""
    seen = extract_features(vision, pictures, depths)[0][:, :2]
    low, high = np.quantile(seen, 0.1, axis=0), np.quantile(seen, 0.9, axis=0)
    middle, half = (low + high) / 2, (high - low) / 2 / 0.8 + margin
    return Place(float(middle[0]), float(middle[1]), float(half[0]), float(half[1]))


def _compute_item_mask(vision: Vision, saturation: Floats) -> Floats:
    """Return how much of each pixel belongs to the item: the strongest spot, and what is as saturated around it."""
    u, v = vision.columns[None, None, :], vision.rows[None, :, None]
    spots, patches = _average_around_pixels(saturation, SPOT), _average_around_pixels(saturation, PATCH)
    share = (spots / (spots.max(axis=(1, 2), keepdims=True) + EMPTY**2)) ** SHARP
    at_u, at_v = _compute_weighted_centre(share, u, v)
    mask = share
    for _ in range(LOOKS):
        away = ((u - at_u) ** 2 + (v - at_v) ** 2) / REACH**2
        window = np.exp(-0.5 * away**2)
        own = (patches * window).max(axis=(1, 2), keepdims=True) + EMPTY
        mask = np.clip((saturation / own - FAINT) / (CLEAR - FAINT), 0.0, 1.0) * window
        at_u, at_v = _compute_weighted_centre(mask, u, v)
    return np.asarray(mask)


def _compute_weighted_centre(weight: Floats, u: Floats, v: Floats) -> tuple[Floats, Floats]:
    mass = weight.sum(axis=(1, 2), keepdims=True) + EMPTY
    return (weight * u).sum(axis=(1, 2), keepdims=True) / mass, (weight * v).sum(axis=(1, 2), keepdims=True) / mass


def _average_around_pixels(values: Floats, side: int) -> Floats:
    """Return the mean over the square around each pixel; outside the picture everything is 0."""
    edge = side // 2
    for axis in (1, 2):
        width = [(0, 0)] * 3
        width[axis] = (edge + 1, edge)
        total = np.pad(values, width).cumsum(axis=axis)
        size = values.shape[axis]
        values = np.take(total, range(side, side + size), axis) - np.take(total, range(size), axis)
    return values / side**2


def _compute_item_features(
    vision: Vision, pictures: Floats, weight: Floats, depth: Floats, missing_depth: NDArray[np.bool_]
) -> Floats:
    mass = weight.sum(axis=(1, 2)) + EMPTY
    u, v = vision.columns[None, None, :], vision.rows[None, :, None]
    at_u, at_v = (weight * u).sum(axis=(1, 2)) / mass, (weight * v).sum(axis=(1, 2)) / mass
    off_u, off_v = u - at_u[:, None, None], v - at_v[:, None, None]
    uu, vv = (weight * off_u**2).sum(axis=(1, 2)) / mass, (weight * off_v**2).sum(axis=(1, 2)) / mass
    uv = (weight * off_u * off_v).sum(axis=(1, 2)) / mass
    extent = uu + vv + FLAT
    slender = np.sqrt((uu - vv) ** 2 + 4 * uv**2)
    returned = np.where(missing_depth, 0.0, weight)
    distance = (returned * depth).sum(axis=(1, 2)) / (returned.sum(axis=(1, 2)) + EMPTY)
    colour = (weight[..., None] * pictures).sum(axis=(1, 2)) / mass[:, None]
    long, short = np.sqrt((extent + slender) / 2), np.sqrt(np.maximum(extent - slender, FLAT) / 2)
    shape = [at_u, at_v, (uu - vv) / extent, 2 * uv / extent, long, short, np.log(mass), distance]
    return np.concatenate([np.stack(shape, axis=1), colour / (colour.sum(axis=1, keepdims=True) + DIM)], axis=1)


def _compute_scene_features(pictures: Floats, depth: Floats) -> Floats:
    count, high, wide = depth.shape
    chroma = pictures / (pictures.sum(axis=3, keepdims=True) + DIM) * CHROMA_GAIN
    colours = chroma.reshape(count, GRID, high // GRID, GRID, wide // GRID, 3).mean(axis=(2, 4))
    depths = depth.reshape(count, GRID, high // GRID, GRID, wide // GRID).mean(axis=(2, 4)) * DEPTH_GAIN
    # Colour planes first, as the graph pools them.
    return np.concatenate([np.moveaxis(colours, 3, 1).reshape(count, -1), depths.reshape(count, -1)], axis=1)

"""Boxes: what the floor is made of, for the eye (any pose) and for contact (upright)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

Colour = tuple[float, float, float]
"""Red, green, blue albedo, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Solid:
    """An upright box that stands still: centre (m), turn about the vertical, full size (m), colour."""

    name: str
    centre: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw_rad: float = 0.0
    colour: Colour = (0.5, 0.5, 0.5)

    @property
    def top(self) -> float:
        """Height of its upper face."""
        return self.centre[2] + self.size[2] / 2


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Many boxes for the eye: `base_from_box` (k × 4 × 4), full sizes and colours (k × 3)."""

    frames: Floats
    sizes: Floats
    colours: Floats

    def __len__(self) -> int:
        return len(self.sizes)


def convert_to_boxes(solids: Sequence[Solid]) -> Boxes:
    """Turn solids into boxes for the eye."""
    turns = tf.make_rotation_about_axis("z", np.array([solid.yaw_rad for solid in solids]))
    frames = tf.make_transform(turns, np.array([solid.centre for solid in solids]))
    return Boxes(frames, np.array([solid.size for solid in solids]), np.array([solid.colour for solid in solids]))


def join_boxes(*parts: Boxes) -> Boxes:
    """Put several stacks into one."""
    return Boxes(
        np.concatenate([part.frames for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Uprights:
    """Upright boxes for contact: centres (… × 2), yaw, half sizes in the plane (… × 2), lower and upper heights."""

    centres: Floats
    yaws: Floats
    halves: Floats
    bottoms: Floats
    tops: Floats

    def insert_axis(self, axis: int) -> "Uprights":
        """Insert an axis, so that every box of one set meets every box of another."""
        at = axis if axis >= 0 else axis - 1  # pairs keep their own last axis
        return Uprights(
            np.expand_dims(self.centres, at),
            np.expand_dims(self.yaws, axis),
            np.expand_dims(self.halves, at),
            np.expand_dims(self.bottoms, axis),
            np.expand_dims(self.tops, axis),
        )


def convert_to_uprights(solids: Sequence[Solid]) -> Uprights:
    """Turn solids into boxes for contact."""
    centres, sizes = np.array([s.centre for s in solids]), np.array([s.size for s in solids])
    return Uprights(
        centres[:, :2],
        np.array([s.yaw_rad for s in solids]),
        sizes[:, :2] / 2,
        centres[:, 2] - sizes[:, 2] / 2,
        centres[:, 2] + sizes[:, 2] / 2,
    )


def compute_penetration(first: Uprights, second: Uprights) -> Floats:
    """Return how deep upright boxes overlap (m; negative: the gap between them), by separating axes.

    >>> a = convert_to_uprights([Solid("a", (0, 0, 0), (1, 1, 1))])
    >>> b = convert_to_uprights([Solid("b", (0.9, 0, 0), (1, 1, 1))])
    >>> compute_penetration(a, b).round(3)
    array([0.1])
    """
    between = second.centres - first.centres
    deepest = np.minimum(first.tops - second.bottoms, second.tops - first.bottoms)
    for mine, theirs in ((first, second), (second, first)):
        turn = theirs.yaws - mine.yaws
        cosine, sine = np.abs(np.cos(turn)), np.abs(np.sin(turn))
        for i, (c, s) in enumerate(((np.cos(mine.yaws), np.sin(mine.yaws)), (-np.sin(mine.yaws), np.cos(mine.yaws)))):
            apart = np.abs(between[..., 0] * c + between[..., 1] * s)
            reach = theirs.halves[..., i] * cosine + theirs.halves[..., 1 - i] * sine
            deepest = np.minimum(deepest, mine.halves[..., i] + reach - apart)
    return np.asarray(deepest)

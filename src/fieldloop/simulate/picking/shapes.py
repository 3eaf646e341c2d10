"""Rounded rectangles seen from above: where a point lies, and how far a shape reaches in a direction."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def turn_points(x: Array, y: Array, angle: Array) -> tuple[Array, Array]:
    """Turn points about the origin by an angle.

    >>> [round(float(v), 6) for v in turn_points(np.array(1.0), np.array(0.0), np.array(np.pi / 2))]
    [0.0, 1.0]
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return cosine * x - sine * y, sine * x + cosine * y


def compute_distance_outside(u: Array, v: Array, half_length: Array, half_width: Array, radius: Array) -> Array:
    """How far points in a shape's own axes lie outside it (negative inside), in metres.

    >>> float(compute_distance_outside(np.array(3.0), np.array(0.0), np.array(2.0), np.array(1.0), np.array(0.5)))
    1.0
    """
    over_u, over_v = np.abs(u) - (half_length - radius), np.abs(v) - (half_width - radius)
    corner = np.sqrt(np.maximum(over_u, 0) ** 2 + np.maximum(over_v, 0) ** 2)
    return np.asarray(corner + np.minimum(np.maximum(over_u, over_v), 0) - radius)


def compute_half_extent(angle: Array, half_length: Array, half_width: Array, radius: Array) -> Array:
    """Half the extent of a shape along a direction, given in the shape's own axes.

    >>> float(compute_half_extent(np.array(0.0), np.array(2.0), np.array(1.0), np.array(0.5)))
    2.0
    """
    return np.asarray(
        (half_length - radius) * np.abs(np.cos(angle)) + (half_width - radius) * np.abs(np.sin(angle)) + radius
    )


def fold_to_half_turn(angle: Array) -> Array:
    """Fold an angle into ±90°: half a turn of a parallel gripper changes nothing.

    >>> round(float(fold_to_half_turn(np.array(np.pi))), 6)
    0.0
    """
    return (angle + np.pi / 2) % np.pi - np.pi / 2

"""Orientations between two samples: which columns hold one, and how it is turned."""

import re

import numpy as np
from numpy.typing import NDArray

QUATERNION = ("qx", "qy", "qz", "qw")


def find_quaternion_columns(columns: tuple[str, ...]) -> list[int]:
    """Where do four columns in a row hold a turn? Poses of several hands have several."""
    ends = [re.split(r"[./_ ]", name)[-1] for name in columns]
    return [i for i in range(len(ends) - 3) if tuple(ends[i : i + 4]) == QUATERNION]


def slerp(start: NDArray[np.float64], end: NDArray[np.float64], fraction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the shorter way at a steady rate; a and -a are the same turn. Invalid rotations are held."""
    lengths = [np.linalg.norm(turn, axis=1, keepdims=True) for turn in (start, end)]
    is_turn = np.isfinite(lengths[0]) & np.isfinite(lengths[1]) & (lengths[0] > 0) & (lengths[1] > 0)
    first, last = (turn / np.where(is_turn, length, 1.0) for turn, length in zip((start, end), lengths, strict=True))
    dot = (first * last).sum(1, keepdims=True)
    last, dot = np.where(dot < 0, -last, last), np.abs(dot)
    angle = np.arccos(np.clip(dot, 0.0, 1.0))
    sine = np.sin(angle)
    small = sine < 1e-6  # noqa: PLR2004 - there the chord is the arc
    turned = np.where(
        small,
        first + (last - first) * fraction,
        (np.sin((1 - fraction) * angle) * first + np.sin(fraction * angle) * last) / np.where(small, 1.0, sine),
    )
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.asarray(np.where(is_turn, turned / np.where(length > 0, length, 1.0), start))

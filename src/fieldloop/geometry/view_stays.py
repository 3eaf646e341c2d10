"""Does a camera stand still while the robot moves? What a camera that rides on the robot sees changes everywhere.

Comparing two halves of an episode is not enough: the gripper in front of a wrist camera is still in both. So the
picture is cut into blocks, and most of them must agree.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry.transforms import Floats
from fieldloop.geometry.view_shift import BLOCKS, compute_local_contrast

MOSTLY = 0.5
"""Share of moments, and of a block, from which on it has contrast."""


def measure_view_similarity(frames: Sequence[NDArray[np.uint8]]) -> float:
    """Return how alike two moments are in the typical block: near 1 for a fixed camera, near 0 for a riding one.

    Frames are grey and of one size (H × W). NaN where no block has contrast, or there are fewer than two frames.

    >>> picture = np.random.default_rng(0).integers(0, 255, (60, 80)).astype(np.uint8)
    >>> round(measure_view_similarity([picture, picture, picture]), 2)
    1.0
    """
    if len(frames) <= 1:
        return float("nan")
    flat = [compute_local_contrast(frame.astype(np.float32)) for frame in frames]
    contrast = np.mean([rough for _, rough in flat], axis=0) >= MOSTLY
    alike = list(_correlate_blocks(np.stack([picture for picture, _ in flat]), contrast))
    return float(np.median(alike)) if alike else float("nan")


def _correlate_blocks(pictures: NDArray[np.float32], contrast: NDArray[np.bool_]) -> Iterator[float]:
    """Yield the median correlation between two moments, for each block with contrast."""
    edges = [np.linspace(0, side, parts + 1).astype(int) for side, parts in zip(contrast.shape, BLOCKS, strict=True)]
    pairs = np.triu_indices(len(pictures), 1)
    for top, bottom in zip(edges[0][:-1], edges[0][1:], strict=True):
        for left, right in zip(edges[1][:-1], edges[1][1:], strict=True):
            used = contrast[top:bottom, left:right]
            if used.mean() >= MOSTLY:
                yield float(np.median(_correlate_rows(pictures[:, top:bottom, left:right][:, used])[pairs]))


def _correlate_rows(rows: NDArray[np.float32]) -> Floats:
    centred = rows.astype(float) - rows.mean(axis=1, keepdims=True)
    unit = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    return np.asarray(unit @ unit.T)

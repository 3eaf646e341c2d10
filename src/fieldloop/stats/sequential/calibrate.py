"""Compute the heights of a boundary from its size: as low as they can be without exceeding α at any rate."""

from dataclasses import replace

import numpy as np

from fieldloop.stats.sequential.boundary import Boundary, Floats, Scenes
from fieldloop.stats.sequential.size import bound_size, compute_sizes

FIRST_HEIGHT, LOWEST, HIGHEST = 2.2, 1.3, 4.0
LEVELLINGS, HALVINGS = 25, 12
LOWERINGS, LOWERED_BY, TRIED = 4, 0.008, 3
GRID = 80
CELLS = 4000


def calibrate_boundary(scenes: Scenes, max_pairs: int, shape: float, alpha: float, at: tuple[float, ...]) -> Boundary:
    """Find the heights: first all at once, then each as low as the size allows, then raised until `bound_size` ≤ α."""
    boundary = Boundary(scenes, max_pairs, shape, at, (FIRST_HEIGHT,) * len(at))
    rates = _list_rates(boundary)
    boundary = _reduce_all_heights(_flatten_sizes(boundary, alpha), rates, alpha)
    for _ in range(LOWERINGS):  # a little each: one that is lowered far would leave its neighbours too high
        for place in range(len(boundary.at)):
            boundary = _reduce_one_height(boundary, place, rates, alpha)
    while bound_size(boundary, CELLS) > alpha:
        boundary = _scale_heights(boundary, 1.0005)
    return boundary


def _list_rates(boundary: Boundary) -> Floats:
    """Return rates at which the size is watched: spread by the arcsine, and at the heights."""
    end = np.pi / 4 if boundary.scenes is Scenes.UNPAIRED else np.pi / 2
    spread = np.sin(np.linspace(0.0, end, GRID + 1)[1:]) ** 2
    return np.unique(np.concatenate([spread, boundary.at]))


def _flatten_sizes(boundary: Boundary, alpha: float) -> Boundary:
    """Raise heights where the size is above α and lower them where it is below, in ever smaller steps."""
    at = np.array(boundary.at)
    for turn in range(LEVELLINGS):
        sizes = np.maximum(compute_sizes(boundary, at), 1e-4)
        moved = np.array(boundary.heights) + 0.25 * np.log(sizes / alpha) * min(1.0, 3 / (1 + 0.3 * turn))
        boundary = replace(boundary, heights=tuple(map(float, np.clip(moved, LOWEST, HIGHEST))))
    return boundary


def _reduce_all_heights(boundary: Boundary, rates: Floats, alpha: float) -> Boundary:
    low, high = 0.85, 1.15
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        holds = compute_sizes(_scale_heights(boundary, middle), rates).max() <= alpha
        low, high = (low, middle) if holds else (middle, high)
    return _scale_heights(boundary, high)


def _reduce_one_height(boundary: Boundary, place: int, rates: Floats, alpha: float) -> Boundary:
    high = boundary.heights[place]
    low = high - LOWERED_BY
    for _ in range(TRIED):
        middle = (low + high) / 2
        holds = compute_sizes(_replace_height(boundary, place, middle), rates).max() <= alpha
        low, high = (low, middle) if holds else (middle, high)
    return _replace_height(boundary, place, high)


def _replace_height(boundary: Boundary, place: int, height: float) -> Boundary:
    heights = list(boundary.heights)
    heights[place] = height
    return replace(boundary, heights=tuple(heights))


def _scale_heights(boundary: Boundary, factor: float) -> Boundary:
    return replace(boundary, heights=tuple(factor * height for height in boundary.heights))

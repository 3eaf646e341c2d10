"""The flat patches of a depth cloud: position, normal and noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats

NEIGHBOURS = 24  # points of a patch: a normal known to a fifth of the noise, on a patch still small
MOST_POINTS = 20_000
"""More points do not improve the fit, but slow the search."""
FLAT = 0.05
"""Variance across a patch relative to that along it; an edge or a corner has more, and no single normal."""
AXES = 3  # of space


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Flat patches of a cloud: middle, normal, radius (m) and how uncertain each normal is (rad, one deviation)."""

    middles: Floats
    normals: Floats
    radii: Floats
    normal_noise: Floats
    noise_m: float
    """Of a single point, across the surface: the median patch's."""


def select_finite_points(cloud: ArrayLike, name: str) -> Floats:
    """Return the finite points of a cloud (… × 3), evenly thinned where there are very many."""
    points = np.asarray(cloud, dtype=float)
    if points.ndim < 2 or points.shape[-1] != AXES:  # noqa: PLR2004  rows of points, or a picture of them
        raise BadInput(f"The {name} cloud must be … × 3 points in metres; got {points.shape}.")
    rows = points.reshape(-1, AXES)
    rows = rows[np.isfinite(rows).all(axis=1) & (np.abs(rows).max(axis=1, initial=0.0) > 0)]  # zero: nothing came back
    kept = np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).astype(int)
    return np.asarray(rows[kept])


def fit_surface(points: Floats) -> Surface | None:
    """Lay a plane through the neighbours of every point, and keep those that are flat; None where there are none."""
    if len(points) <= NEIGHBOURS:
        return None
    _, near = build_search_tree(points).query(points, k=NEIGHBOURS)
    patches = points[near]
    middles = patches.mean(axis=1)
    apart = patches - middles[:, None]
    variances, axes = np.linalg.eigh(np.einsum("nki,nkj->nij", apart, apart) / (NEIGHBOURS - AXES))
    flat = _find_flat_patches(variances)
    if not flat.any():
        return None
    across, along = variances[flat, 0], variances[flat, 1]
    return Surface(
        middles=middles[flat],
        normals=axes[flat, :, 0],
        radii=np.sqrt(variances[flat, 1] + variances[flat, 2]),
        normal_noise=np.sqrt(np.maximum(across, 0) / (along * NEIGHBOURS)),
        noise_m=float(np.sqrt(np.median(np.maximum(across, 0)))),
    )


def build_search_tree(points: Floats) -> Any:
    """Return a search tree over points."""
    from scipy.spatial import cKDTree

    return cKDTree(points)


def _find_flat_patches(variances: Floats) -> NDArray[np.bool_]:
    """Which patches spread along two axes and hardly along the third?"""
    return np.asarray((variances[:, 0] < FLAT * variances[:, 1]) & (variances[:, 1] > FLAT * variances[:, 2]))

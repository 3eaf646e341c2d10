"""The rigid transform that lays one set of points best over another."""

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.errors import BadInput
from fieldloop.geometry.transforms import Floats, make_transform, transform_points

MIN_POINTS = 3
COLLINEAR = 1e-9


def fit_rigid_transform(points_a: ArrayLike, points_b: ArrayLike) -> Floats:
    """Return the 4×4 `a_from_b` with the least squared distance between `points_a` and the moved `points_b`.

    Kabsch 1976, by the singular values of the cross-covariance; never a reflection. The same physical points in the
    same order, at least three that are not on one line.

    >>> b = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> fit_rigid_transform(b + [1, 2, 3], b)[:3, 3].round(6)
    array([1., 2., 3.])
    """
    a, b = _check_points(points_a, points_b)
    centre_a, centre_b = a.mean(axis=0), b.mean(axis=0)
    u, _, vt = np.linalg.svd((a - centre_a).T @ (b - centre_b))
    mirror = np.diag([1.0, 1.0, np.linalg.det(u @ vt)])
    turn = u @ mirror @ vt
    return make_transform(turn, centre_a - turn @ centre_b)


def measure_point_distances(a_from_b: Floats, points_a: ArrayLike, points_b: ArrayLike) -> Floats:
    """Return how far each moved point of b lies from its partner in a."""
    return np.asarray(np.linalg.norm(np.asarray(points_a, dtype=float) - transform_points(a_from_b, points_b), axis=-1))


def _check_points(points_a: ArrayLike, points_b: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.atleast_1d(np.asarray(points_a, dtype=float)), np.atleast_1d(np.asarray(points_b, dtype=float))
    if a.shape != b.shape or a.shape != (len(a), 3):
        raise BadInput(f"A rigid fit needs two n × 3 arrays of the same points; got {a.shape} and {b.shape}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise BadInput("A rigid fit needs finite points; leave out points that were not seen.")
    if len(a) < MIN_POINTS:
        raise BadInput(f"A rigid fit needs at least {MIN_POINTS} points; got {len(a)}.")
    for points in (a, b):
        spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        if spread[1] <= COLLINEAR * max(spread[0], 1.0):
            raise BadInput(
                "A rigid fit needs points that are not on one line; otherwise the rotation about that line is unknown."
            )
    return a, b

"""Rigid motions as a space: skew matrices, means, steps along a motion, and how certain a length is."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats


def make_skew_matrix(vector: ArrayLike) -> Floats:
    """Return the matrix that takes the cross product with a vector from the left.

    >>> make_skew_matrix([0, 0, 1]) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    v = np.asarray(vector, dtype=float)
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    o = np.zeros_like(x)
    return np.stack([np.stack(row, -1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], -2)


def find_nearest_rotation(matrix: ArrayLike) -> Floats:
    """Return the rotation closest to a 3×3 matrix, one or many; never a reflection."""
    u, _, vt = np.linalg.svd(np.asarray(matrix, dtype=float))
    sign = np.linalg.det(u @ vt)
    u = u.copy()
    u[..., :, 2] *= sign[..., None] if u.ndim > 2 else sign  # noqa: PLR2004  a stack of matrices
    return np.asarray(u @ vt)


def average_transforms(transforms: Floats, weights: ArrayLike | None = None) -> Floats:
    """Return the mean of transforms: the chordal mean of the rotations and the mean of the origins."""
    w = np.ones(len(transforms)) if weights is None else np.asarray(weights, dtype=float)
    w = w / w.sum()
    turn = find_nearest_rotation(np.einsum("n,nij->ij", w, transforms[:, :3, :3]))
    return tf.make_transform(turn, w @ transforms[:, :3, 3])


def apply_small_motion(transforms: Floats, step: ArrayLike) -> Floats:
    """Go on from a transform by a small step in its own frame: rotation vector (rad), then shift (m)."""
    twist = np.asarray(step, dtype=float)
    return transforms @ tf.make_transform(tf.rotation_from_vector(twist[..., :3]), twist[..., 3:])


def is_rigid(matrices: Floats, tolerance: float) -> NDArray[np.bool_]:
    """Which 4×4 matrices are rigid motions, right-handed, to within a tolerance? NaN is not."""
    turn = matrices[..., :3, :3]
    off = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-2, -1))
    last = np.abs(matrices[..., 3, :] - np.array([0, 0, 0, 1.0])).max(axis=-1)
    finite = np.isfinite(matrices).all(axis=(-2, -1))
    with np.errstate(invalid="ignore"):
        return np.asarray(finite & (off <= tolerance) & (last <= tolerance) & (np.linalg.det(turn) > 0))


def bound_vector_length(covariance: Floats, degrees_of_freedom: float, confidence: float) -> float:
    """Bound the length of a vector of this estimated covariance, by Satterthwaite's approximation.

    `degrees_of_freedom` is the number of degrees of freedom behind the estimate; infinity where it is known.

    >>> round(bound_vector_length(np.eye(3), math.inf, 0.95), 2)
    2.8
    """
    from scipy.special import chdtri, fdtri

    size = float(np.trace(covariance))
    if size <= 0.0 or not math.isfinite(size):
        return 0.0 if size == 0.0 else math.inf
    axes = size**2 / float(np.sum(covariance**2))  # how many axes share the error evenly
    if math.isinf(degrees_of_freedom):
        return math.sqrt(size / axes * float(chdtri(axes, 1.0 - confidence)))
    if degrees_of_freedom <= 0:
        return math.inf
    return math.sqrt(size * float(fdtri(axes, degrees_of_freedom, confidence)))

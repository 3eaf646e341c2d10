"""4×4 transforms, quaternions (xyzw) and rotation vectors, one or many at a time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

TINY = 1e-12


def make_transform(rotation: ArrayLike, translation: ArrayLike) -> Floats:
    """Build `a_from_b` from the rotation and the origin of b, both seen in a.

    >>> make_transform(np.eye(3), [1, 2, 3])[:3, 3]
    array([1., 2., 3.])
    """
    turn, shift = np.asarray(rotation, dtype=float), np.asarray(translation, dtype=float)
    lead = np.broadcast_shapes(turn.shape[:-2], shift.shape[:-1])
    matrix = np.zeros((*lead, 4, 4))
    matrix[..., :3, :3] = turn
    matrix[..., :3, 3] = shift
    matrix[..., 3, 3] = 1.0
    return matrix


def invert_transform(a_from_b: Floats) -> Floats:
    """Return `b_from_a`, by the transpose: exact for rigid transforms."""
    back = np.swapaxes(a_from_b[..., :3, :3], -1, -2)
    return make_transform(back, -(back @ a_from_b[..., :3, 3:])[..., 0])


def transform_points(a_from_b: Floats, points_b: ArrayLike) -> Floats:
    """Take points (… × n × 3, or one point) of frame b to frame a.

    >>> transform_points(make_transform(make_rotation_about_axis("z", np.pi / 2), [0, 0, 1]), [1, 0, 0]).round(6)
    array([0., 1., 1.])
    """
    points = np.asarray(points_b, dtype=float)
    if points.ndim == 1:
        return np.asarray(a_from_b[..., :3, :3] @ points + a_from_b[..., :3, 3])
    return np.asarray(points @ np.swapaxes(a_from_b[..., :3, :3], -1, -2) + a_from_b[..., None, :3, 3])


def make_rotation_about_axis(axis: str, angle_rad: ArrayLike) -> Floats:
    """Rotate about one axis of the frame, `x`, `y` or `z`."""
    angle = np.asarray(angle_rad, dtype=float)
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    turn = np.zeros((*angle.shape, 3, 3))
    turn[..., 3 - first - second, 3 - first - second] = 1.0
    turn[..., first, first] = turn[..., second, second] = np.cos(angle)
    turn[..., second, first] = np.sin(angle)
    turn[..., first, second] = -np.sin(angle)
    return turn


def rotation_from_quaternion(xyzw: ArrayLike) -> Floats:
    """Turn quaternions into rotations; they are normalised first."""
    quaternion = np.asarray(xyzw, dtype=float)
    x, y, z, w = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_from_rotation(rotation: ArrayLike) -> Floats:
    """Turn rotations into unit quaternions with w ≥ 0.

    >>> quaternion_from_rotation(make_rotation_about_axis("z", np.pi / 2)).round(4)
    array([0.    , 0.    , 0.7071, 0.7071])
    """
    turn = np.asarray(rotation, dtype=float)
    m = {(i, j): turn[..., i, j] for i in range(3) for j in range(3)}
    # Four times the outer product of the quaternion with itself: its largest row is never near zero.
    outer = np.stack(
        [
            np.stack([1 + m[0, 0] - m[1, 1] - m[2, 2], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]], -1),
            np.stack([m[0, 1] + m[1, 0], 1 - m[0, 0] + m[1, 1] - m[2, 2], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]], -1),
            np.stack([m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - m[0, 0] - m[1, 1] + m[2, 2], m[1, 0] - m[0, 1]], -1),
            np.stack([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + m[0, 0] + m[1, 1] + m[2, 2]], -1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    quaternion = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    quaternion = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
    return np.asarray(np.where(quaternion[..., 3:] < 0, -quaternion, quaternion))


def rotation_from_vector(vector: ArrayLike) -> Floats:
    """Turn rotation vectors (axis × angle) into rotations."""
    v = np.asarray(vector, dtype=float)
    half = np.linalg.norm(v, axis=-1, keepdims=True) / 2
    return rotation_from_quaternion(np.concatenate([v / 2 * np.sinc(half / np.pi), np.cos(half)], axis=-1))


def vector_from_rotation(rotation: ArrayLike) -> Floats:
    """Turn rotations into rotation vectors, the angle between 0 and π.

    >>> vector_from_rotation(rotation_from_vector([0.1, -0.2, 0.3])).round(6)
    array([ 0.1, -0.2,  0.3])
    """
    quaternion = quaternion_from_rotation(rotation)
    sine = np.linalg.norm(quaternion[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, quaternion[..., 3:])
    return np.asarray(quaternion[..., :3] * np.where(sine > TINY, angle / np.maximum(sine, TINY), 2.0))


def angle_between(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return the angle in radians by which two rotations differ."""
    between = np.swapaxes(np.asarray(first, dtype=float), -1, -2) @ np.asarray(second, dtype=float)
    return np.asarray(np.linalg.norm(vector_from_rotation(between), axis=-1))


def pose_from_matrix(a_from_b: Floats) -> Floats:
    """Write transforms as `x y z qx qy qz qw`."""
    quaternion = quaternion_from_rotation(a_from_b[..., :3, :3])
    return np.concatenate([a_from_b[..., :3, 3], quaternion], axis=-1)


def matrix_from_pose(pose: ArrayLike) -> Floats:
    """Read `x y z qx qy qz qw` back.

    >>> matrix_from_pose([1, 2, 3, 0, 0, 0, 1])[:3, 3]
    array([1., 2., 3.])
    """
    values = np.asarray(pose, dtype=float)
    return make_transform(rotation_from_quaternion(values[..., 3:7]), values[..., :3])

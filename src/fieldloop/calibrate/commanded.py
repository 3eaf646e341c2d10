"""The final test of a calibration: points that the camera saw, commanded and touched."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol

POINTS = (2, 3)  # dimensions of an array of points, and of a point


@dataclass(frozen=True, slots=True)
class Commanded:
    """Distance of touched points from where the calibration puts them: root mean square, worst, each (mm)."""

    off_mm: float | None
    worst_mm: float | None
    each_mm: tuple[float, ...]
    status: Status


def compare_commanded_points(
    calibration: Calibration,
    points_camera: ArrayLike,
    touched_base: ArrayLike,
    protocol: CollectionProtocol,
    *,
    base_from_mount: ArrayLike | None = None,
) -> Commanded:
    """Compare n points (m) seen by the camera with the position of the tool tip in the base frame at contact.

    `base_from_mount` (n × 4 × 4) is where the gripper was when the picture was taken, for a camera on the wrist.
    """
    seen, touched = np.asarray(points_camera, dtype=float), np.asarray(touched_base, dtype=float)
    if seen.shape != touched.shape or seen.ndim != POINTS[0] or seen.shape[1] != POINTS[1]:
        raise BadInput(
            "A test by touch needs the seen and the touched points as two n × 3 arrays; "
            f"got {seen.shape}, {touched.shape}."
        )
    mount = np.eye(4) if base_from_mount is None else np.asarray(base_from_mount, dtype=float)
    base_from_camera = mount @ np.asarray(calibration.parent_from_child, dtype=float)
    placed = (
        tf.transform_points(base_from_camera, seen)
        if mount.ndim == POINTS[0]
        else _transform_each_point(base_from_camera, seen)
    )
    off = 1e3 * np.linalg.norm(placed - touched, axis=-1)
    off = off[np.isfinite(off)]
    if not len(off):
        return Commanded(None, None, (), Status.CANNOT_TELL)
    size = math.sqrt(float(np.mean(off**2)))
    good = size <= float(protocol.setting("calibration.hand_eye_max_mm"))
    return Commanded(size, float(off.max()), tuple(map(float, off)), Status.PASSED if good else Status.FAILED)


def _transform_each_point(base_from_camera: tf.Floats, points: tf.Floats) -> tf.Floats:
    return np.asarray(tf.transform_points(base_from_camera, points[:, None, :])[:, 0])

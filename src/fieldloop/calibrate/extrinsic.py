"""A camera's pose from points it sees that are known in the base frame, with the error on held-out points."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.errors import BadInput
from fieldloop.geometry import rigid
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import bound_vector_length, make_skew_matrix
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol

KIND = "extrinsic"
METHOD = "rigid fit, leave-one-out"
AXES = 3  # of space
SPENT = 2
"""Of each axis of the points, by six unknowns on three axes."""


def fit_extrinsic(
    points_camera: ArrayLike,
    points_base: ArrayLike,
    protocol: CollectionProtocol,
    *,
    calibration_id: str,
    robot: str,
    sensor: str,
    valid_from_ns: int,
    parent: str = "base",
) -> Calibration:
    """Fit `base_from_camera` to n × 3 points (m) in both frames and judge it on points it was not fitted to.

    `residual_mm` is the root mean square distance of each point from a fit to all others: the error to expect of a new
    point; points have no rotation. The uncertainties bound the camera's pose: at the protocol's confidence the true one
    lies within. Points that were not seen (NaN) are left out; too few, or all on one line, cannot tell.
    """
    camera, base = _select_finite_pairs(points_camera, points_base)
    needed = max(int(protocol.setting("calibration.extrinsic_min_points")), rigid.MIN_POINTS + 1)
    base_from_camera = rigid.fit_rigid_transform(base, camera)
    status, off_mm, unsure_mm, unsure_deg, covariance = Status.CANNOT_TELL, None, None, None, None
    if len(camera) >= needed and (distances_m := _measure_held_out_errors(camera, base)) is not None:
        off_mm = 1e3 * math.sqrt(float(np.mean(np.square(distances_m))))
        confidence = float(protocol.setting("calibration.confidence"))
        covariance, freedom = _estimate_covariance(camera, base, base_from_camera), len(camera) - SPENT
        unsure_deg = math.degrees(bound_vector_length(covariance[:AXES, :AXES], freedom, confidence))
        unsure_mm = 1e3 * bound_vector_length(covariance[AXES:, AXES:], freedom, confidence)
        good = off_mm <= float(protocol.setting("calibration.hand_eye_max_mm")) and unsure_deg <= float(
            protocol.setting("calibration.hand_eye_max_deg")
        )
        status = Status.PASSED if good else Status.FAILED
    return Calibration(
        id=calibration_id,
        kind=KIND,
        robot=robot,
        sensor=sensor,
        parent=parent,
        child=sensor,
        parent_from_child=_convert_to_rows(base_from_camera),
        method=METHOD,
        residual_mm=off_mm,
        residual_deg=None,
        points=len(camera),
        status=status,
        valid_from_ns=valid_from_ns,
        uncertainty_mm=unsure_mm,
        uncertainty_deg=unsure_deg,
        covariance=None if covariance is None else _convert_to_rows(covariance),
    )


def _select_finite_pairs(points_camera: ArrayLike, points_base: ArrayLike) -> tuple[Floats, Floats]:
    camera, base = np.asarray(points_camera, dtype=float), np.asarray(points_base, dtype=float)
    if camera.shape != base.shape or camera.ndim != 2 or camera.shape[1] != AXES:  # noqa: PLR2004  rows of points
        raise BadInput(f"A calibration needs two n × 3 arrays of the same points; got {camera.shape} and {base.shape}.")
    seen = np.isfinite(camera).all(axis=1) & np.isfinite(base).all(axis=1)
    if seen.sum() < rigid.MIN_POINTS:
        raise BadInput(f"Only {int(seen.sum())} of {len(seen)} points were seen in both frames; a pose needs three.")
    return camera[seen], base[seen]


def _measure_held_out_errors(camera: Floats, base: Floats) -> Floats | None:
    """Fit without each point in turn, and return its distance (m) from that fit."""
    distances = []
    for n in range(len(camera)):
        kept = np.arange(len(camera)) != n
        try:
            fitted = rigid.fit_rigid_transform(base[kept], camera[kept])
        except BadInput:
            return None  # without this point the others lie on a line: its error cannot be measured
        distances.append(float(rigid.measure_point_distances(fitted, base[n : n + 1], camera[n : n + 1])[0]))
    return np.array(distances)


def _estimate_covariance(camera: Floats, base: Floats, base_from_camera: Floats) -> Floats:
    """Return the covariance of the fit's error as a step in the camera's frame: three turns (rad), three shifts (m).

    The noise of a point is estimated from the residuals for each axis: depth is measured worse than the sides.
    """
    left = camera - tf.transform_points(tf.invert_transform(base_from_camera), base)
    noise = left.T @ left / (len(left) - SPENT)
    slopes = np.concatenate(
        [-make_skew_matrix(camera), np.broadcast_to(np.eye(AXES), (len(left), AXES, AXES))], axis=-1
    )
    back = np.linalg.inv(np.einsum("nki,nkj->ij", slopes, slopes))
    return np.asarray(back @ np.einsum("nki,kl,nlj->ij", slopes, noise, slopes) @ back)


def _convert_to_rows(matrix: Floats) -> Matrix:
    return tuple(tuple(map(float, row)) for row in matrix)

"""Where does a camera stand? From points seen by it and known in the base frame, with the error on points left out."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.errors import BadInput
from fieldloop.geometry import rigid
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import length_bound
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.finding import Status
from fieldloop.protocol import CollectionProtocol

KIND = "extrinsic"
METHOD = "rigid fit, leave-one-out"
AXES = 3


def extrinsic(
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

    `residual_mm` is the root mean square distance of each point from a fit to all others: what a new point would show;
    points have no turn. The uncertainties bound the camera's pose: at the protocol's confidence the true one lies
    within, by the jackknife. Points that were not seen (NaN) are left out; too few, or all on one line, cannot tell.
    """
    camera, base = _pairs(points_camera, points_base)
    needed = max(int(protocol.setting("calibration.extrinsic_min_points")), rigid.MIN_POINTS + 1)
    base_from_camera = rigid.fit(base, camera)
    status, off_mm, unsure_mm, unsure_deg, covariance = Status.CANNOT_TELL, None, None, None, None
    if len(camera) >= needed and (held_out := _held_out(camera, base, base_from_camera)) is not None:
        distances_m, steps = held_out
        off_mm = 1e3 * math.sqrt(float(np.mean(np.square(distances_m))))
        confidence = float(protocol.setting("calibration.confidence"))
        covariance = _jackknife(steps)
        unsure_deg = math.degrees(length_bound(covariance[:AXES, :AXES], len(camera) - AXES, confidence))
        unsure_mm = 1e3 * length_bound(covariance[AXES:, AXES:], len(camera) - AXES, confidence)
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
        parent_from_child=_rows(base_from_camera),
        method=METHOD,
        residual_mm=off_mm,
        residual_deg=None,
        points=len(camera),
        status=status,
        valid_from_ns=valid_from_ns,
        uncertainty_mm=unsure_mm,
        uncertainty_deg=unsure_deg,
        covariance=None if covariance is None else _rows(covariance),
    )


def _pairs(points_camera: ArrayLike, points_base: ArrayLike) -> tuple[Floats, Floats]:
    camera, base = np.asarray(points_camera, dtype=float), np.asarray(points_base, dtype=float)
    if camera.shape != base.shape or camera.ndim != 2 or camera.shape[1] != AXES:  # noqa: PLR2004  rows of points
        raise BadInput(f"A calibration needs two n × 3 arrays of the same points; got {camera.shape} and {base.shape}.")
    seen = np.isfinite(camera).all(axis=1) & np.isfinite(base).all(axis=1)
    if seen.sum() < rigid.MIN_POINTS:
        raise BadInput(f"Only {int(seen.sum())} of {len(seen)} points were seen in both frames; three fix a pose.")
    return camera[seen], base[seen]


def _held_out(camera: Floats, base: Floats, base_from_camera: Floats) -> tuple[Floats, Floats] | None:
    """Fit without each point in turn: its distance from that fit (m), and that fit's step from the whole one.

    A step is in the camera's own frame: three turns (rad), three shifts (m).
    """
    distances, steps = [], []
    for n in range(len(camera)):
        kept = np.arange(len(camera)) != n
        try:
            fitted = rigid.fit(base[kept], camera[kept])
        except BadInput:
            return None  # one point alone keeps the others off a line: its own error cannot be told
        distances.append(float(rigid.residuals(fitted, base[n : n + 1], camera[n : n + 1])[0]))
        step = tf.invert(base_from_camera) @ fitted
        steps.append(np.concatenate([tf.vector_from_rotation(step[:3, :3]), step[:3, 3]]))
    return np.array(distances), np.array(steps)


def _jackknife(steps: Floats) -> Floats:
    """Return the covariance of the fit's error by how far each fit without one point stepped aside."""
    n = len(steps)
    centred = steps - steps.mean(axis=0)
    return np.asarray((n - 1) / n * centred.T @ centred)


def _rows(matrix: Floats) -> Matrix:
    return tuple(tuple(map(float, row)) for row in matrix)

"""Where does a camera stand? From points seen by it and known in the base frame, with the error on points left out."""

import math

import numpy as np
from numpy.typing import ArrayLike

from fieldloop.errors import BadInput
from fieldloop.geometry import rigid
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import length_bound
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration
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

    `residual_mm` is the root mean square distance of each point from a fit to all others: what a new point would show.
    `residual_deg` bounds the turn: at the protocol's confidence the true one lies within, by the jackknife. Points that
    were not seen (NaN) are left out; too few, or all on one line, cannot tell.
    """
    camera, base = _pairs(points_camera, points_base)
    needed = max(int(protocol.setting("calibration.extrinsic_min_points")), rigid.MIN_POINTS + 1)
    base_from_camera = rigid.fit(base, camera)
    status, off_mm, off_deg = Status.CANNOT_TELL, None, None
    if len(camera) >= needed and (held_out := _held_out(camera, base, base_from_camera)) is not None:
        distances_m, turns = held_out
        off_mm = 1e3 * math.sqrt(float(np.mean(np.square(distances_m))))
        off_deg = _turn_bound_deg(turns, float(protocol.setting("calibration.confidence")))
        good = off_mm <= float(protocol.setting("calibration.hand_eye_max_mm")) and off_deg <= float(
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
        parent_from_child=tuple(tuple(float(x) for x in row) for row in base_from_camera),
        method=METHOD,
        residual_mm=off_mm,
        residual_deg=off_deg,
        points=len(camera),
        status=status,
        valid_from_ns=valid_from_ns,
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
    """Fit without each point in turn: its distance from that fit (m), and that fit's turn against the whole one."""
    distances, turns = [], []
    for n in range(len(camera)):
        kept = np.arange(len(camera)) != n
        try:
            fitted = rigid.fit(base[kept], camera[kept])
        except BadInput:
            return None  # one point alone keeps the others off a line: its own error cannot be told
        distances.append(float(rigid.residuals(fitted, base[n : n + 1], camera[n : n + 1])[0]))
        turns.append(tf.vector_from_rotation(base_from_camera[:3, :3].T @ fitted[:3, :3]))
    return np.array(distances), np.array(turns)


def _turn_bound_deg(turns_rad: Floats, confidence: float) -> float:
    """Bound the length of the rotation vector by its jackknife covariance."""
    n = len(turns_rad)
    centred = turns_rad - turns_rad.mean(axis=0)
    covariance = (n - 1) / n * centred.T @ centred
    return math.degrees(length_bound(covariance, n - AXES, confidence))

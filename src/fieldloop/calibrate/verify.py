"""Verification of a camera's calibration against a marker at a known pose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.drift import measure_drift
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.verification import Drift, Verification
from fieldloop.protocol import CollectionProtocol

POSE = (4, 4)  # shape of a homogeneous transform


@dataclass(frozen=True, slots=True)
class View:
    """One look at a marker: where it is known to be, where the camera sees it, and where a camera's mount was.

    `base_from_mount` is the gripper's pose for a camera on the wrist; a fixed camera needs none.
    """

    base_from_marker: Matrix
    camera_from_marker: Matrix
    base_from_mount: Matrix | None = None


def verify_calibration(
    calibration: Calibration,
    views: Sequence[View],
    protocol: CollectionProtocol,
    *,
    at_ns: int,
    earlier_drift: Drift | None = None,
    verification_id: str = "",
) -> Verification:
    """Compare where the calibration puts the marker with where it is known to be; the median view counts.

    The median keeps one badly seen marker from halting a session or hiding a moved camera. `earlier_drift` is the
    drift of an earlier verification of the same calibration: movement is tested relative to it.
    """
    if not calibration.is_in_force_at(at_ns):
        raise BadInput(f"Calibration {calibration.id} is not in force at that time. Verify the one in force.")
    usable = [poses for view in views if (poses := _compute_marker_poses(calibration, view)) is not None]
    expected, seen = (np.array([poses[n] for poses in usable]).reshape(-1, *POSE) for n in (0, 1))
    shift_mm, turn_deg = _compute_median_offset(usable)
    findings = (
        _make_finding("calibration.warn_translation", shift_mm, calibration, protocol),
        _make_finding("calibration.warn_rotation", turn_deg, calibration, protocol),
        _make_finding("calibration.halt_translation", shift_mm, calibration, protocol),
        _make_finding("calibration.halt_rotation", turn_deg, calibration, protocol),
    )
    return Verification(
        calibration=calibration.id,
        robot=calibration.robot,
        sensor=calibration.sensor,
        at_ns=at_ns,
        views=len(usable),
        translation_mm=shift_mm,
        rotation_deg=turn_deg,
        findings=findings,
        drift=measure_drift(calibration, expected, seen, protocol, earlier_drift=earlier_drift),
        id=verification_id,
    )


def _compute_marker_poses(calibration: Calibration, view: View) -> tuple[Floats, Floats] | None:
    """Return the marker's pose as predicted and as seen; None where a number is missing."""
    known, seen = np.asarray(view.base_from_marker, float), np.asarray(view.camera_from_marker, float)
    mount = np.eye(4) if view.base_from_mount is None else np.asarray(view.base_from_mount, float)
    if known.shape != POSE or seen.shape != POSE or mount.shape != POSE:
        raise BadInput(f"A view needs 4 × 4 poses; got {known.shape}, {seen.shape} and {mount.shape}.")
    if not all(np.isfinite(pose).all() for pose in (known, seen, mount)):
        return None
    base_from_camera = mount @ np.asarray(calibration.parent_from_child, float)
    return tf.invert_transform(base_from_camera) @ known, seen


def _compute_median_offset(marker_poses: Sequence[tuple[Floats, Floats]]) -> tuple[float | None, float | None]:
    """Return the median offset of the marker from its known pose, in mm and degrees."""
    if not marker_poses:
        return None, None
    shift = [1e3 * float(np.linalg.norm(expected[:3, 3] - seen[:3, 3])) for expected, seen in marker_poses]
    turn = [math.degrees(float(tf.angle_between(expected[:3, :3], seen[:3, :3]))) for expected, seen in marker_poses]
    return float(np.median(shift)), float(np.median(turn))


def _make_finding(
    check: str, measured: float | None, calibration: Calibration, protocol: CollectionProtocol
) -> Finding:
    limit = protocol.limits[check]
    if measured is None:
        status, reason = Status.CANNOT_TELL, note("calibrate.no_marker_view")
    else:
        status, reason = Status.PASSED if limit.admits(measured) else Status.FAILED, None
    about = Subject(calibration.sensor)
    return Finding(check, about, status, measured, limit.minimum, limit.maximum, limit.unit, reason=reason)

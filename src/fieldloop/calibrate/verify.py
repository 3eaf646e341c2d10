"""Does the camera still stand where the calibration says? Against a marker at a known pose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.model.calibration import Calibration, Matrix
from fieldloop.model.finding import Finding, Status
from fieldloop.protocol import CollectionProtocol

POSE = (4, 4)


@dataclass(frozen=True, slots=True)
class View:
    """One look at a marker: where it is known to be, and where the camera sees it."""

    base_from_marker: Matrix
    camera_from_marker: Matrix


@dataclass(frozen=True, slots=True)
class Verification:
    """What the marker showed, and what the protocol says about it: warn, halt, or neither."""

    calibration: str
    robot: str
    sensor: str
    at_ns: int
    views: int
    translation_mm: float | None
    rotation_deg: float | None
    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Nothing to warn of; what cannot be told is not good."""
        return all(f.status is Status.PASSED for f in self.findings)

    @property
    def halts(self) -> bool:
        """Collection stops until recalibrated; what cannot be told stops it too."""
        return any(f.status is not Status.PASSED for f in self.findings if ".halt_" in f.check)


def verify(
    calibration: Calibration, views: Sequence[View], protocol: CollectionProtocol, *, at_ns: int
) -> Verification:
    """Compare where the calibration puts the marker with where it is known to be; the median view counts.

    The median, so that one badly seen marker neither halts a session nor hides a moved camera.
    """
    if not calibration.holds_at(at_ns):
        raise BadInput(f"Calibration {calibration.id} is not in force at that time; verify the one that is.")
    offsets = np.array([o for view in views if (o := _offset(calibration, view)) is not None])
    shift_mm, turn_deg = (float(m) for m in np.median(offsets, axis=0)) if len(offsets) else (None, None)
    findings = (
        _finding("calibration.warn_translation", shift_mm, calibration, protocol),
        _finding("calibration.warn_rotation", turn_deg, calibration, protocol),
        _finding("calibration.halt_translation", shift_mm, calibration, protocol),
        _finding("calibration.halt_rotation", turn_deg, calibration, protocol),
    )
    return Verification(
        calibration.id, calibration.robot, calibration.sensor, at_ns, len(offsets), shift_mm, turn_deg, findings
    )


def _offset(calibration: Calibration, view: View) -> tuple[float, float] | None:
    known, seen = np.asarray(view.base_from_marker, float), np.asarray(view.camera_from_marker, float)
    if known.shape != POSE or seen.shape != POSE:
        raise BadInput(f"A view needs two 4 × 4 poses; got {known.shape} and {seen.shape}.")
    if not (np.isfinite(known).all() and np.isfinite(seen).all()):
        return None
    placed: Floats = np.asarray(calibration.parent_from_child, float) @ seen
    shift_m = float(np.linalg.norm(placed[:3, 3] - known[:3, 3]))
    return 1e3 * shift_m, math.degrees(float(tf.angle_between(placed[:3, :3], known[:3, :3])))


def _finding(check: str, measured: float | None, calibration: Calibration, protocol: CollectionProtocol) -> Finding:
    limit = protocol.limits[check]
    if measured is None:
        status, message = Status.CANNOT_TELL, "No view of the marker could be used."
    else:
        status = Status.PASSED if limit.admits(measured) else Status.FAILED
        message = f"The marker is off by {measured:.2f} {limit.unit}; {limit} is allowed."
    return Finding(check, calibration.sensor, status, measured, limit.minimum, limit.maximum, limit.unit, message)

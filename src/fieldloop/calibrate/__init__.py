"""Calibration: fits, verifications, intervals of validity, and the episodes affected by a moved camera."""

from fieldloop.calibrate.commanded import Commanded, compare_commanded_points
from fieldloop.calibrate.drift import drift, slow_drift
from fieldloop.calibrate.extrinsic import extrinsic
from fieldloop.calibrate.force_torque import ForceTorque, force_torque
from fieldloop.calibrate.schedule import Due, schedule
from fieldloop.calibrate.validity import Flag, cut_to_trusted_periods, flags, in_force
from fieldloop.calibrate.verify import View, verify
from fieldloop.model.verification import Verification

__all__ = [
    "Commanded",
    "Due",
    "Flag",
    "ForceTorque",
    "Verification",
    "View",
    "compare_commanded_points",
    "cut_to_trusted_periods",
    "drift",
    "extrinsic",
    "flags",
    "force_torque",
    "in_force",
    "schedule",
    "slow_drift",
    "verify",
]

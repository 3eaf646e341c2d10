"""Calibration: fits, verifications, intervals of validity, and the episodes affected by a moved camera."""

from fieldloop.calibrate.commanded import Commanded, compare_commanded_points
from fieldloop.calibrate.drift import measure_drift, measure_slow_drift
from fieldloop.calibrate.extrinsic import fit_extrinsic
from fieldloop.calibrate.force_torque import ForceTorque, fit_force_torque
from fieldloop.calibrate.schedule import Due, list_due_work
from fieldloop.calibrate.validity import Flag, cut_to_trusted_periods, find_calibration_in_force, flag_episodes
from fieldloop.calibrate.verify import View, verify_calibration
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
    "find_calibration_in_force",
    "fit_extrinsic",
    "fit_force_torque",
    "flag_episodes",
    "list_due_work",
    "measure_drift",
    "measure_slow_drift",
    "verify_calibration",
]

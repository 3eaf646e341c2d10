"""Calibration of cameras, robots and force-torque sensors: solve, attach, verify, schedule."""

"""Angular speed of a pose: the angle between its rotations over a window, whatever the quaternions' signs."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.quaternions import find_quaternion_columns
from fieldloop.check.signals.signal import Floats, Signal
from fieldloop.check.signals.speeds import filter_by_median_of_three, make_time_windows
from fieldloop.geometry.transforms import angle_between, rotation_from_quaternion
from fieldloop.model.note import note

NO_TURN = note("check.no_tool_rotation")


def compute_angular_speed(case: Case, pose: Signal) -> tuple[NDArray[np.int64], Floats] | None:
    """Return moments and the angular speed there in rad/s; None where no columns are named as a quaternion.

    A quaternion and its negative are the same rotation. Rows with NaN, and rows of zeros, count as not turning.
    """
    columns = next((where for _, where in find_quaternion_columns(pose.stream)), None) if pose.columns else None
    if columns is None:
        return None
    calm = filter_by_median_of_three(_align_quaternion_signs(pose.values[:, columns]))
    reach, span_s, middle_ns = make_time_windows(pose, float(case.protocol.setting("episode.moving_window_s")))
    known = np.asarray(np.isfinite(calm).all(axis=1) & calm.any(axis=1))
    rotations = rotation_from_quaternion(np.where(known[:, None], calm, [0.0, 0.0, 0.0, 1.0]))
    angle = np.where(known[reach:] & known[:-reach], angle_between(rotations[:-reach], rotations[reach:]), 0.0)
    return middle_ns, np.asarray(angle / span_s)


def _align_quaternion_signs(xyzw: Floats) -> Floats:
    """Flip signs so that no quaternion points away from the one before; a median filter then works."""
    away = (xyzw[1:] * xyzw[:-1]).sum(axis=1) < 0
    sign = np.where(np.concatenate([[0], np.cumsum(away)]) % 2, -1.0, 1.0)
    return np.asarray(xyzw * sign[:, None])

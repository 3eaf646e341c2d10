"""The direction from which the tool came to the item: a unit vector in the frame of the tool's pose."""

import numpy as np

from fieldloop.check.case import Case
from fieldloop.check.signals.contact import Hold
from fieldloop.check.signals.signal import Floats, Signal
from fieldloop.check.signals.tool import find_tool_pose


def find_approach(case: Case, hold: Hold | None) -> tuple[Signal, Floats] | None:
    """Return the tool's stream and the direction of its last stretch into contact; None where it is unknown.

    The stretch begins where the tool was last farther away from the place of contact than the protocol's reach.
    """
    return case.compute_once(("approach", hold), lambda: _compute_approach(case, hold))


def _compute_approach(case: Case, hold: Hold | None) -> tuple[Signal, Floats] | None:
    pose = None if hold is None else find_tool_pose(case, hold.arm)
    if hold is None or pose is None:
        return None
    before = pose.find_rows_between(int(pose.times_ns[0]), hold.contact_ns)
    way = pose.values[before, :3]
    if not len(way) or not np.isfinite(way).all():
        return None
    left = way[-1] - way
    distance = np.sqrt((left**2).sum(axis=1))
    far = np.flatnonzero(distance > case.read_parameter("adherence.approach_angle", "reach_m"))
    if not len(far):
        return None
    return pose, left[far[-1]] / distance[far[-1]]

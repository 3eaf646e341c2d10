"""A recording as the phases of a pick need it: the pose of its tool in metres and the opening of its gripper."""

import numpy as np

from fieldloop.annotate.grips import Holds
from fieldloop.annotate.limbs import Limb
from fieldloop.annotate.motion import Floats
from fieldloop.model.episode import Recording
from fieldloop.model.stream import NS_PER_S, ClockKind, Stream, StreamKind

TOOL, GRIPPER, EFFORT = "tool", "gripper", "gripper/effort"
USUAL_OPENING_M = 0.08
"""Scale given to fingers of unknown unit; only shares of it matter."""


def find_tool_view(recording: Recording, limb: Limb | None, holds: Holds | None) -> tuple[Recording | None, bool]:
    """Return a recording with `tool` and `gripper`, and whether they are its own; None where the tool is unknown.

    Another name of the only pose in metres will do, and fingers of any unit whose direction is known.
    """
    streams = recording.streams
    if TOOL in streams and GRIPPER in streams:
        return recording, True
    poses = [s for s in streams.values() if s.kind is StreamKind.POSE and s.unit == "m" and s.unit_stated]
    if len(poses) != 1 or limb is None or limb.opening is None or holds is None:
        return None, False
    opening: Floats = limb.opening if holds.high_is_open else 1 - limb.opening
    at = limb.start_ns + np.round(np.arange(len(opening)) / limb.hz * NS_PER_S).astype(np.int64)
    clocks = {ClockKind.LOG: at}
    width = Stream(GRIPPER, StreamKind.GRIPPER, "m", clocks, USUAL_OPENING_M * opening[:, None])
    pose = poses[0]
    tool = Stream(TOOL, StreamKind.POSE, "m", pose.clocks, pose.values, None, pose.nominal_hz, pose.columns)
    return Recording(recording.episode, {TOOL: tool, GRIPPER: width}), False

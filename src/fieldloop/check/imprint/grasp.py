"""Imprint of the robot's pose at contact, for the coverage of the item's positions and orientations."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import register_imprinter
from fieldloop.check.signals.contact import find_longest_hold
from fieldloop.check.signals.signal import convert_to_episode_seconds, find_signals
from fieldloop.check.signals.tool import find_tool_pose
from fieldloop.model.stream import StreamKind


@register_imprinter("grasp", needs=("gripper",))
def imprint_grasp_pose(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return tool and joints at the contact of the longest hold, and the moment in seconds."""
    held = find_longest_hold(case)
    if held is None:
        return {}
    streams = {f"joints/{one.name}": one for one in find_signals(case, StreamKind.JOINT_POSITION)}
    pose = find_tool_pose(case, held.arm)
    if pose is not None:
        streams[f"tool/{pose.name}"] = pose
    taken = {name: one.find_row_nearest(held.contact_ns).astype(np.float32) for name, one in streams.items()}
    return {**taken, "at": np.array([convert_to_episode_seconds(case, held.contact_ns)], np.float32)}

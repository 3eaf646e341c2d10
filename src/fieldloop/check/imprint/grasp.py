"""Imprint of the robot's pose at contact, for the coverage of the item's positions and orientations."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.imprinting import imprinter
from fieldloop.check.signals.contact import longest_hold
from fieldloop.check.signals.signal import at_s, signals
from fieldloop.check.signals.tool import tool
from fieldloop.model.stream import StreamKind


@imprinter("grasp", needs=("gripper",))
def grasp(case: Case) -> dict[str, NDArray[np.float32]]:
    """Return tool and joints at the contact of the longest hold, and the moment in seconds."""
    held = longest_hold(case)
    if held is None:
        return {}
    streams = {f"joints/{one.name}": one for one in signals(case, StreamKind.JOINT_POSITION)}
    pose = tool(case, held.arm)
    if pose is not None:
        streams[f"tool/{pose.name}"] = pose
    taken = {name: one.at(held.contact_ns).astype(np.float32) for name, one in streams.items()}
    return {**taken, "at": np.array([at_s(case, held.contact_ns)], np.float32)}

"""The scenarios of a gate by name."""

from fieldloop.model.trial import Trial

BASE, DISTRACTORS, CONSECUTIVE = "base", "distractors", "consecutive"
LIGHTING, POSITION = "lighting:", "position:"
EDGE_POSE, EDGE_GRIPPER, EDGE_JOINT, EDGE_CAMERA = "edge:pose", "edge:gripper", "edge:joint", "edge:camera"
EDGES = (EDGE_POSE, EDGE_GRIPPER, EDGE_JOINT, EDGE_CAMERA)
"""Pose outside nominal, gripper partly hidden, joint near its limit, camera partly covered: every gate needs them."""
PERMANENT = ("edge:", "incident:")
"""Prefixes of scenarios that stay in every later gate."""

__all__ = [
    "BASE", "CONSECUTIVE", "DISTRACTORS", "EDGES", "EDGE_CAMERA", "EDGE_GRIPPER", "EDGE_JOINT", "EDGE_POSE", "LIGHTING",
    "PERMANENT", "POSITION", "Trial",
]  # fmt: skip

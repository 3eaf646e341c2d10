"""The arm: six joints, a spherical wrist, its limits, its home, and the boxes it looks like."""

from functools import cache

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.chain import Chain, Joint
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes

SHOULDER_M = 0.36
UPPER_M = 0.44
FORE_M = 0.42
FLANGE_M = 0.21
"""From the wrist's centre to the tips of the fingers."""

HOME = (0.30, -0.07, 0.46)
"""Where the tool waits: clear of the bin, of the tote and of the camera's view of both."""

TOOL_DOWN = tf.make_rotation_about_axis("y", np.pi)
"""Tool z points at the ground; at yaw 0 the fingers close along the base's y axis."""

JOINTS = (
    ("shoulder_pan", (0, 0, 0.16), "z", 2.9, 3.2),
    ("shoulder_lift", (0, 0, SHOULDER_M - 0.16), "y", 2.6, 3.2),
    ("elbow", (0, 0, UPPER_M), "y", 2.8, 3.2),
    ("forearm_roll", (0, 0, 0), "z", 3.1, 4.0),
    ("wrist_pitch", (0, 0, FORE_M), "y", 2.9, 4.0),
    ("wrist_roll", (0, 0, 0), "z", 3.1, 4.0),
)

ARM_COLOUR = (0.78, 0.78, 0.80)
JOINT_COLOUR = (0.30, 0.32, 0.36)


@cache
def make_arm_chain() -> Chain:
    """Return the arm as a serial chain, tool at the tips of the fingers."""
    joints = tuple(
        Joint(name, tf.make_transform(np.eye(3), place), axis, -limit, limit, speed)
        for name, place, axis, limit, speed in JOINTS
    )
    return Chain(joints, tf.make_transform(np.eye(3), [0, 0, FLANGE_M]))


def make_tool_pose(xyz: Floats, yaw_rad: Floats) -> Floats:
    """Return `base_from_tool` of a tool that points at the ground, turned by yaw about the vertical."""
    return tf.make_transform(tf.make_rotation_about_axis("z", yaw_rad) @ TOOL_DOWN, xyz)


def compute_seed_angles(xyz: Floats, yaw_rad: Floats) -> Floats:
    """Return joint angles in closed form for a tool that points at the ground: where the numeric inverse starts.

    Out of reach the elbow is straight, so that the inverse sees how far away the pose is.
    """
    pan = np.arctan2(xyz[..., 1], xyz[..., 0])
    out, up = np.hypot(xyz[..., 0], xyz[..., 1]), xyz[..., 2] + FLANGE_M - SHOULDER_M
    squared = out**2 + up**2
    elbow = np.arccos(np.clip((squared - UPPER_M**2 - FORE_M**2) / (2 * UPPER_M * FORE_M), -1.0, 1.0))
    lift = np.arctan2(out, up) - np.arctan2(FORE_M * np.sin(elbow), UPPER_M + FORE_M * np.cos(elbow))
    pitch = np.pi - lift - elbow
    roll = pan - yaw_rad
    return np.stack([pan, lift, elbow, np.zeros_like(pan), pitch, roll], axis=-1)


def compute_home_angles() -> Floats:
    """Return the joint angles of the waiting arm."""
    return compute_seed_angles(np.array(HOME), np.array(0.0))


@cache
def _make_link_boxes() -> tuple[Floats, Floats, Floats]:
    """Return the link each box belongs to as `link_from_box`, the boxes' sizes and their colours."""
    places = [(0, 0, 0.08), (0, 0, 0.10), (0, 0, UPPER_M / 2), (0, 0, 0), (0, 0, FORE_M / 2), (0, 0, 0.04)]
    sizes = [(0.16, 0.16, 0.16), (0.12, 0.12, 0.26), (0.09, 0.09, UPPER_M)]
    sizes += [(0.10, 0.11, 0.10), (0.07, 0.07, FORE_M), (0.07, 0.07, 0.12)]
    colours = [JOINT_COLOUR, ARM_COLOUR, ARM_COLOUR, JOINT_COLOUR, ARM_COLOUR, JOINT_COLOUR]
    return tf.make_transform(np.eye(3), np.array(places)), np.array(sizes), np.array(colours)


def make_arm_boxes(base_from_links: Floats) -> Boxes:
    """Return the boxes that an arm looks like whose links are where they are."""
    link_from_box, sizes, colours = _make_link_boxes()
    base = np.concatenate([np.eye(4)[None], base_from_links[[0, 1, 2, 3, 5]]])
    return Boxes(base @ link_from_box, sizes, colours)

"""The parallel gripper: two fingers and a palm, for the eye and for contact."""

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats
from fieldloop.simulate.arm.boxes import Boxes, Uprights

MAX_OPENING_M = 0.11
MAX_FORCE_N = 40.0
CLOSING_M_PER_S = 0.25
MASS_KG = 0.6

FINGER_THICK_M = 0.012
FINGER_WIDE_M = 0.024
FINGER_LONG_M = 0.075
PALM = (0.05, 0.13, 0.05)

FINGER_COLOUR = (0.16, 0.16, 0.18)
PALM_COLOUR = (0.24, 0.25, 0.28)


def make_gripper_boxes(base_from_tool: Floats, opening_m: float) -> Boxes:
    """Return the boxes of palm and fingers; the tool frame lies between the fingertips, z along the fingers."""
    aside = opening_m / 2 + FINGER_THICK_M / 2
    places = [(0, 0, -FINGER_LONG_M - PALM[2] / 2), (0, aside, -FINGER_LONG_M / 2), (0, -aside, -FINGER_LONG_M / 2)]
    finger = (FINGER_WIDE_M, FINGER_THICK_M, FINGER_LONG_M)
    frames = base_from_tool @ tf.make_transform(np.eye(3), np.array(places))
    return Boxes(frames, np.array([PALM, finger, finger]), np.array([PALM_COLOUR, FINGER_COLOUR, FINGER_COLOUR]))


def make_contact_boxes(xyz: Floats, yaw_rad: Floats, opening_m: Floats) -> Uprights:
    """Return palm and fingers as upright boxes at n moments: n × 3 of them, the tool pointing at the ground."""
    count = len(xyz)
    aside = opening_m / 2 + FINGER_THICK_M / 2
    along = np.stack([-np.sin(yaw_rad), np.cos(yaw_rad)], axis=-1)  # the closing direction
    centres = np.stack([xyz[:, :2], xyz[:, :2] + aside[:, None] * along, xyz[:, :2] - aside[:, None] * along], axis=1)
    halves = np.array([[PALM[0], PALM[1]], [FINGER_WIDE_M, FINGER_THICK_M], [FINGER_WIDE_M, FINGER_THICK_M]]) / 2
    tip, knuckle = xyz[:, 2], xyz[:, 2] + FINGER_LONG_M
    return Uprights(
        centres,
        np.repeat(yaw_rad[:, None], 3, axis=1),
        np.broadcast_to(halves, (count, 3, 2)),
        np.stack([knuckle, tip, tip], axis=1),
        np.stack([knuckle + PALM[2], knuckle, knuckle], axis=1),
    )

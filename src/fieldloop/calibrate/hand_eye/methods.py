"""The closed-form methods of the literature, as OpenCV has them."""

import numpy as np

from fieldloop.calibrate.hand_eye.poses import Answer, Pairs
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import mean_transform
from fieldloop.geometry.transforms import Floats

HAND_EYE = ("tsai", "park", "horaud", "andreff", "daniilidis")
ROBOT_WORLD = ("shah", "li")
CLOSED_FORM = (*HAND_EYE, *ROBOT_WORLD)
LEAST_PAIRS = 3


def closed_form(given: Pairs, method: str) -> Answer | None:
    """Solve by one method; None where it finds nothing (parallel axes, too few pairs)."""
    import cv2

    if len(given) < LEAST_PAIRS:
        return None
    try:
        answer = _hand_eye(given, method) if method in HAND_EYE else _robot_world(given, method)
    except cv2.error:  # a method that cannot solve a degenerate set says so by an assertion of its own
        return None
    whole = np.isfinite(answer.mount_from_camera).all() and np.isfinite(answer.world_from_target).all()
    return answer if whole else None


def _hand_eye(given: Pairs, method: str) -> Answer:
    import cv2

    # by keyword: given by position the method is silently ignored (opencv#27625)
    turn, shift = cv2.calibrateHandEye(
        *_split(given.world_from_mount),
        *_split(given.camera_from_target),
        method=getattr(cv2, f"CALIB_HAND_EYE_{method.upper()}"),
    )
    mount_from_camera = tf.make(turn, np.ravel(shift))
    return Answer(mount_from_camera, target_given(mount_from_camera, given))


def _robot_world(given: Pairs, method: str) -> Answer:
    import cv2

    turn_w, shift_w, turn_c, shift_c = cv2.calibrateRobotWorldHandEye(
        *_split(given.camera_from_target),
        *_split(tf.invert(given.world_from_mount)),
        method=getattr(cv2, f"CALIB_ROBOT_WORLD_HAND_EYE_{method.upper()}"),
    )
    # OpenCV's world is the target here, and it returns its inverse of ours
    target_from_world = tf.make(turn_w, np.ravel(shift_w))
    camera_from_mount = tf.make(turn_c, np.ravel(shift_c))
    return Answer(tf.invert(camera_from_mount), tf.invert(target_from_world))


def target_given(mount_from_camera: Floats, given: Pairs) -> Floats:
    """Return the mean `world_from_target` that all pairs show, were the camera there."""
    return mean_transform(given.world_from_mount @ mount_from_camera @ given.camera_from_target)


def _split(transforms: Floats) -> tuple[list[Floats], list[Floats]]:
    return [t[:3, :3] for t in transforms], [t[:3, 3] for t in transforms]

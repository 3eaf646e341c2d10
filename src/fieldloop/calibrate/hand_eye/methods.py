"""The closed-form methods of the literature, as OpenCV has them."""

import numpy as np

from fieldloop.calibrate.hand_eye.poses import Answer, Pairs
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import average_transforms, is_rigid
from fieldloop.geometry.transforms import Floats

HAND_EYE = ("tsai", "park", "horaud", "andreff", "daniilidis")
ROBOT_WORLD = ("shah", "li")
CLOSED_FORM = (*HAND_EYE, *ROBOT_WORLD)
LEAST_PAIRS = 3  # two turns about different axes: what the closed forms need
RIGID = 1e-3
"""A result further from a rotation than this is not a solution."""


def solve_closed_form(pose_pairs: Pairs, method: str) -> Answer | None:
    """Solve by one method; None where it finds nothing (parallel axes, too few pairs)."""
    import cv2

    if len(pose_pairs) < LEAST_PAIRS:
        return None
    loud = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # failures are reported by this module
    try:
        camera, target = (
            _solve_hand_eye(pose_pairs, method) if method in HAND_EYE else _solve_robot_world(pose_pairs, method)
        )
    except cv2.error:  # a method reports a degenerate set by an assertion
        return None
    finally:
        cv2.utils.logging.setLogLevel(loud)
    if not is_rigid(camera, RIGID) or (target is not None and not is_rigid(target, RIGID)):
        return None
    return Answer(camera, compute_mean_target_pose(camera, pose_pairs) if target is None else target)


def _solve_hand_eye(pose_pairs: Pairs, method: str) -> tuple[Floats, None]:
    import cv2

    # by keyword: given by position the method is silently ignored (opencv#27625)
    turn, shift = cv2.calibrateHandEye(
        *_split_rotation_and_shift(pose_pairs.world_from_mount),
        *_split_rotation_and_shift(pose_pairs.camera_from_target),
        method=getattr(cv2, f"CALIB_HAND_EYE_{method.upper()}"),
    )
    return tf.make_transform(turn, np.ravel(shift)), None


def _solve_robot_world(pose_pairs: Pairs, method: str) -> tuple[Floats, Floats]:
    import cv2

    turn_w, shift_w, turn_c, shift_c = cv2.calibrateRobotWorldHandEye(
        *_split_rotation_and_shift(pose_pairs.camera_from_target),
        *_split_rotation_and_shift(tf.invert_transform(pose_pairs.world_from_mount)),
        method=getattr(cv2, f"CALIB_ROBOT_WORLD_HAND_EYE_{method.upper()}"),
    )
    # OpenCV calls the target 'world' and returns both poses the other way round
    target_from_world, camera_from_mount = (
        tf.make_transform(turn_w, np.ravel(shift_w)),
        tf.make_transform(turn_c, np.ravel(shift_c)),
    )
    return tf.invert_transform(camera_from_mount), tf.invert_transform(target_from_world)


def compute_mean_target_pose(mount_from_camera: Floats, pose_pairs: Pairs) -> Floats:
    """Return the mean `world_from_target` over all pairs for this camera pose."""
    return average_transforms(pose_pairs.world_from_mount @ mount_from_camera @ pose_pairs.camera_from_target)


def _split_rotation_and_shift(transforms: Floats) -> tuple[list[Floats], list[Floats]]:
    return [t[:3, :3] for t in transforms], [t[:3, 3] for t in transforms]

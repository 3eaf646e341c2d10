"""Hand-eye scenes with a known solution: a target on a table, an arm with a camera, and the noise of both."""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

GRIPPER_FROM_CAMERA = tf.make_transform(tf.rotation_from_vector([0.1, -0.2, 1.5]), [0.03, -0.06, 0.05])
BASE_FROM_TARGET = tf.make_transform(tf.rotation_from_vector([3.0, 0.1, 0.05]), [0.5, 0.1, 0.0])
NEAREST_M, FURTHEST_M, ASIDE_M = 0.35, 0.6, 0.05


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviation of one axis: of the arm's reported pose and of the target's seen one."""

    robot_deg: float
    robot_m: float
    camera_deg: float
    camera_m: float


GOOD_ARM = Noise(0.02, 0.1e-3, 0.1, 0.5e-3)
CHEAP_ARM = Noise(0.1, 1e-3, 0.3, 2e-3)
SILENT = Noise(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What an arm and its camera report, and the truth behind it."""

    base_from_gripper: Floats
    camera_from_target: Floats
    gripper_from_camera: Floats
    base_from_target: Floats


def make_hand_eye_scene(pose_count: int, span_deg: float, noise: Noise, rng: np.random.Generator) -> Scene:
    """Observe the target from `pose_count` poses, rotated by up to `span_deg` about each axis."""
    robot, seen = [], []
    for _ in range(pose_count):
        away = rng.uniform(NEAREST_M, FURTHEST_M)
        turn = tf.rotation_from_vector(rng.uniform(-1, 1, 3) * np.radians(span_deg))
        place = turn @ np.array([0, 0, away]) + rng.uniform(-ASIDE_M, ASIDE_M, 3)
        target_from_camera = tf.make_transform(turn @ tf.make_rotation_about_axis("x", np.pi), place)
        base_from_camera = BASE_FROM_TARGET @ target_from_camera
        robot.append(
            add_pose_noise(
                base_from_camera @ tf.invert_transform(GRIPPER_FROM_CAMERA), noise.robot_deg, noise.robot_m, rng
            )
        )
        seen.append(add_pose_noise(tf.invert_transform(target_from_camera), noise.camera_deg, noise.camera_m, rng))
    return Scene(np.array(robot), np.array(seen), GRIPPER_FROM_CAMERA, BASE_FROM_TARGET)


def add_pose_noise(pose: Floats, turn_deg: float, shift_m: float, rng: np.random.Generator) -> Floats:
    """Add noise in the pose's own frame."""
    turn = tf.rotation_from_vector(rng.normal(0, np.radians(turn_deg), 3))
    return np.asarray(pose @ tf.make_transform(turn, rng.normal(0, shift_m, 3)))


def compute_pose_error(true_pose: Floats, estimated_pose: Floats) -> tuple[float, float]:
    """Return how far two poses are apart: degrees, millimetres."""
    turn = float(tf.angle_between(true_pose[:3, :3], estimated_pose[:3, :3]))
    return float(np.degrees(turn)), 1e3 * float(np.linalg.norm(true_pose[:3, 3] - estimated_pose[:3, 3]))

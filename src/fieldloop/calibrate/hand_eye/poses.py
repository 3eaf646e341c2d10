"""The input of hand-eye calibration: pairs of robot poses and target poses."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

POSES = 3
"""An array of poses has three axes: which pose, row, column."""


class Setup(StrEnum):
    """Where the camera is: on the wrist, looking at a fixed target; or fixed, looking at a target in the gripper."""

    EYE_IN_HAND = "eye-in-hand"
    EYE_TO_HAND = "eye-to-hand"

    @property
    def mount(self) -> str:
        """The frame that carries the camera."""
        return "gripper" if self is Setup.EYE_IN_HAND else "base"

    @property
    def world(self) -> str:
        """The frame that carries the target."""
        return "base" if self is Setup.EYE_IN_HAND else "gripper"


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of poses taken at the same time, in a notation that makes both set-ups one problem.

    `world_from_mount[i] @ mount_from_camera @ camera_from_target[i]` is the same `world_from_target` for every i.
    """

    world_from_mount: Floats
    camera_from_target: Floats
    names: tuple[str, ...]

    def __len__(self) -> int:
        """How many pairs there are."""
        return len(self.names)

    def select_pairs(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "Pairs":
        """Return some of the pairs, by mask or by number."""
        numbers = np.arange(len(self))[rows]
        names = tuple(self.names[int(n)] for n in numbers)
        return Pairs(self.world_from_mount[numbers], self.camera_from_target[numbers], names)


def make_pairs(
    base_from_gripper: Floats, camera_from_target: Floats, setup: Setup, names: tuple[str, ...] | None = None
) -> Pairs:
    """Line robot and target poses up for one of the two set-ups."""
    robot, seen = np.asarray(base_from_gripper, dtype=float), np.asarray(camera_from_target, dtype=float)
    if robot.shape != seen.shape or robot.ndim != POSES or robot.shape[1:] != (4, 4):
        raise BadInput(f"Hand-eye needs as many robot as target poses, each 4 × 4; got {robot.shape} and {seen.shape}.")
    carried = robot if setup is Setup.EYE_IN_HAND else tf.invert_transform(robot)
    return Pairs(carried, seen, names or tuple(str(n + 1) for n in range(len(robot))))


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Where the camera sits on its mount, and where the target is: the two unknowns of AX = YB."""

    mount_from_camera: Floats
    world_from_target: Floats


def predict_target_poses(answer: Answer, pose_pairs: Pairs) -> Floats:
    """Return `camera_from_target` as predicted by the answer."""
    world_from_camera = pose_pairs.world_from_mount @ answer.mount_from_camera
    return np.asarray(tf.invert_transform(world_from_camera) @ answer.world_from_target)


def compute_residuals(answer: Answer, pose_pairs: Pairs) -> Floats:
    """Return for each pair the residual: rotation vector in the target's frame (rad), shift in the camera's (m)."""
    expected, seen = predict_target_poses(answer, pose_pairs), pose_pairs.camera_from_target
    turn = tf.vector_from_rotation(np.swapaxes(seen[:, :3, :3], -1, -2) @ expected[:, :3, :3])
    return np.concatenate([turn, expected[:, :3, 3] - seen[:, :3, 3]], axis=-1)

"""Serial chains of revolute joints: where the tool is, and which joints bring it there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldloop.geometry.transforms import Floats, make_rotation_about_axis, vector_from_rotation


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A hinge: where it sits in the frame of the link before it, about which axis it turns, and how far it may."""

    name: str
    parent_from_joint: Floats
    axis: str
    low_rad: float
    high_rad: float
    max_rad_per_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Joints from the base outwards, and the tool on the last link."""

    joints: tuple[Joint, ...]
    last_from_tool: Floats

    @property
    def names(self) -> tuple[str, ...]:
        """The joints' names, base first."""
        return tuple(joint.name for joint in self.joints)

    @property
    def low_rad(self) -> Floats:
        """Lower limits."""
        return np.array([joint.low_rad for joint in self.joints])

    @property
    def high_rad(self) -> Floats:
        """Upper limits."""
        return np.array([joint.high_rad for joint in self.joints])


def compute_link_poses(chain: Chain, angles_rad: ArrayLike) -> Floats:
    """Return `base_from_link` of every link after its joint: … × joints × 4 × 4."""
    angles = np.asarray(angles_rad, dtype=float)
    frames = np.empty((*angles.shape, 4, 4))
    so_far = np.eye(4)
    for i, joint in enumerate(chain.joints):
        turned = np.zeros((*angles.shape[:-1], 4, 4))
        turned[..., :3, :3] = make_rotation_about_axis(joint.axis, angles[..., i])
        turned[..., 3, 3] = 1.0
        so_far = so_far @ joint.parent_from_joint @ turned
        frames[..., i, :, :] = so_far
    return frames


def compute_tool_pose(chain: Chain, angles_rad: ArrayLike) -> Floats:
    """Return `base_from_tool` for one set of joint angles or many."""
    return np.asarray(compute_link_poses(chain, angles_rad)[..., -1, :, :] @ chain.last_from_tool)


def compute_jacobian(chain: Chain, angles_rad: ArrayLike) -> tuple[Floats, Floats]:
    """Return `base_from_tool` and the geometric Jacobian (… × 6 × joints: linear rows, then angular, in the base)."""
    frames = compute_link_poses(chain, angles_rad)
    tool = frames[..., -1, :, :] @ chain.last_from_tool
    column = ["xyz".index(joint.axis) for joint in chain.joints]
    axes = np.stack([frames[..., i, :3, c] for i, c in enumerate(column)], axis=-2)
    arms = tool[..., None, :3, 3] - frames[..., :, :3, 3]
    return tool, np.concatenate([np.cross(axes, arms), axes], axis=-1).swapaxes(-1, -2)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Joint angles for poses that were asked for, and which of them were reached within limits."""

    angles_rad: Floats
    reached: NDArray[np.bool_]
    error_m: Floats
    error_rad: Floats


def solve_inverse_kinematics(
    chain: Chain,
    base_from_tool: ArrayLike,
    start_rad: ArrayLike,
    *,
    steps: int = 60,
    damping: float = 1e-3,
    tolerance_m: float = 1e-5,
    tolerance_rad: float = 1e-4,
) -> Solution:
    """Find joint angles for one pose or many at once, by damped least squares from `start_rad`.

    Each pose starts from its own row of `start_rad` or from the one row given, so neighbouring poses stay on the same
    branch of the arm. A pose that cannot be reached comes back with `reached` false and its remaining error.
    """
    targets = np.asarray(base_from_tool, dtype=float)
    shape = (*targets.shape[:-2], len(chain.joints))
    angles = np.broadcast_to(np.asarray(start_rad, dtype=float), shape).copy()
    for _ in range(steps):
        tool, slope = compute_jacobian(chain, angles)
        error = _compute_remaining_twist(tool, targets)
        if (np.linalg.norm(error[..., :3], axis=-1) < tolerance_m).all() and (
            np.linalg.norm(error[..., 3:], axis=-1) < tolerance_rad
        ).all():
            break
        back = np.swapaxes(slope, -1, -2)
        normal = slope @ back + damping**2 * np.eye(6)
        move = (back @ np.linalg.solve(normal, error[..., None]))[..., 0]
        angles = angles + move / np.maximum(1.0, np.abs(move).max(axis=-1, keepdims=True))
    error = _compute_remaining_twist(compute_tool_pose(chain, angles), targets)
    error_m, error_rad = np.linalg.norm(error[..., :3], axis=-1), np.linalg.norm(error[..., 3:], axis=-1)
    inside = ((angles >= chain.low_rad) & (angles <= chain.high_rad)).all(axis=-1)
    near = (error_m < 10 * tolerance_m) & (error_rad < 10 * tolerance_rad)
    return Solution(angles, np.asarray(inside & near), np.asarray(error_m), np.asarray(error_rad))


def _compute_remaining_twist(tool: Floats, target: Floats) -> Floats:
    """What is left to do, linear then angular, both in the base frame."""
    turn = vector_from_rotation(np.swapaxes(tool[..., :3, :3], -1, -2) @ target[..., :3, :3])
    angular = (tool[..., :3, :3] @ turn[..., None])[..., 0]
    return np.concatenate([target[..., :3, 3] - tool[..., :3, 3], angular], axis=-1)

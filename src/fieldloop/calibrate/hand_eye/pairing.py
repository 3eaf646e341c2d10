"""Pairing of two pose streams by timestamp, with a clock offset estimated from their rotations."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

GRID_HZ, WINDOW_S = 50.0, 0.3
"""Rotation is sampled on this grid, over windows long enough that noise of one pose does not count as motion."""
LEAST_SAMPLES = 50
"""One second on the grid: speeds over less correlate by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Robot poses at the moments of the target's, the target rows they belong to, and how fast the robot turned."""

    robot: Floats
    rows: NDArray[np.intp]
    nearest: NDArray[np.intp]
    speed_rad_s: Floats


def pair_by_stamp(
    robot: Floats, robot_s: Floats, target_s: Floats, *, offset_s: float, max_distance_s: float
) -> Paired:
    """Take the robot's pose at each target stamp plus `offset_s`, between its two nearest in time."""
    stamps, first = np.unique(robot_s, return_index=True)
    poses = robot[first]
    asked = target_s + offset_s
    after = np.clip(np.searchsorted(stamps, asked), 1, len(stamps) - 1) if len(stamps) > 1 else np.zeros(0, int)
    if not len(after):
        return Paired(np.zeros((0, 4, 4)), after, after, np.zeros(0))
    before = after - 1
    gap = stamps[after] - stamps[before]
    inside = (asked >= stamps[before]) & (asked <= stamps[after])
    near = inside & (np.maximum(asked - stamps[before], stamps[after] - asked) <= max_distance_s)
    rows = np.flatnonzero(near)
    before, after, share = before[rows], after[rows], ((asked - stamps[before]) / gap)[rows]
    step = tf.vector_from_rotation(np.swapaxes(poses[before, :3, :3], -1, -2) @ poses[after, :3, :3])
    turn = poses[before, :3, :3] @ tf.rotation_from_vector(share[:, None] * step)
    place = poses[before, :3, 3] + share[:, None] * (poses[after, :3, 3] - poses[before, :3, 3])
    nearest = first[np.where(share < 0.5, before, after)]  # noqa: PLR2004  half-way
    return Paired(tf.make_transform(turn, place), rows, nearest, np.linalg.norm(step, axis=-1) / gap[rows])


def estimate_clock_offset(
    robot: Floats, robot_s: Floats, target: Floats, target_s: Floats, *, min_correlation: float, max_offset_s: float
) -> float | None:
    """Return what to add to target timestamps to match the robot's; None where the rotations do not determine it.

    Robot and camera are one rigid body, so they rotate equally fast at any moment, however the camera is mounted.
    Rotations that correlate less than `min_correlation` are not the same motion. Offsets up to `max_offset_s` are
    tried.
    """
    ours, theirs = _Turning.from_poses(robot, robot_s), _Turning.from_poses(target, target_s)
    if min(len(ours.at), len(theirs.at)) < LEAST_SAMPLES:
        return None
    best, best_alike = 0.0, -1.0
    for step_s, reach_s in ((0.05, max_offset_s), (0.01, 0.1), (0.001, 0.02)):
        for offset in best + np.arange(-reach_s, reach_s + step_s / 2, step_s):
            alike = ours.correlate_with(theirs, float(offset))
            if alike > best_alike:
                best, best_alike = float(offset), alike
    return best if best_alike >= min_correlation else None


def choose_spread_poses(
    poses: Floats, speed_rad_s: Floats, max_poses: int, *, slow_share: float, min_distance: float
) -> NDArray[np.intp]:
    """Choose poses from a stream, each far from those before; not the fastest, which suffer most from timing errors.

    Where enough poses remain, only the slowest `slow_share` are used. A pose within `min_distance` (rad + m) of a
    chosen one adds nothing.
    """
    slow = np.flatnonzero(speed_rad_s <= np.quantile(speed_rad_s, slow_share)) if len(poses) else np.zeros(0, np.intp)
    if len(slow) <= max_poses:
        return np.arange(len(poses)) if len(poses) <= max_poses else slow
    chosen = [int(slow[0])]
    away = np.full(len(slow), math.inf)
    while len(chosen) < max_poses:
        last = poses[chosen[-1]]
        turned = tf.angle_between(poses[slow, :3, :3], last[:3, :3])
        away = np.minimum(away, turned + np.linalg.norm(poses[slow, :3, 3] - last[:3, 3], axis=-1))
        if away.max() < min_distance:
            break
        chosen.append(int(slow[int(np.argmax(away))]))
    return np.array(sorted(chosen))


@dataclass(frozen=True, slots=True, eq=False)
class _Turning:
    """How fast a stream turns: angles over a window long enough that noise of one pose does not count as motion."""

    at: Floats
    speed: Floats

    @classmethod
    def from_poses(cls, poses: Floats, stamps_s: Floats) -> "_Turning":
        stamps, first = np.unique(stamps_s, return_index=True)
        grid = np.arange(stamps[0] + WINDOW_S / 2, stamps[-1] - WINDOW_S / 2, 1.0 / GRID_HZ)
        halves = (-WINDOW_S / 2, WINDOW_S / 2)
        ends = [np.clip(np.searchsorted(stamps, grid + half), 0, len(stamps) - 1) for half in halves]
        took = stamps[ends[1]] - stamps[ends[0]]
        turned = tf.angle_between(*(poses[first[end], :3, :3] for end in ends))
        whole = took > 0
        return cls(((stamps[ends[0]] + stamps[ends[1]]) / 2)[whole], (turned / np.where(whole, took, 1.0))[whole])

    def correlate_with(self, other: "_Turning", offset_s: float) -> float:
        """Correlate with another stream, shifted by an offset, where both have data."""
        low, high = max(self.at[0], other.at[0] + offset_s), min(self.at[-1], other.at[-1] + offset_s)
        if high - low < LEAST_SAMPLES / GRID_HZ:
            return -1.0
        grid = np.arange(low, high, 1.0 / GRID_HZ)
        both = np.interp(grid, self.at, self.speed), np.interp(grid, other.at + offset_s, other.speed)
        return float(np.corrcoef(*both)[0, 1]) if min(map(np.std, both)) > 0 else -1.0

"""The axes of a rig: the main directions of flow, of joint speed and of pose.

Optical flow depends on the speed of each joint and on the pose. Without a model of the arm or the camera, flow is
regressed on joint speeds and on joint speeds times pose, along a few axes of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.evidence import Sight
from fieldloop.check.content_lag.settings import Ranks

Matrix = NDArray[np.float64]
SOFTENING = 1.0
"""Added to every column's scale, in units of the largest. A column that hardly moves carries little signal;
scaled up to the others, its noise and compression errors would dominate."""

OUTLIER = 8.0  # scaled flow is clipped here, so that one broken picture does not turn the axes
NEGLIGIBLE = 1e-3  # directions with less than this of the greatest spread are rounding
TINY = 1e-12  # keeps a division by zero apart


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Scales and axes that all episodes of a rig share."""

    flow_centre: Matrix
    flow_scale: Matrix
    flow_axes: Matrix
    pose_centre: Matrix
    pose_scale: Matrix
    pose_axes: Matrix
    speed_scale: Matrix
    speed_axes: Matrix

    def scale_flow(self, sight: Sight) -> Matrix:
        """Return scaled flow: a row for each pair of pictures, a column for each cell and direction."""
        return np.clip((sight.flow - self.flow_centre) / self.flow_scale, -OUTLIER, OUTLIER)

    def compute_joint_motion(self, sight: Sight, lags: Matrix) -> Matrix:
        """Return the joints' motion between the same two pictures, `lags` seconds later by the joints' clock."""
        before, after = sight.path(sight.begins + lags), sight.path(sight.ends + lags)
        speeds = _compute_joint_speeds(before, after, sight) / self.speed_scale @ self.speed_axes
        poses = ((before + after) / 2 - self.pose_centre) / self.pose_scale @ self.pose_axes
        products = (speeds[:, :, None] * poses[:, None, :]).reshape(len(speeds), -1)
        return sight.smooth_in_time(np.hstack([np.ones((len(speeds), 1)), speeds, products]))


def find_basis(sights: Sequence[Sight], ranks: Ranks) -> Basis:
    """Find the axes from all episodes together; they do not depend on the lags."""
    flow = np.vstack([s.flow for s in sights])
    centre, scale = np.median(flow, axis=0), _replace_zero_scales(flow.std(axis=0))
    spread = np.clip((flow - centre) / scale, -OUTLIER, OUTLIER)
    poses = np.vstack([s.path(s.get_interval_middles_s) for s in sights])
    pose_centre, pose_scale = poses.mean(axis=0), _replace_zero_scales(poses.std(axis=0))
    speeds = np.vstack([_compute_joint_speeds(s.path(s.begins), s.path(s.ends), s) for s in sights])
    speed_scale = _replace_zero_scales(np.sqrt((speeds**2).mean(axis=0)))
    pose_axes = _find_main_axes((poses - pose_centre) / pose_scale, ranks.pose)
    speed_axes = _find_main_axes(speeds / speed_scale, ranks.speed)
    return Basis(
        flow_centre=centre,
        flow_scale=scale,
        flow_axes=_find_main_axes(spread, ranks.flow),
        pose_centre=pose_centre,
        pose_scale=pose_scale,
        pose_axes=pose_axes / _compute_column_rms((poses - pose_centre) / pose_scale @ pose_axes),
        speed_scale=speed_scale,
        speed_axes=speed_axes / _compute_column_rms(speeds / speed_scale @ speed_axes),
    )


def _compute_joint_speeds(before: Matrix, after: Matrix, sight: Sight) -> Matrix:
    return np.asarray((after - before) / (sight.ends - sight.begins)[:, None])


def _replace_zero_scales(scale: Matrix) -> Matrix:
    return np.asarray(scale + SOFTENING * float(scale.max(initial=0.0)) + TINY)


def _compute_column_rms(values: Matrix) -> Matrix:
    return np.asarray(np.sqrt((values**2).mean(axis=0)) + TINY)


def _find_main_axes(rows: Matrix, max_axes: int) -> Matrix:
    """Return up to `max_axes` directions of greatest spread, without those of negligible spread."""
    strengths, axes = np.linalg.eigh(rows.T @ rows)
    keep = strengths[::-1] > NEGLIGIBLE**2 * max(float(strengths[-1]), TINY)
    return np.asarray(axes[:, ::-1][:, keep][:, :max_axes])

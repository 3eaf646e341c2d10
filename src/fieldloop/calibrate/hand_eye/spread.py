"""The spread of rotations: whether the poses determine the camera's position, and which pose would help most."""

import math
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.hand_eye.poses import Pairs
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import find_nearest_rotation
from fieldloop.geometry.transforms import Floats
from fieldloop.model.note import Note, note

SAME_DEG = 1e-3
"""Rotations below this are one pose written many times: no arm repeats a pose that closely."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Standard deviation of the turns (degrees) along their three main axes, widest first, and these axes."""

    degrees: tuple[float, float, float]
    axes: Floats

    @property
    def second_deg(self) -> float:
        """The decisive spread: rotations about one axis alone do not determine the position along it."""
        return self.degrees[1]

    @property
    def is_one_orientation(self) -> bool:
        """Whether all poses have one orientation."""
        return self.degrees[0] < SAME_DEG

    def explain_undetermined(self, pose_count: int) -> Note:
        """Return why such rotations do not determine the camera's position."""
        if self.is_one_orientation:
            return note("calibrate.same_orientation", poses=pose_count)
        return note("calibrate.one_axis", first_deg=self.degrees[0], second_deg=self.second_deg)

    def is_lopsided(self, factor: float) -> bool:
        """Whether there is hardly any rotation about one axis: the widest is more than this many times as large."""
        return self.degrees[0] > factor * self.degrees[2]

    def name_axis(self, axis: int) -> str:
        """Name an axis by the one of the frame that it lies closest to."""
        return "xyz"[int(np.argmax(np.abs(self.axes[axis])))]


def measure_spread(pose_pairs: Pairs) -> Spread:
    """Measure how the mount turned, about the mean of its orientations."""
    if len(pose_pairs) < 2:  # noqa: PLR2004  one pose turns nowhere
        return Spread((0.0, 0.0, 0.0), np.eye(3))
    turns = pose_pairs.world_from_mount[:, :3, :3]
    middle = find_nearest_rotation(turns.mean(axis=0))
    vectors = tf.vector_from_rotation(middle.T @ turns)
    _, values, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=len(vectors) < 3)  # noqa: PLR2004
    wide = [math.degrees(v / math.sqrt(max(len(vectors) - 1, 1))) for v in values]
    first, second, third = (*wide, 0.0, 0.0, 0.0)[:3]
    return Spread((first, second, third), axes)

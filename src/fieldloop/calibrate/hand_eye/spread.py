"""Did the poses turn about enough axes to tell where the camera is, and which pose would help most?"""

import math
from dataclasses import dataclass

import numpy as np

from fieldloop.calibrate.hand_eye.poses import Pairs
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import nearest_rotation
from fieldloop.geometry.transforms import Floats

SAME_DEG = 1e-3
"""Turns below this are one pose written many times: no arm comes back to a pose that closely."""
LOPSIDED = 3.0
"""A spread this many times the least one leaves that axis to be asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Standard deviation of the turns (degrees) along their three main axes, widest first, and these axes."""

    degrees: tuple[float, float, float]
    axes: Floats

    @property
    def second_deg(self) -> float:
        """The spread that counts: turns about one axis alone leave the camera's place along it open."""
        return self.degrees[1]

    @property
    def same(self) -> bool:
        """Is it one orientation all along?"""
        return self.degrees[0] < SAME_DEG

    def why_open(self, poses: int) -> str:
        """Say why turns like these leave the camera's place open."""
        if self.same:
            return (
                f"All {poses} poses have the same orientation (one pose many times, or an arm that only slid): "
                "they say nothing about where the camera is."
            )
        return (
            f"The poses turn about one axis almost alone ({self.degrees[0]:.1f}° about it, {self.second_deg:.1f}° "
            "about the next): where the camera is along it stays open."
        )

    @property
    def lopsided(self) -> bool:
        """Is one axis hardly turned about?"""
        return self.degrees[0] > LOPSIDED * self.degrees[2]

    def axis_in_words(self, which: int) -> str:
        """Name an axis by the one of the frame that it lies closest to."""
        return "xyz"[int(np.argmax(np.abs(self.axes[which])))]


def spread(given: Pairs) -> Spread:
    """Measure how the mount turned, about the mean of its orientations."""
    if len(given) < 2:  # noqa: PLR2004  one pose turns nowhere
        return Spread((0.0, 0.0, 0.0), np.eye(3))
    turns = given.world_from_mount[:, :3, :3]
    middle = nearest_rotation(turns.mean(axis=0))
    vectors = tf.vector_from_rotation(middle.T @ turns)
    _, values, axes = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=len(vectors) < 3)  # noqa: PLR2004
    wide = [math.degrees(v / math.sqrt(max(len(vectors) - 1, 1))) for v in values]
    first, second, third = (*wide, 0.0, 0.0, 0.0)[:3]
    return Spread((first, second, third), axes)

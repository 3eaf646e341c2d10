"""Conventions of written poses: readings are stated by the user; a better one is proposed, never applied silently."""

from fieldloop.calibrate.conventions.alternatives import Proposal, propose_readings
from fieldloop.calibrate.conventions.image_size import compare_image_sizes
from fieldloop.calibrate.conventions.impossible import Impossible, find_impossible_poses
from fieldloop.calibrate.conventions.reading import (
    ROTATIONS,
    Reading,
    choose_reading,
    convert_to_matrices,
    list_unstated_parts,
)

__all__ = [
    "ROTATIONS",
    "Impossible",
    "Proposal",
    "Reading",
    "choose_reading",
    "compare_image_sizes",
    "convert_to_matrices",
    "find_impossible_poses",
    "list_unstated_parts",
    "propose_readings",
]

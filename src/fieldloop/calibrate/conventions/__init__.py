"""Conventions of written poses: readings are stated by the user; a better one is proposed, never applied silently."""

from fieldloop.calibrate.conventions.alternatives import Proposal, proposals
from fieldloop.calibrate.conventions.image_size import wrong_size
from fieldloop.calibrate.conventions.impossible import Impossible, impossible
from fieldloop.calibrate.conventions.reading import ROTATIONS, Reading, read, reading_of, unstated_parts

__all__ = [
    "ROTATIONS",
    "Impossible",
    "Proposal",
    "Reading",
    "impossible",
    "proposals",
    "read",
    "reading_of",
    "unstated_parts",
    "wrong_size",
]

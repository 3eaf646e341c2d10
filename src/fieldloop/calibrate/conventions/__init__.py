"""How are these numbers meant? Readings are stated or asked for, and a better one is proposed, never taken silently."""

from fieldloop.calibrate.conventions.alternatives import Proposal, proposals
from fieldloop.calibrate.conventions.image_size import wrong_size
from fieldloop.calibrate.conventions.impossible import Impossible, impossible
from fieldloop.calibrate.conventions.reading import ROTATIONS, Reading, read, reading_of, unsaid

__all__ = [
    "ROTATIONS",
    "Impossible",
    "Proposal",
    "Reading",
    "impossible",
    "proposals",
    "read",
    "reading_of",
    "unsaid",
    "wrong_size",
]

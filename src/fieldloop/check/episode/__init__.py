"""Questions about one episode, a file a subject. `SUBJECTS` is the order in which they are asked."""

from fieldloop.check.episode import (
    adherence,
    calibration,
    force,
    integrity,
    metadata,
    motion,
    offset,
    timing,
    vision,
)

SUBJECTS = (
    integrity,
    timing,
    offset,
    motion,
    vision,
    force,
    adherence,
    metadata,
    calibration,
)

"""The choice of camera frames to examine: a bounded number, so that a long episode costs no more than a short one."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.note import Note, note
from fieldloop.model.stream import Stream


def choose_frames_to_examine(case: Case, stream: Stream) -> NDArray[np.int64]:
    """Return the indices of all frames, or of evenly spaced stretches where the protocol's maximum is exceeded.

    Stretches consist of successive frames, because a repeated frame shows only beside the one before it.
    """
    assert stream.pictures is not None
    count = min(len(stream), len(stream.pictures))
    most = int(case.protocol.setting("episode.max_scanned_frames"))
    if count <= most:
        return np.arange(count)
    block = min(int(case.protocol.setting("episode.scanned_stretch")), most)
    starts = np.linspace(0, count - block, most // block).round().astype(np.int64)
    return np.unique(starts[:, None] + np.arange(block))


def note_place_in_frames(
    stream: Stream, indices: NDArray[np.int64], at_s: float | None, code: str = "check.first_at", **numbers: float
) -> Note | None:
    """Return the place of a finding in a camera's frames, and the number of examined frames where not all were."""
    assert stream.pictures is not None
    count = min(len(stream), len(stream.pictures))
    some = len(indices) < count
    examined, frames = (len(indices), count) if some else (None, None)
    if at_s is None:
        return note("check.frames_examined", examined=examined, frames=frames) if some else None
    # mypy takes any ** for the named parameter `about` too
    return note(code, at_s=at_s, examined=examined, frames=frames, **numbers)  # type: ignore[arg-type]

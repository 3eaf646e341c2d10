"""Which frames of a camera are looked at, so that a long episode costs no more than a short one."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.model.stream import Stream


def looked_at(case: Case, stream: Stream) -> NDArray[np.int64]:
    """Return the indices of all frames, or of evenly spaced stretches where there are more than the protocol says.

    Frames that follow one another are looked at together: a frame that repeats the one before can only be seen there.
    """
    assert stream.pictures is not None
    count = min(len(stream), len(stream.pictures))
    most = int(case.protocol.setting("episode.max_scanned_frames"))
    if count <= most:
        return np.arange(count)
    block = min(int(case.protocol.setting("episode.scanned_stretch")), most)
    starts = np.linspace(0, count - block, most // block).round().astype(np.int64)
    return np.unique(starts[:, None] + np.arange(block))


def share_seen(stream: Stream, indices: NDArray[np.int64]) -> str:
    """Say how many frames were looked at where not all were; '' where all were."""
    assert stream.pictures is not None
    count = min(len(stream), len(stream.pictures))
    return "" if len(indices) == count else f" ({len(indices)} of {count} frames looked at)"

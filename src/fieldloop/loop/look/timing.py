"""When each sample of an episode lies, in seconds from its start, in an order that never goes back."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Recording
from fieldloop.model.stream import NS_PER_S, Stream

Seconds = NDArray[np.float64]


def compute_start_and_duration(recording: Recording) -> tuple[int, float]:
    """Return the episode's first moment, and its length in seconds; streams decide where the facts state none."""
    episode = recording.episode
    stamped = [stream.times_ns for stream in recording.streams.values() if stream.clocks and len(stream)]
    first = episode.start_ns or min((int(times.min()) for times in stamped), default=0)
    ends = [float(compute_seconds(times, first, episode.end_ns)[-1]) for times in stamped]
    stated = max(0.0, (episode.end_ns - first) / NS_PER_S)
    return first, max([stated, *ends], default=0.0)


def get_stream_seconds(stream: Stream, start_ns: int, end_ns: int, count: int) -> Seconds:
    """Return when the first `count` samples lie."""
    return compute_seconds(stream.times_ns[:count], start_ns, end_ns)


def compute_seconds(times_ns: NDArray[np.int64], start_ns: int, end_ns: int) -> Seconds:
    """Return seconds from the start; a stream on another clock (a video from 0) counts from its own first sample.

    A timestamp that goes back is drawn at the latest one before it, so that one frame follows the other.

    >>> compute_seconds(np.asarray([5, 4, 7]) * NS_PER_S, 4 * NS_PER_S, 9 * NS_PER_S).tolist()
    [1.0, 1.0, 3.0]
    >>> compute_seconds(np.asarray([0, 1]) * NS_PER_S, 100 * NS_PER_S, 109 * NS_PER_S).tolist()
    [0.0, 1.0]
    """
    if not len(times_ns):
        return np.empty(0)
    begins = int(times_ns.min())
    origin = start_ns if start_ns <= begins <= max(end_ns, start_ns) else begins
    ordered: Seconds = np.maximum.accumulate(times_ns - origin) / NS_PER_S
    return ordered

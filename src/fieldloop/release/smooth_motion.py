"""Worth by smoothness: how smoothly the hand moved, window by window, whatever the demonstration's length."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Recording
from fieldloop.model.note import Note, note
from fieldloop.model.stream import NS_PER_S, Stream, StreamKind
from fieldloop.model.worth import EpisodeWorth
from fieldloop.protocol import Section
from fieldloop.stats.smoothness import compute_spectral_arc_length

Floats = NDArray[np.float64]
POSITION = 3
"""Columns of a pose that are a position."""


def measure_motion_worth(recording: Recording, settings: Section, level: float) -> EpisodeWorth | Note:
    """Return the mean spectral arc length of the hand's speed over windows, with Student's interval over them.

    The tool's pose counts, or the joints where there is none. Where nothing that moves was recorded, or the recording
    is too slow or too short, the reason is returned instead.
    """
    stream = _find_motion(recording)
    if stream is None:
        return note("worth.no_motion_recorded")
    highest_hz = settings.number("highest_hz")
    speeds = _compute_speeds(stream, settings.number("grid_hz"), settings.number("least_s"))
    if speeds is None or (stream.hz or 0.0) < 2 * highest_hz:
        return note("worth.sampled_too_slowly", stream=stream.name, least_hz=2 * highest_hz)
    values = _measure_windows(speeds, settings)
    if not len(values):
        return note("worth.too_short", stream=stream.name, window_s=settings.number("window_s"))
    low, high = _compute_interval(values, level)
    return EpisodeWorth(recording.episode.id, recording.episode.name, float(values.mean()), low, high)


def _find_motion(recording: Recording) -> Stream | None:
    """Return the first stream of the tool's pose, else of joints, that holds values with stamps of their own."""
    for kind in (StreamKind.POSE, StreamKind.JOINT_POSITION):
        for _, stream in sorted(recording.streams.items()):
            if stream.kind is kind and stream.values is not None and stream.values.ndim == 2:  # noqa: PLR2004 - a table
                return stream
    return None


def _compute_speeds(stream: Stream, rate_hz: float, least_s: float) -> Floats | None:
    """Return the speed on an even grid; None where there are fewer samples than the grid has in `least_s`."""
    values = np.asarray(stream.values, dtype=np.float64)
    columns = values[:, :POSITION] if stream.kind is StreamKind.POSE else values
    good = np.isfinite(columns).all(axis=1)
    times, first = np.unique(stream.times_ns[good], return_index=True)
    if len(times) < least_s * rate_hz:
        return None
    at = np.arange(times[0], times[-1], NS_PER_S / rate_hz)
    even = np.column_stack([np.interp(at, times, column[good][first]) for column in columns.T])
    return np.asarray(np.linalg.norm(np.diff(even, axis=0), axis=1) * rate_hz)


def _measure_windows(speeds: Floats, settings: Section) -> Floats:
    """Return the arc length of each full window in which the hand moves; what stands still has no smoothness."""
    rate_hz = settings.number("grid_hz")
    long = round(settings.number("window_s") * rate_hz)
    windows = speeds[: len(speeds) // long * long].reshape(-1, long)
    if not len(windows):
        return np.empty(0)
    moving = windows.mean(axis=1) >= settings.number("moving_share") * windows.mean(axis=1).max()
    limits = settings.number("highest_hz"), settings.number("least_share")
    tapered = windows[moving] * np.hanning(long)  # a window that cuts a movement must not look rough for it
    lengths = [compute_spectral_arc_length(window, rate_hz, *limits) for window in tapered]
    return np.array([length for length in lengths if np.isfinite(length)])


def _compute_interval(values: Floats, level: float) -> tuple[float, float] | tuple[None, None]:
    from scipy.special import stdtrit

    if len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return None, None
    half = float(stdtrit(len(values) - 1, (1 + level) / 2)) * float(values.std(ddof=1)) / len(values) ** 0.5
    return float(values.mean()) - half, float(values.mean()) + half

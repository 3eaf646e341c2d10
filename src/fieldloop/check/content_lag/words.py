"""A lag as a measurement: its size with its interval, and its direction."""

from fieldloop.check.content_lag.estimate import LagEstimate
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.note import Subject, note
from fieldloop.model.stream import MS_PER_S


def compute_interval_of_absolute_lag_ms(low_s: float, high_s: float) -> tuple[float, float]:
    """Return the interval of a shift's size (ms) from that of the shift.

    >>> compute_interval_of_absolute_lag_ms(-0.002, 0.004), compute_interval_of_absolute_lag_ms(-0.012, -0.008)
    ((0.0, 4.0), (8.0, 12.0))
    """
    ends = sorted((abs(low_s) * MS_PER_S, abs(high_s) * MS_PER_S))
    return (0.0 if low_s <= 0.0 <= high_s else ends[0]), ends[1]


def make_lag_measurement(subject: Subject, lag: LagEstimate, episode_count: int | None = None) -> Measurement:
    """Return a lag as a measurement, or the reason why there is none."""
    if lag.refused:
        return Measurement(subject, UNKNOWN, cannot_tell=lag.refused)
    low, high = compute_interval_of_absolute_lag_ms(lag.low_s, lag.high_s)
    half = (lag.high_s - lag.low_s) / 2 * MS_PER_S
    code = "check.frames_are_older" if lag.lag_s < 0 else "check.frames_are_newer"
    place = note(code, lag_ms=abs(lag.lag_s) * MS_PER_S, half_ms=half, episodes=episode_count)
    return Measurement(subject, abs(lag.lag_s) * MS_PER_S, place, low=low, high=high)

"""A lag as a measurement: its size with the interval it lies in, and which way it goes in words."""

from fieldloop.check.content.estimate import LagEstimate
from fieldloop.model.finding import Measurement

MS = 1e3


def shifted(low_s: float, high_s: float) -> tuple[float, float]:
    """Return the interval of a shift's size (ms) from that of the shift.

    >>> shifted(-0.002, 0.004), shifted(-0.012, -0.008)
    ((0.0, 4.0), (8.0, 12.0))
    """
    ends = sorted((abs(low_s) * MS, abs(high_s) * MS))
    return (0.0 if low_s <= 0.0 <= high_s else ends[0]), ends[1]


def lag_measurement(subject: str, lag: LagEstimate) -> Measurement:
    """Write down a lag, or why there is none."""
    if lag.refused:
        return Measurement(subject, float("nan"), cannot_tell=lag.refused)
    low, high = shifted(lag.low_s, lag.high_s)
    way = "older" if lag.lag_s < 0 else "newer"
    half = (lag.high_s - lag.low_s) / 2 * MS
    place = f"(pictures show the robot {abs(lag.lag_s) * MS:.1f} ± {half:.1f} ms {way} than their stamps say)"
    return Measurement(subject, abs(lag.lag_s) * MS, place, low=low, high=high)

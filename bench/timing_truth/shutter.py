"""The shutter: which moments of the world each row of a picture averages, and with which weights.

A frame's time is the middle of the exposure of its centre row. Row r of H is read (r + ½)/H − ½ readouts later, so that
a negative readout reads upwards. Moments lie on a regular grid around the frame's time; a row's exposure is integrated
over straight lines between them, so that the weights sum to one and their mean time is *exactly* the row's time.
"""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats

APART_S = 0.010
"""Moments are at least this far apart: an arm at 0.5 m/s moves 5 mm, about a pixel."""
APART_PX = 1.0
"""Where the picture moves less than this between moments, fewer do."""
INSTANT_S = 1e-9
SHORT, EMPTY = 1e-3, 1e-9
"""In steps of the grid: an exposure without length, and the rounding error of an area."""


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """The moments one frame is made of, as seconds from its time, and what each row takes of them (rows × moments)."""

    after_s: Floats
    weights: Floats

    def rows_of(self, moment: int) -> tuple[int, int]:
        """Return the first row that takes anything of a moment, and the row behind the last."""
        taking = np.flatnonzero(self.weights[:, moment])
        return (int(taking[0]), int(taking[-1]) + 1) if len(taking) else (0, 0)


def row_times_s(height: int, readout_s: float) -> Floats:
    """Return when each row's exposure is half over, from the frame's time."""
    return readout_s * ((np.arange(height) + 0.5) / height - 0.5)


def spacing_s(pace_px_per_s: float) -> float:
    """Return how far apart moments may be in a picture that moves at this pace.

    >>> spacing_s(20.0)
    0.05
    """
    return max(APART_S, APART_PX / max(pace_px_per_s, APART_PX))


def opening(height: int, exposure_s: float, readout_s: float, apart_s: float = APART_S) -> Opening:
    """Spread one frame over moments; one is enough where all rows are exposed together and hardly anything moves.

    >>> opening(2, 0.016, 0.0).weights[0]
    array([0.25, 0.5 , 0.25])
    """
    middles = row_times_s(height, readout_s)
    spread = exposure_s + float(np.abs(middles).max()) * 2
    if spread <= (INSTANT_S if readout_s else apart_s / 2):
        return Opening(np.zeros(1), np.ones((height, 1)))
    count = max(int(np.ceil(spread / apart_s - EMPTY)), 1) + 1
    after = np.linspace(-spread / 2, spread / 2, count)
    apart = after[1] - after[0]
    from_s, to_s = middles[:, None] - exposure_s / 2, middles[:, None] + exposure_s / 2
    if exposure_s < SHORT * apart:
        return Opening(after, np.clip(1 - np.abs(middles[:, None] - after) / apart, 0.0, None))
    area = _hat_area((to_s - after) / apart) - _hat_area((from_s - after) / apart)
    weights = np.where(area > EMPTY, area, 0.0) * (apart / exposure_s)
    return Opening(after, weights / weights.sum(axis=1, keepdims=True))


def _hat_area(x: Floats) -> Floats:
    """Return the area under max(0, 1 − |x|) left of x."""
    inside = np.clip(x, -1.0, 1.0)
    return np.asarray(0.5 + inside - np.sign(inside) * inside**2 / 2)

"""The shutter: which moments of the world each row of a picture averages, and with which weights.

A frame's time is the middle of the exposure of its centre row. Row r of H is read (r + ½)/H − ½ readouts later, so that
a negative readout reads upwards. Moments lie on a regular grid around the frame's time; a row's exposure is integrated
over straight lines between them, so that the weights sum to one and their mean time is *exactly* the row's time.
"""

from dataclasses import dataclass

import numpy as np

from fieldloop.geometry.transforms import Floats

APART_S = 0.008
"""Moments are at most so far apart: an arm at 0.5 m/s moves 4 mm, a pixel or less."""
INSTANT_S = 0.002
"""A shutter that is open and read out within this is drawn at one moment."""


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


def opening(height: int, exposure_s: float, readout_s: float) -> Opening:
    """Spread one frame over moments.

    >>> opening(2, 0.016, 0.0).weights[0]
    array([0.25, 0.5 , 0.25])
    """
    middles = row_times_s(height, readout_s)
    spread = exposure_s + float(np.abs(middles).max()) * 2
    if spread <= INSTANT_S:
        return Opening(np.zeros(1), np.ones((height, 1)))
    count = int(np.ceil(spread / APART_S - 1e-9)) + 1
    after = np.linspace(-spread / 2, spread / 2, count)
    apart = after[1] - after[0]
    from_s, to_s = middles[:, None] - exposure_s / 2, middles[:, None] + exposure_s / 2
    if exposure_s < 1e-3 * apart:
        return Opening(after, np.clip(1 - np.abs(middles[:, None] - after) / apart, 0.0, None))
    area = _hat_area((to_s - after) / apart) - _hat_area((from_s - after) / apart)
    weights = np.where(area > 1e-12, area, 0.0) * (apart / exposure_s)
    return Opening(after, weights / weights.sum(axis=1, keepdims=True))


def _hat_area(x: Floats) -> Floats:
    """Return the area under max(0, 1 − |x|) left of x."""
    inside = np.clip(x, -1.0, 1.0)
    return np.asarray(0.5 + inside - np.sign(inside) * inside**2 / 2)

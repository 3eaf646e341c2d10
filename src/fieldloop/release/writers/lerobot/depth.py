"""Distances as LeRobot keeps them in video: twelve bits, logarithmic, so that near is finer than far."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.note import Note, Subject, note

LARGEST = (1 << 12) - 1  # depth videos of LeRobot have 12 bits
SHIFT_M = 3.5
"""Added before the logarithm: it evens out the steps, from 1.2 mm near to 4.4 mm at ten metres."""


@dataclass(slots=True)
class DepthScale:
    """Metres to steps and back, and a count of what did not fit."""

    nearest_m: float = 0.01
    farthest_m: float = 10.0
    missing: int = 0
    outside: int = 0

    def quantise(self, metres: NDArray[Any]) -> NDArray[np.uint16]:
        """Return the step of each pixel; where the sensor saw nothing it is 0, which reads as the nearest distance."""
        seen = np.isfinite(metres) & (metres > 0)
        fits = (metres >= self.nearest_m) & (metres <= self.farthest_m)
        self.missing += int(metres.size - np.count_nonzero(seen))
        self.outside += int(np.count_nonzero(seen & ~fits))
        inside = np.clip(np.where(seen, metres, self.nearest_m), self.nearest_m, self.farthest_m)
        start, end = self._ends
        share = (np.log(inside.astype(np.float64) + SHIFT_M) - start) / (end - start)
        return np.asarray(np.rint(share * LARGEST).astype(np.uint16))

    def convert_to_metres(self, steps: NDArray[Any]) -> NDArray[np.float64]:
        """Return the distance that each step reads as."""
        start, end = self._ends
        return np.asarray(np.exp(start + steps * ((end - start) / LARGEST)) - SHIFT_M)

    def report_losses(self, name: str) -> list[Note]:
        """Return what the steps could not hold."""
        about = Subject(name)
        half_mm = [(m + SHIFT_M) * (self._ends[1] - self._ends[0]) / LARGEST * 500 for m in self._range]
        lost = [note("release.depth_quantised", about=about, near_mm=half_mm[0], far_mm=half_mm[1])]
        if self.missing:
            lost.append(note("release.depth_unknown", about=about, pixels=self.missing, nearest_m=self.nearest_m))
        if self.outside:
            reach = (self.nearest_m, self.farthest_m)
            lost.append(
                note("release.depth_clipped", about=about, pixels=self.outside, nearest_m=reach[0], farthest_m=reach[1])
            )
        return lost

    @property
    def _range(self) -> tuple[float, float]:
        return self.nearest_m, self.farthest_m

    @property
    def _ends(self) -> tuple[float, float]:
        return math.log(self.nearest_m + SHIFT_M), math.log(self.farthest_m + SHIFT_M)

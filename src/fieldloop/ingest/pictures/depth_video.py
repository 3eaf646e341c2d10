"""Distances kept as video: 12-bit codes, evenly spread over the distance or over its logarithm."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAST_CODE = 4095
CODES = "gray12le"
MIN_M, MAX_M, SHIFT_M = 0.01, 10.0, 3.5  # what LeRobot takes where a dataset does not say


@dataclass(frozen=True, slots=True)
class DepthCodes:
    """How codes stand for metres: 0 for `min_m` and 4095 for `max_m`, in steps of log(distance + shift) or even ones.

    Code 0 is what was too near or not measured at all, so it is read as no return.
    """

    min_m: float = MIN_M
    max_m: float = MAX_M
    shift_m: float = SHIFT_M
    use_log: bool = True

    def convert_to_metres(self) -> NDArray[np.float32]:
        """Return the distance of every code.

        >>> float(DepthCodes(use_log=False).convert_to_metres()[4095])
        10.0
        >>> bool(np.isnan(DepthCodes().convert_to_metres()[0]))
        True
        """
        codes = np.arange(LAST_CODE + 1, dtype=np.float32)
        low, high = self.min_m, self.max_m
        if self.use_log:
            low, high = math.log(low + self.shift_m), math.log(high + self.shift_m)
        spread = codes * np.float32((high - low) / LAST_CODE) + np.float32(low)
        metres = np.exp(spread) - np.float32(self.shift_m) if self.use_log else spread
        kept: NDArray[np.float32] = np.clip(metres, self.min_m, self.max_m).astype(np.float32)
        kept[0] = np.nan
        return kept


def parse_depth_codes(info: Mapping[str, Any]) -> DepthCodes:
    """Read a video feature's `info`; ValueError where what it states makes no scale."""
    numbers = [info.get(f"video.{name}", info.get(name, usual)) for name, usual in _USUAL]
    if any(isinstance(n, bool) or not isinstance(n, int | float) or not math.isfinite(n) for n in numbers):
        raise ValueError("the video's depth scale is not stated in numbers")
    use_log = info.get("video.use_log", info.get("use_log", True))
    low, high, shift = (float(n) for n in numbers)
    codes = DepthCodes(low, high, shift, bool(use_log))
    if codes.max_m <= codes.min_m or (codes.use_log and codes.min_m + codes.shift_m <= 0):
        raise ValueError(
            f"the video's depth scale allows no distance: {codes.min_m} to {codes.max_m} m, shift {codes.shift_m}"
        )
    return codes


_USUAL = (("depth_min", MIN_M), ("depth_max", MAX_M), ("shift", SHIFT_M))

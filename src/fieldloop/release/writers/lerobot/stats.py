"""Exact statistics of what is written, from every value and every pixel."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.release.writers.lerobot.quantiles import compute_quantiles_in_memory

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
LEVELS = 256  # of 8-bit pictures
EXACT_IN_FLOAT32 = 1 << 24
Stats = dict[str, Any]
Values = NDArray[Any]


def compute_stats(values: Values) -> Stats:
    """Return min, max, mean, std, count and quantiles of each column; values that are not finite are left out."""
    seen = ValueStats(values.shape[1])
    seen.add_rows(values)
    return seen.compute_stats(compute_quantiles_in_memory(values, list(QUANTILES.values())))


class ValueStats:
    """What can be said of values without holding them: extremes, mean and spread of each column."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows = 0
        self.unfit = 0
        self._counts = np.zeros(columns)
        self._mean, self._squares = np.zeros(columns), np.zeros(columns)
        self._low, self._high = np.full(columns, np.inf), np.full(columns, -np.inf)

    def add_rows(self, values: Values) -> None:
        """Take in some rows; partial means are merged, so that no precision is lost however many there are."""
        if not len(values):
            return
        rows = values.astype(np.float64)
        fit = np.isfinite(rows)
        counts = fit.sum(0).astype(np.float64)
        known = np.where(fit, rows, 0.0)
        mean = known.sum(0) / np.maximum(counts, 1)
        squares = (np.where(fit, rows - mean, 0.0) ** 2).sum(0)
        both = np.maximum(self._counts + counts, 1)
        apart = mean - self._mean
        self._squares += squares + apart**2 * self._counts * counts / both
        self._mean += apart * counts / both
        self._low = np.minimum(self._low, np.where(fit, rows, np.inf).min(0))
        self._high = np.maximum(self._high, np.where(fit, rows, -np.inf).max(0))
        self._counts += counts
        self.rows += len(rows)
        self.unfit += int(rows.size - fit.sum())

    def compute_stats(self, quantiles: NDArray[np.float64]) -> Stats:
        """Return all statistics, with quantiles (shares × columns) found elsewhere."""
        none = self._counts == 0
        statistics = {
            "min": self._low, "max": self._high, "mean": self._mean,
            "std": np.sqrt(self._squares / np.maximum(self._counts, 1)),
            **dict(zip(QUANTILES, quantiles, strict=True)),
        }  # fmt: skip
        return {name: np.where(none, np.nan, value).tolist() for name, value in statistics.items()} | {
            "count": [self.rows]
        }


class PictureStats:
    """Counts of levels per channel: exact statistics of every pixel of every frame, before it is encoded."""

    def __init__(self, levels: NDArray[np.float64] | None = None, channels: int = 3) -> None:
        self.levels = np.arange(LEVELS) / (LEVELS - 1) if levels is None else levels
        self.counts = np.zeros((channels, len(self.levels)), np.int64)
        self.frames = 0

    def add_picture(self, picture: Values) -> None:
        """Count one picture: H×W×3 levels, or H×W steps of distance."""
        import cv2

        size = len(self.levels)
        lines = max(1, EXACT_IN_FLOAT32 // picture.shape[1])  # OpenCV counts in float32
        for top in range(0, len(picture), lines):
            part = np.ascontiguousarray(picture[top : top + lines])
            for channel in range(len(self.counts)):
                self.counts[channel] += cv2.calcHist([part], [channel], None, [size], [0, size])[:, 0].astype(np.int64)
        self.frames += 1

    def merge(self, other: "PictureStats") -> None:
        """Add another's counts."""
        self.counts += other.counts
        self.frames += other.frames

    def compute_stats(self) -> Stats:
        """Return statistics of levels, shaped channel × 1 × 1; a quantile is the level that so many lie at or below."""
        share = self.counts / np.maximum(self.counts.sum(1, keepdims=True), 1)
        mean = share @ self.levels
        present = [np.flatnonzero(row) for row in self.counts]
        statistics: dict[str, Sequence[float]] = {
            "min": [self.levels[p[0]] for p in present],
            "max": [self.levels[p[-1]] for p in present],
            "mean": mean.tolist(),
            "std": np.sqrt((share * (self.levels - mean[:, None]) ** 2).sum(1)).tolist(),
        }
        cumulative = np.cumsum(self.counts, axis=1)
        for name, q in QUANTILES.items():
            statistics[name] = [self.levels[int(np.searchsorted(row, q * row[-1]))] for row in cumulative]
        return {name: [[[float(v)]] for v in values] for name, values in statistics.items()} | {"count": [self.frames]}


def flatten_stats(stats: Mapping[str, Stats]) -> dict[str, Any]:
    """Return `stats/<feature>/<name>` columns for the table of episodes."""
    return {f"stats/{feature}/{name}": value for feature, row in stats.items() for name, value in row.items()}

"""True statistics of what is written: from every value, not an envelope of episodes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
LEVELS = 256
Stats = dict[str, Any]


def of_values(values: NDArray[Any]) -> Stats:
    """Return min, max, mean, std, count and quantiles of each column."""
    rows = values.reshape(len(values), -1).astype(np.float64)
    stats = {"min": rows.min(0), "max": rows.max(0), "mean": rows.mean(0), "std": rows.std(0)}
    stats |= {name: np.quantile(rows, share, axis=0) for name, share in QUANTILES.items()}
    return {name: value.tolist() for name, value in stats.items()} | {"count": [len(rows)]}


class PictureStats:
    """Counts of 8-bit levels per channel: exact statistics of every pixel that was looked at."""

    def __init__(self) -> None:
        self.counts = np.zeros((3, LEVELS), np.int64)
        self.frames = 0

    def add(self, picture: NDArray[Any]) -> None:
        """Count one picture, thinned out to about 150 pixels a side."""
        step = max(1, min(picture.shape[:2]) // 150)
        for channel in range(3):
            self.counts[channel] += np.bincount(picture[::step, ::step, channel].ravel(), minlength=LEVELS)
        self.frames += 1

    def merge(self, other: "PictureStats") -> None:
        """Add another's counts."""
        self.counts += other.counts
        self.frames += other.frames

    def stats(self) -> Stats:
        """Return statistics of levels 0 to 1, shaped channel × 1 × 1."""
        levels = np.arange(LEVELS) / (LEVELS - 1)
        total = self.counts.sum(1)
        share = self.counts / total[:, None]
        mean = share @ levels
        present = [np.flatnonzero(row) for row in self.counts]
        found = {
            "min": [levels[p[0]] for p in present],
            "max": [levels[p[-1]] for p in present],
            "mean": mean,
            "std": np.sqrt(np.maximum(share @ levels**2 - mean**2, 0.0)),
        }
        cumulative = np.cumsum(share, axis=1)
        for name, q in QUANTILES.items():
            found[name] = [levels[min(int(np.searchsorted(row, q)), LEVELS - 1)] for row in cumulative]
        return {name: [[[float(v)]] for v in values] for name, values in found.items()} | {"count": [self.frames]}


def flatten(stats: Mapping[str, Stats]) -> dict[str, Any]:
    """Return `stats/<feature>/<name>` columns for the table of episodes."""
    return {f"stats/{feature}/{name}": value for feature, row in stats.items() for name, value in row.items()}

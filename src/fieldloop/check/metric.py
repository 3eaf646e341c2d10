"""One number per episode and check: the measurement of the worst subject."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.batch_case import Batch
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Measurement
from fieldloop.protocol import Limit

Floats = NDArray[np.float64]


def compute_episode_metrics(batch: Batch, episodes: Sequence[Episode]) -> Mapping[str, Floats]:
    """Return a column per check over these episodes; NaN where it gave no valid number."""
    columns: dict[str, Floats] = {}
    for row, episode in enumerate(episodes):
        for measured in batch.measured.get(episode.id, ()):
            limit = batch.protocol.limits.get(measured.check)
            if limit is not None and measured.measurements:
                value = _find_worst_value(measured.measurements, limit)
                if math.isfinite(value):
                    columns.setdefault(measured.check, np.full(len(episodes), np.nan))[row] = value
    return columns


def _find_worst_value(measurements: Sequence[Measurement], limit: Limit) -> float:
    """Return the number furthest beyond its limit or nearest to it; with two limits, the median."""
    values = [m.value for m in measurements if not m.cannot_tell and math.isfinite(m.value)]
    if not values:
        return math.nan
    if limit.minimum is None:
        return max(values)
    return min(values) if limit.maximum is None else float(np.median(values))

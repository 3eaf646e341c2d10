"""One metric over batches, with the limits between which it was expected."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One metric over batches, for a plot: its typical value, and between which limits it was expected.

    `counted` says that values are the share of episodes that differ from `usual`. Limits are NaN for the first few.
    """

    metric: str
    unit: str
    batches: tuple[str, ...]
    starts_ns: tuple[int, ...]
    episodes: tuple[int, ...]
    values: Floats
    low: Floats
    high: Floats
    alerts: tuple[int, ...]
    counted: bool = False
    usual: float = 0.0

"""One metric over batches, with the limits between which it was expected."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """One metric over batches, for a plot: its typical value, and between which limits it was expected.

    `counted` means that values are the share of episodes that differ from `usual`. Limits are NaN for the first few.
    """

    metric: str
    unit: str
    batches: tuple[str, ...]
    starts_ns: tuple[int, ...]
    episodes: tuple[int, ...]
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    alerts: tuple[int, ...]
    counted: bool = False
    usual: float = 0.0

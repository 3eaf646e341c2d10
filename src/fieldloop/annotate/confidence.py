"""From how clear a proposal is to how probable it is: a logistic curve, fitted to labels that are known."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class ReliabilityRow:
    """Proposals of one range of confidence: how many, their mean confidence, and the share that was right."""

    low: float
    high: float
    count: int
    confidence: float
    right: float


def compute_confidence(clear: float, method: str, numbers: Mapping[str, float]) -> float:
    """Return the probability that a segment is right, from how clear it is.

    Right means: the true segment of the same label overlaps with it by at least half of their union.

    >>> numbers = {"joints_base": 0.0, "joints_slope": 2.0, "confidence_most": 0.97}
    >>> compute_confidence(0.0, "joints", numbers), round(compute_confidence(1.0, "joints", numbers), 2)
    (0.5, 0.88)
    """
    exponent = numbers[f"{method}_base"] + numbers[f"{method}_slope"] * clear
    return round(min(1 / (1 + math.exp(-exponent)), numbers["confidence_most"]), 3)


def measure_reliability(
    judged: Iterable[tuple[float, bool]], edges: Sequence[float] = (0, 0.5, 0.7, 0.8, 0.9, 0.95, 1)
) -> list[ReliabilityRow]:
    """Compare confidence with the share that was right, by ranges of confidence; empty ranges are left out.

    >>> [(row.count, row.right) for row in measure_reliability([(0.6, True), (0.65, False), (0.99, True)])]
    [(2, 0.5), (1, 1.0)]
    """
    pairs = list(judged)
    stated = np.array([p for p, _ in pairs], float)
    right = np.array([r for _, r in pairs], float)
    place = np.clip(np.searchsorted(edges, stated, side="right") - 1, 0, len(edges) - 2)
    return [
        ReliabilityRow(
            float(edges[k]), float(edges[k + 1]), int(here.sum()), float(stated[here].mean()), float(right[here].mean())
        )
        for k in range(len(edges) - 1)
        if (here := place == k).any()
    ]


def measure_calibration_error(rows: Sequence[ReliabilityRow]) -> float:
    """Return the mean distance of confidence from the share that was right, weighted by counts.

    >>> round(measure_calibration_error(measure_reliability([(0.9, True), (0.9, False)])), 2)
    0.4
    """
    total = sum(row.count for row in rows)
    return sum(row.count * abs(row.confidence - row.right) for row in rows) / total if total else float("nan")

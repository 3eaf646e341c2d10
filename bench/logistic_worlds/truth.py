"""What each cause really costs: the expected success of the same rows with and without it, in the logistic model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial

import numpy as np

from bench.logistic_worlds.floor import Floats

WEAK = 0.05
"""Fixed in advance: a loss, or a cost of all causes together, below five points is weak and reported separately."""
HALVINGS, LARGEST = 60, 30.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted cause: what counts as its name, where it is, and how strongly it acts on every row.

    A fault lowers the log-odds by `size` times the dose; one that `flips` turns that part of all successes into
    failures. `place` are its conditions; a level of '' is any level (numbers, counters).
    """

    kind: str
    gaps: tuple[str, ...]
    place: tuple[tuple[str, str], ...]
    after: Floats
    before: Floats
    flips: bool = False
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class Truth:
    """Expected success before and after, after without any cause, and what each cause costs and its share."""

    baseline: float
    production: float
    without: float
    costs: tuple[float, ...]
    shares: tuple[float, ...]

    @property
    def is_weak(self) -> bool:
        """Is there a cause, but too small a loss to find it?"""
        return bool(self.costs) and min(self.baseline - self.production, self.without - self.production) < WEAK


def success(ease: Floats, faults: Sequence[tuple[Fault, Floats]]) -> Floats:
    """Return the probability of success of every row under these faults, each given with its dose."""
    odds, kept = ease.copy(), np.ones(len(ease))
    for fault, dose in faults:
        if fault.flips:
            kept = kept * (1.0 - fault.size * dose)
        else:
            odds = odds - fault.size * dose
    return np.asarray(kept / (1.0 + np.exp(-odds)))


def compute_truth(before: Floats, after: Floats, faults: Sequence[Fault]) -> Truth:
    """Compute Shapley values over all sets of causes; shares of the loss add up to at most all of it."""

    def rate(present: Sequence[Fault]) -> float:
        return float(success(after, [(fault, fault.after) for fault in present]).mean())

    baseline = float(success(before, [(fault, fault.before) for fault in faults]).mean())
    costs = tuple(_shapley(k, faults, rate) for k in range(len(faults)))
    loss = baseline - rate(faults)
    parts = [max(cost, 0.0) / loss if loss > 0 else 0.0 for cost in costs]
    whole = max(1.0, sum(parts))
    return Truth(baseline, rate(faults), rate(()), costs, tuple(part / whole for part in parts))


def _shapley(which: int, faults: Sequence[Fault], rate: Callable[[Sequence[Fault]], float]) -> float:
    others = [fault for k, fault in enumerate(faults) if k != which]
    total, count = 0.0, len(faults)
    for size in range(count):
        weight = factorial(size) * factorial(count - size - 1) / factorial(count)
        for chosen in combinations(others, size):
            total += weight * (rate(chosen) - rate((*chosen, faults[which])))
    return total


def solve_size(ease: Floats, fault: Fault, cost: float) -> float:
    """Find the size at which a fault alone costs so much of production's success, by halving."""
    sound = float(success(ease, ()).mean())
    low, high = 0.0, 1.0 if fault.flips else LARGEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        sized = replace(fault, size=middle)
        if sound - float(success(ease, [(sized, fault.after)]).mean()) < cost:
            low = middle
        else:
            high = middle
    return low


def largest_cost(ease: Floats, fault: Fault) -> float:
    """Return the most that a fault could cost: every affected attempt fails."""
    return float((success(ease, ()) * np.minimum(fault.after, 1.0)).mean())

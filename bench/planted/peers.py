"""Two other methods to find a cause: slices with many errors, and inputs that drifted."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bench.planted.features import CAUSE_OF, COUNTERS, numbers, words
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome
from fieldloop.stats.difference import compute_drop_p_value

ALPHA, LEAST_SUPPORT, PARTS = 0.95, 32, 4
"""SliceLine's default weight and minimum support; numbers are cut into quarters."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Named:
    """Causes that a method names, in order, with their shares of the loss."""

    shares: dict[Gap, float]

    @property
    def is_wrong(self) -> bool:
        """Does the method report that something is wrong?"""
        return bool(self.shares)


def slices(baseline: Sequence[Outcome], production: Sequence[Outcome]) -> Named:
    """Search for conditions, alone or in pairs, with many errors and many attempts.

    The score is SliceLine's (Sagadeeva and Boehm, SIGMOD 2021, doi 10.1145/3448016.3457323): the weight times how much
    worse the slice is than all, less the rest times how much smaller. It knows nothing of a baseline; so that it need
    not always find something, it is asked only where production is significantly worse than the baseline.
    """
    failed = np.array([outcome.succeeded is False for outcome in production])
    good = (sum(o.succeeded is True for o in baseline), len(baseline))
    if compute_drop_p_value((int((~failed).sum()), len(failed)), good) > LEVEL:
        return Named({})
    masks = _literals(production)
    error, count, found = float(failed.mean()), len(failed), {}
    pairs = [pair for pair in combinations(masks, 2) if pair[0][0] != pair[1][0]]
    for key in [*((name,) for name in masks), *pairs]:
        mask = np.logical_and.reduce([masks[name] for name in key])
        if (size := int(mask.sum())) >= max(LEAST_SUPPORT, count // 100):
            worse = float(failed[mask].mean()) / error - 1
            found[key] = (ALPHA * worse - (1 - ALPHA) * (count / size - 1), mask)
    best = max(found, key=lambda key: found[key][0])
    mask = found[best][1]
    culprit = max(best, key=lambda name: found[(name,)][0] if (name,) in found else -np.inf)
    lost = good[0] / good[1] - (1 - error)
    rest = float(failed[~mask].mean()) if (~mask).any() else 0.0
    share = mask.mean() * (float(failed[mask].mean()) - rest) / max(lost, 1e-9)
    return Named({CAUSE_OF[culprit[0]]: float(np.clip(share, 0, 1))})


def drift(baseline: Sequence[Outcome], production: Sequence[Outcome]) -> Named:
    """Compare inputs before and after, column by column; the column that shifted most is named as the only cause."""
    from scipy.stats import chi2_contingency, ks_2samp

    shifted: dict[str, float] = {}
    was, now = words(baseline), words(production)
    columns = len(was) + len(numbers(production))
    for name in was:
        levels = np.union1d(was[name], now[name])
        counts = np.array([[np.sum(side[name] == level) for level in levels] for side in (was, now)])
        if len(levels) > 1:
            test = chi2_contingency(counts)
            if test.pvalue < LEVEL / columns:
                shares = counts / counts.sum(axis=1, keepdims=True)
                shifted[name] = float(np.abs(shares[0] - shares[1]).sum() / 2)
    before, after = numbers(baseline), numbers(production)
    for name in sorted(before.keys() - set(COUNTERS)):
        then, since = (side[name][np.isfinite(side[name])] for side in (before, after))
        if len(then) and len(since):
            test = ks_2samp(then, since)
            if test.pvalue < LEVEL / columns:
                shifted[name] = float(test.statistic)
    return Named({CAUSE_OF[max(shifted, key=lambda name: shifted[name])]: 1.0} if shifted else {})


def _literals(production: Sequence[Outcome]) -> dict[tuple[str, str], NDArray[np.bool_]]:
    """Return every column at every level; numbers by quarters."""
    masks: dict[tuple[str, str], NDArray[np.bool_]] = {}
    for name, column in words(production).items():
        masks |= {(name, str(level)): column == level for level in np.unique(column)}
    for name, values in numbers(production).items():
        edges = np.nanquantile(values, np.linspace(0, 1, PARTS + 1)[1:-1])
        part = np.digitize(values, edges)
        masks |= {(name, f"quarter {k + 1}"): (part == k) & np.isfinite(values) for k in range(PARTS)}
    return masks

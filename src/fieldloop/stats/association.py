"""Association of two categorical variables beyond chance: the uncertainty coefficient with a permutation test.

The uncertainty coefficient (Theil 1970) is the share of the target's entropy that a clue removes. It is above zero in
any finite sample, so the mean over permutations of the clue is subtracted. Whole blocks are permuted: neighbours
resemble each other in both variables, and a hundred episodes of one session are not a hundred independent samples.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
SHUFFLES = 200  # the smallest p-value that they can show is 1 in 201
FIRST = 20  # where these already reach the observed value, more change nothing


@dataclass(frozen=True, slots=True)
class Association:
    """The uncertainty coefficient, corrected for chance, with one-sided bounds; `chance` is the permutation p-value."""

    value: float
    low: float
    high: float
    chance: float


def compute_uncertainty_coefficient(
    clue: Codes, target: Codes, block: Codes, level: float, upper: float, seed: int = 0
) -> Association | None:
    """Measure how much a clue predicts a target, both in order of time; None where the target does not vary.

    `block` numbers the stretches that are permuted as a whole. `level` is that of the lower bound, `upper` that of the
    upper one.

    >>> target = np.random.default_rng(0).integers(0, 2, 100)
    >>> found = compute_uncertainty_coefficient(target, target, np.arange(100), 0.95, 0.95)
    >>> round(found.value, 2), found.low > 0.5
    (0.99, True)
    """
    from scipy.special import ndtri

    entropy = _compute_entropy(np.bincount(target))
    if entropy <= 0.0:
        return None
    seen, error = _compute_mutual_information(clue, target)
    random = np.random.default_rng(seed)
    edges = np.flatnonzero(np.diff(block)) + 1
    by_chance = np.empty(0)
    for rounds in (
        FIRST,
        SHUFFLES - FIRST,
    ):  # where a few permutations already reach the observed value, more change nothing
        more = [_compute_mutual_information(_permute_blocks(clue, edges, random), target)[0] for _ in range(rounds)]
        by_chance = np.append(by_chance, more)
        if np.max(by_chance) >= seen:
            break
    usual = float(np.mean(by_chance))
    wide = float(ndtri(upper)) * error
    value = max(seen - usual, 0.0)
    low = max(seen - _estimate_permutation_quantile(by_chance, level) - wide, 0.0)
    high = value + wide + _estimate_permutation_quantile(by_chance, upper) - usual
    chance = (1 + int(np.sum(by_chance >= seen - 1e-12))) / (len(by_chance) + 1)
    return Association(value / entropy, low / entropy, min(high / entropy, 1.0), chance)


def assign_quantile_classes(values: NDArray[np.float64], class_count: int = 4) -> Codes:
    """Put numbers into classes of equal size; equal numbers share a class.

    >>> assign_quantile_classes(np.asarray([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    edges = np.unique(np.quantile(values, np.arange(1, class_count) / class_count))
    return np.searchsorted(edges, values).astype(np.int64)


def _compute_mutual_information(clue: Codes, target: Codes) -> tuple[float, float]:
    """Return the mutual information in nats, and the standard error it has in a sample of this size."""
    wide = int(target.max()) + 1
    joint = np.bincount(clue * wide + target, minlength=(int(clue.max()) + 1) * wide).reshape(-1, wide) / len(clue)
    alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    held = joint > 0.0
    surprise = np.log(joint[held] / alone[held])
    mean = float(np.sum(joint[held] * surprise))
    variance = float(np.sum(joint[held] * (surprise - mean) ** 2))
    return mean, math.sqrt(variance / len(clue))


def _permute_blocks(clue: Codes, edges: NDArray[np.intp], random: np.random.Generator) -> Codes:
    """Permute the blocks, then rotate the whole, so that block ends meet different neighbours."""
    if len(edges) == len(clue) - 1:
        return random.permutation(clue)
    parts = np.split(clue, edges)
    moved = np.concatenate([parts[i] for i in random.permutation(len(parts))])
    return np.roll(moved, int(random.integers(len(moved))))


def _estimate_permutation_quantile(permuted_values: NDArray[np.float64], level: float) -> float:
    """Return a quantile of the permutations; beyond their number a gamma distribution with their moments extends them.

    In the limit twice the information, times the sample, is chi-squared: a gamma distribution.
    """
    if level * (len(permuted_values) + 1) <= len(permuted_values) - 1:
        return float(np.quantile(permuted_values, level, method="higher"))
    from scipy.special import gammaincinv

    mean, variance = float(np.mean(permuted_values)), float(np.var(permuted_values))
    most = float(np.max(permuted_values))
    if variance <= 0.0:
        return most
    return max(most, float(gammaincinv(mean**2 / variance, level)) * variance / mean)


def _compute_entropy(counts: NDArray[np.int64]) -> float:
    share = counts[counts > 0] / counts.sum()
    return float(-np.sum(share * np.log(share)))

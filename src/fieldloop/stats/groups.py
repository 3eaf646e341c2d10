"""Effect size of a grouping: how far groups differ, in units of the spread within a group.

One-way analysis of variance with the interval that the non-central F distribution gives for the effect size (Steiger
2004, 'Beyond the F test'), so that 'alike' and 'not enough data' are two different answers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

Floats = NDArray[np.float64]
MOST_EXACT = 1000.0  # beyond this the exact series overflows


@dataclass(frozen=True, slots=True)
class Apart:
    """Root mean square distance of group means from the common mean, in standard deviations within a group.

    `low` and `high` are one-sided bounds, each at its own level. `means` are the groups' distances with their signs, in
    the order of `groups`; `chance` is the p-value of the F test.
    """

    value: float
    low: float
    high: float
    chance: float
    groups: tuple[str, ...]
    means: tuple[float, ...]

    @property
    def farthest_group(self) -> tuple[str, float]:
        """Return the group farthest from the common mean, and how far."""
        at = int(np.argmax(np.abs(self.means)))
        return self.groups[at], self.means[at]


def compute_normal_scores(values: Floats) -> Floats:
    """Replace values by the normal quantiles of their ranks (ties share one), so that outliers lose their influence.

    >>> compute_normal_scores(np.asarray([3.0, 1.0, 900.0])).round(2).tolist()
    [0.0, -0.67, 0.67]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    return np.asarray(ndtri((rankdata(values)) / (len(values) + 1.0)), dtype=np.float64)


def measure_group_effect(
    values: Floats, labels: Sequence[str], low_level: float = 0.95, high_level: float = 0.95, removed: int = 0
) -> Apart | None:
    """Measure how far groups differ; None with a single group, or without spread to compare with.

    `removed` is the number of averages over several groups, beside the common one, already subtracted from the values.

    >>> scores = np.asarray([0.0, 1.0, 2.0, 0.1, 1.1, 2.1])
    >>> found = measure_group_effect(scores, ["a", "a", "a", "b", "b", "b"])
    >>> round(found.value, 2), round(found.low, 2), found.high > 0.4
    (0.0, 0.0, True)
    """
    if len(values) != len(labels):
        raise BadInput(f"{len(values)} values have {len(labels)} labels; each value needs one label.")
    names, code = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
    counts = np.bincount(code).astype(np.float64)
    inside = len(values) - len(names)
    freedom = len(names) - 1 - removed
    if freedom < 1 or inside < 1:
        return None
    means = np.bincount(code, weights=values) / counts
    spread = math.sqrt(float(np.sum((values - means[code]) ** 2)) / inside)
    if spread <= 0.0:
        return None
    distances = (means - float(np.mean(values))) / spread
    between = float(np.sum(counts * distances**2))
    ratio = between / freedom
    # the sum of squares contains one unit of noise per degree of freedom; the rest is due to the groups
    value = math.sqrt(max(between * (inside - 2) / inside - freedom, 0.0) / len(values)) if inside > 2 else 0.0  # noqa: PLR2004 - the mean of 1/F exists from 3 on
    low, high = (
        math.sqrt(_find_noncentrality(ratio, freedom, inside, p) / len(values)) for p in (low_level, 1.0 - high_level)
    )
    return Apart(
        value, low, high, _compute_f_p_value(ratio, freedom, inside), tuple(names.tolist()), tuple(distances.tolist())
    )


def _compute_f_p_value(ratio: float, freedom: int, inside: int) -> float:
    from scipy.special import fdtrc

    return float(fdtrc(freedom, inside, ratio))


def _find_noncentrality(ratio: float, freedom: int, inside: int, probability: float) -> float:
    """Return the non-centrality at which an F ratio up to this one has this probability; 0 where none is so small."""
    from scipy.optimize import brentq

    def compute_miss(centre: float) -> float:
        return _compute_noncentral_f_cdf(ratio, freedom, inside, centre) - probability

    if compute_miss(0.0) <= 0.0:
        return 0.0
    top = max(4.0 * ratio * freedom, 16.0)
    while compute_miss(top) > 0.0:
        top *= 2.0
    return float(brentq(compute_miss, 0.0, top, xtol=1e-6))


def _compute_noncentral_f_cdf(ratio: float, freedom: int, inside: int, centre: float) -> float:
    """Return the probability that a non-central F ratio lies below this one.

    The exact series overflows in large samples; there the cube root's normal approximation (Severo & Zelen 1960) is
    good to two or three digits.
    """
    from scipy.special import ncfdtr, ndtr

    exact = float(ncfdtr(freedom, inside, centre, ratio)) if centre < MOST_EXACT else math.nan
    if math.isfinite(exact):
        return exact
    share = ratio * freedom / (freedom + centre)
    own_variance = 2.0 * (freedom + 2.0 * centre) / (9.0 * (freedom + centre) ** 2)
    other = 2.0 / (9.0 * inside)
    return float(
        ndtr(
            (share ** (1 / 3) * (1.0 - other) - (1.0 - own_variance))
            / math.sqrt(own_variance + other * share ** (2 / 3))
        )
    )

"""Comparison of two success rates: intervals, exact test and sequential test of their difference.

Counts are pairs (successes, trials).
"""

import math

from fieldloop.errors import BadInput
from fieldloop.stats import binomial

Counts = tuple[int, int]

LEAST_LEVEL = 0.7
"""Smallest level: below it the tuning of the boundary has no solution."""


def compute_difference_interval(
    first_counts: Counts, second_counts: Counts, level: float = 0.95
) -> tuple[float, float]:
    """Return the two-sided interval of our rate minus theirs (Newcombe's hybrid of two Wilson intervals).

    >>> [round(x, 4) for x in compute_difference_interval((56, 70), (48, 80))]
    [0.0524, 0.3339]
    >>> compute_difference_interval((0, 0), (9, 10))[0]
    -1.0
    """
    if first_counts[1] == 0 or second_counts[1] == 0:
        return (-1.0, 1.0)
    low, high = binomial.compute_wilson_interval(*first_counts, level)
    their_low, their_high = binomial.compute_wilson_interval(*second_counts, level)
    rate, their_rate = first_counts[0] / first_counts[1], second_counts[0] / second_counts[1]
    below = math.hypot(rate - low, their_high - their_rate)
    above = math.hypot(high - rate, their_rate - their_low)
    return (max(-1.0, rate - their_rate - below), min(1.0, rate - their_rate + above))


def compute_difference_lower_bound(first_counts: Counts, second_counts: Counts, level: float = 0.95) -> float:
    """Return the one-sided bound: our rate minus theirs is above it, except with probability 1 - level."""
    return compute_difference_interval(first_counts, second_counts, 2.0 * level - 1.0)[0]


def compute_drop_p_value(after: Counts, before: Counts) -> float:
    """Return the one-sided p-value of a drop (Fisher's exact test).

    >>> round(compute_drop_p_value(after=(59, 100), before=(85, 100)), 6)
    3.3e-05
    >>> compute_drop_p_value(after=(0, 0), before=(9, 10))
    1.0
    """
    from scipy.stats import hypergeom

    if after[1] == 0 or before[1] == 0:
        return 1.0
    successes, trials = after[0] + before[0], after[1] + before[1]
    return float(hypergeom.cdf(after[0], trials, successes, after[1]))


def compute_drop_score(first_counts: Counts, second_counts: Counts) -> float:
    """Return by how many pooled standard errors our rate lies below theirs."""
    if first_counts[1] == 0 or second_counts[1] == 0:
        return 0.0
    pooled = (first_counts[0] + second_counts[0]) / (first_counts[1] + second_counts[1])
    variance = pooled * (1.0 - pooled) * (1.0 / first_counts[1] + 1.0 / second_counts[1])
    return (
        (second_counts[0] / second_counts[1] - first_counts[0] / first_counts[1]) / math.sqrt(variance)
        if variance > 0.0
        else 0.0
    )


def compute_anytime_threshold(first_trials: int, second_trials: int, sharpest_at: int, level: float = 0.95) -> float:
    """Return the score above which a drop is significant however often it was tested before (sequential test).

    One-sided normal mixture (Waudby-Smith et al. 2024, asymptotic confidence sequences), sharpest when our arm alone
    has `sharpest_at` trials. A fixed test of the same level would require 1.64, and have far more false positives when
    it is repeated daily.

    >>> (round(compute_anytime_threshold(200, 10**9, sharpest_at=200), 2),
    ...  round(compute_anytime_threshold(5, 45, sharpest_at=200), 2))
    (2.78, 5.97)
    """
    if not LEAST_LEVEL < level < 1.0:
        raise BadInput(f"A level of {level!r} is not between {LEAST_LEVEL} and 1; write 95 % as 0.95.")
    if first_trials == 0 or second_trials == 0:
        return math.inf
    alpha = 1.0 - level
    best = -2.0 * math.log(2.0 * alpha) + math.log(-2.0 * math.log(2.0 * alpha)) + 1.0
    time = best / sharpest_at / (1.0 / first_trials + 1.0 / second_trials)
    return math.sqrt(2.0 * (time + 1.0) / time * math.log1p(math.sqrt(time + 1.0) / (2.0 * alpha)))

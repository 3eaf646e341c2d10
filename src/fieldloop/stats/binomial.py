"""Confidence bounds and intervals of a success rate from counts."""

import math

from fieldloop.errors import BadInput

MOST_TRIALS = 10_000_000
"""Upper limit of the search; more trials are never run."""


def compute_wilson_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the two-sided Wilson interval; without trials it is 0 to 1.

    >>> [round(x, 4) for x in compute_wilson_interval(85, 100)]
    [0.7672, 0.9069]
    >>> compute_wilson_interval(0, 0)
    (0.0, 1.0)
    """
    from scipy.special import ndtri

    _check_counts(successes, trials, level)
    if trials == 0:
        return (0.0, 1.0)
    z = float(ndtri(0.5 + level / 2))
    rate, spread = successes / trials, z * z / trials
    centre = (rate + spread / 2) / (1 + spread)
    half = math.sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return (low, high)


def compute_lower_bound(successes: int, trials: int, level: float = 0.95) -> float:
    """Return the exact one-sided (Clopper-Pearson) bound that the true rate exceeds, at this level.

    >>> round(compute_lower_bound(100, 100), 4), compute_lower_bound(0, 10), compute_lower_bound(0, 0)
    (0.9705, 0.0, 0.0)
    """
    _check_counts(successes, trials, level)
    return _compute_beta_bound(successes, trials, level)


def compute_upper_bound(successes: int, trials: int, level: float = 0.95) -> float:
    """Return the exact one-sided (Clopper-Pearson) bound that the true rate stays below, at this level.

    >>> round(compute_upper_bound(0, 100), 4), compute_upper_bound(0, 0)
    (0.0295, 1.0)
    """
    return 1.0 - compute_lower_bound(trials - successes, trials, level)


def count_more_trials_needed(successes: int, trials: int, target: float, level: float = 0.95) -> int | None:
    """Return how many more trials at the observed rate bring the lower bound to the target; None where none will.

    Nothing seen yet counts as a perfect rate: the answer is then the fewest trials that could ever do.

    >>> (count_more_trials_needed(0, 0, 0.85), count_more_trials_needed(90, 100, 0.85),
    ...  count_more_trials_needed(80, 100, 0.85))
    (19, 50, None)
    """
    _check_counts(successes, trials, level)
    if not 0.0 <= target <= 1.0:
        raise BadInput(f"A target rate of {target!r} is not between 0 and 1.")
    if compute_lower_bound(successes, trials, level) >= target:
        return 0
    rate = successes / trials if trials else 1.0
    if rate <= target:
        return None

    more, step = 0, MOST_TRIALS
    while step:  # the bound at a fixed rate rises with the trials, so halving the step finds the last that falls short
        if _compute_beta_bound(rate * (trials + more + step), trials + more + step, level) < target:
            more += step
            if more >= MOST_TRIALS:
                return None
        step //= 2
    more += 1
    while _compute_beta_bound(math.floor(rate * (trials + more) + 1e-9), trials + more, level) < target:
        more += 1  # successes are whole: a fraction of one does not raise the bound
    return more


def _compute_beta_bound(successes: float, trials: int, level: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(successes, trials - successes + 1, 1 - level)) if successes > 0 else 0.0


def _check_counts(successes: int, trials: int, level: float) -> None:
    if not 0 <= successes <= trials:
        raise BadInput(f"{successes} successes in {trials} trials is impossible; count both from the same attempts.")
    if not 0.0 < level < 1.0:
        raise BadInput(f"A level of {level!r} is not between 0 and 1; write 95 % as 0.95.")

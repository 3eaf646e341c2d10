"""Exact bounds on the ratio of two binomial rates.

Score statistic of Farrington and Manning (1990) with the rates constrained to the ratio in question; its distribution
is summed over every possible outcome, worst case over the unknown base rate (Chan and Zhang 1999). The grid over that
rate is the only approximation.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
GRID = 200  # steps of the nuisance rate over which the worst case is sought
STEPS = 40  # bisection to a trillionth
KEPT = 4096  # bounds of counts that were asked for before; a gate is asked again with the same trials


@dataclass(frozen=True, slots=True)
class TwoRates:
    """Successes and trials under the condition in question, and under base conditions."""

    successes: int
    trials: int
    base_successes: int
    base_trials: int

    @property
    def ratio(self) -> float:
        """The observed ratio; infinite where nothing succeeded under base conditions."""
        base = self.base_successes / self.base_trials
        return self.successes / self.trials / base if base else np.inf


def compute_chance_of_as_good(two_rates: TwoRates, ratio: float) -> float:
    """Return the probability that a policy keeping only `ratio` of its base rate looks at least this good."""
    return _compute_tail_probability(two_rates, ratio, sign=1.0)


def compute_chance_of_as_bad(two_rates: TwoRates, ratio: float) -> float:
    """Return the probability that a policy keeping `ratio` of its base rate looks at least this bad."""
    return _compute_tail_probability(two_rates, ratio, sign=-1.0)


@lru_cache(KEPT)
def compute_ratio_bounds(two_rates: TwoRates, level: float) -> tuple[float, float]:
    """Return one-sided lower and upper bounds of the true ratio, each at this level."""
    observed, alpha = two_rates.ratio, 1 - level
    low = _bisect_bound(two_rates, 1e-6, observed, alpha, rising=True) if two_rates.successes else 0.0
    high = _bisect_bound(two_rates, observed, max(4.0, 4 * observed), alpha, rising=False)
    return low, high


def compute_score(two_rates: TwoRates, ratio: float) -> float:
    """Return the score statistic of the observed rates for a ratio."""
    return float(
        _compute_scores(
            np.array(two_rates.successes),
            np.array(two_rates.base_successes),
            two_rates.trials,
            two_rates.base_trials,
            ratio,
        )
    )


def _bisect_bound(two_rates: TwoRates, low: float, high: float, alpha: float, *, rising: bool) -> float:
    for _ in range(STEPS):
        middle = (low + high) / 2
        refuted = (compute_chance_of_as_good if rising else compute_chance_of_as_bad)(two_rates, middle) <= alpha
        low, high = (middle, high) if refuted == rising else (low, middle)
    return low if rising else high


def _compute_tail_probability(two_rates: TwoRates, ratio: float, sign: float) -> float:
    n, m = two_rates.trials, two_rates.base_trials
    every = _compute_scores(np.arange(n + 1)[:, None], np.arange(m + 1)[None, :], n, m, ratio)
    extreme = (sign * every >= sign * every[two_rates.successes, two_rates.base_successes] - 1e-9).astype(float)
    base = np.linspace(0.0, min(1.0, 1.0 / ratio), GRID + 1)
    ours, theirs = _compute_binomial_probabilities(n, ratio * base), _compute_binomial_probabilities(m, base)
    return float(np.einsum("gi,ij,gj->g", ours, extreme, theirs, optimize=True).max())


def _compute_binomial_probabilities(trials: int, rates: Floats) -> Floats:
    from scipy.special import xlog1py, xlogy

    k = np.arange(trials + 1)
    rates = np.clip(rates, 0.0, 1.0)[:, None]
    return np.asarray(np.exp(_compute_log_binomials(trials) + xlogy(k, rates) + xlog1py(trials - k, -rates)))


@cache
def _compute_log_binomials(trials: int) -> Floats:
    from scipy.special import gammaln

    k = np.arange(trials + 1)
    return np.asarray(gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1))


def _compute_scores(
    successes: NDArray[np.int64], base_successes: NDArray[np.int64], trials: int, base_trials: int, ratio: float
) -> Floats:
    a, c = ratio * (trials + base_trials), successes + base_successes
    b = -(successes + base_trials + ratio * (base_successes + trials))
    base = np.clip((-b - np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))) / (2 * a), 0.0, min(1.0, 1.0 / ratio))
    spread = np.sqrt(ratio * base * (1 - ratio * base) / trials + ratio**2 * base * (1 - base) / base_trials)
    gap = successes / trials - ratio * base_successes / base_trials
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(spread > 0, gap / spread, np.where(gap == 0, 0.0, np.sign(gap) * np.inf)))

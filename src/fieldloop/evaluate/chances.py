"""Exact probabilities that a policy of a given true rate passes, fails, or needs more trials."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.evaluate.rates import Looks, judge_bounds
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import binomial


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the three verdicts after the last look."""

    passes: float
    fails: float
    cannot_tell: float


def compute_verdict_chances(
    required: float, true_rate: float, looks_after_trials: Sequence[int], settings: Section
) -> Chances:
    """Return the verdict probabilities for looks after these total numbers of trials, such as (100, 200).

    Sums the binomial over every outcome that leads to another look; nothing is simulated or approximated.
    """
    from scipy.stats import binom

    open_mass, done, passed, failed = np.ones(1), 0, 0.0, 0.0
    for look, total in enumerate(looks_after_trials, 1):
        step = binom.pmf(np.arange(total - done + 1), total - done, true_rate)
        open_mass, done = np.convolve(open_mass, step), total
        looks = Looks.at(look, settings)
        verdicts = [_judge_successes(k, total, required, looks_after_trials[0], looks) for k in range(total + 1)]
        passed += float(open_mass[[v is Status.PASSED for v in verdicts]].sum())
        failed += float(open_mass[[v is Status.FAILED for v in verdicts]].sum())
        open_mass = np.where([v is Status.CANNOT_TELL for v in verdicts], open_mass, 0.0)
    return Chances(passed, failed, float(open_mass.sum()))


def _judge_successes(successes: int, trials: int, required: float, planned: int, looks: Looks) -> Status:
    low = binomial.compute_lower_bound(successes, trials, looks.level)
    high = binomial.compute_upper_bound(successes, trials, looks.level)
    return judge_bounds(low, high, required, complete=trials >= planned)

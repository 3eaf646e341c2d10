"""How often does a policy of a given true rate pass, fail, or need more trials? Computed exactly."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.evaluate.rates import Looks, verdict
from fieldloop.model.finding import Status
from fieldloop.protocol import Section
from fieldloop.stats import binomial


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the three answers after the last look."""

    passes: float
    fails: float
    cannot_tell: float


def chances(required: float, true_rate: float, trials: Sequence[int], settings: Section) -> Chances:
    """Return how a requirement treats a policy whose looks come after so many trials in all, such as (100, 200).

    Sums the binomial over every outcome that leads to another look; nothing is simulated or approximated.
    """
    from scipy.stats import binom

    open_mass, done, passed, failed = np.ones(1), 0, 0.0, 0.0
    for look, total in enumerate(trials, 1):
        step = binom.pmf(np.arange(total - done + 1), total - done, true_rate)
        open_mass, done = np.convolve(open_mass, step), total
        looks = Looks.at(look, settings)
        answers = [_answer(k, total, required, trials[0], looks) for k in range(total + 1)]
        passed += float(open_mass[[a is Status.PASSED for a in answers]].sum())
        failed += float(open_mass[[a is Status.FAILED for a in answers]].sum())
        open_mass = np.where([a is Status.CANNOT_TELL for a in answers], open_mass, 0.0)
    return Chances(passed, failed, float(open_mass.sum()))


def _answer(successes: int, trials: int, required: float, planned: int, looks: Looks) -> Status:
    low = binomial.lower_bound(successes, trials, looks.level)
    high = binomial.upper_bound(successes, trials, looks.level)
    return verdict(low, high, required, complete=trials >= planned)

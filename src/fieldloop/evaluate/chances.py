"""Exact probabilities that a policy of a given true rate passes, fails, or needs more trials."""

from dataclasses import dataclass

import numpy as np

from fieldloop.evaluate.looks import Looks
from fieldloop.evaluate.rates import Rule, judge_look
from fieldloop.model.finding import Status
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the three verdicts after the last look."""

    passes: float
    fails: float
    cannot_tell: float


def compute_verdict_chances(
    required: float, true_rate: float, planned: int, look_count: int, settings: Section
) -> Chances:
    """Return the verdict probabilities of a policy that is tried until a look decides, for so many looks.

    Looks come after the planned number of trials, twice that number, and so on. Trials between them are not judged, so
    these are also the probabilities for a team that asks after every trial and stops as soon as it likes the answer.
    Sums the binomial over every outcome that leads to another look; nothing is simulated or approximated.
    """
    from scipy.stats import binom

    rule, looks = Rule(required, planned), Looks.from_settings(settings)
    step = binom.pmf(np.arange(planned + 1), planned, true_rate)
    open_mass, passed, failed = np.ones(1), 0.0, 0.0
    for look in range(1, look_count + 1):
        open_mass = np.convolve(open_mass, step)
        level, trials = looks.get_level(look), look * rule.planned
        verdicts = [judge_look(k, trials, rule.required, level).status for k in range(trials + 1)]
        passed += float(open_mass[[v is Status.PASSED for v in verdicts]].sum())
        failed += float(open_mass[[v is Status.FAILED for v in verdicts]].sum())
        open_mass = np.where([v is Status.CANNOT_TELL for v in verdicts], open_mass, 0.0)
    return Chances(passed, failed, float(open_mass.sum()))

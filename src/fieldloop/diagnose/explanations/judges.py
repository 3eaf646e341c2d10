"""Do judges agree? Verdicts of several judges on the same attempts."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fieldloop.model.attempts import Key, get_attempt_key, names_attempts, select_known_results
from fieldloop.model.policy import Outcome
from fieldloop.stats.kappa import compute_cohens_kappa

JUDGES_DISAGREE = "diagnose.judges_disagree"


@dataclass(frozen=True)
class Judges:
    """How many attempts two people judged, how often they agreed, and Cohen's kappa (None where all are alike)."""

    attempts: int
    same: float
    kappa: float | None
    divided: float = 0.0
    """Share of attempts on which not all judges agree."""

    def disagree(self, least_kappa: float, fewest: float) -> bool:
        """Is there enough evidence that they apply different standards?"""
        return self.attempts >= fewest and self.kappa is not None and self.kappa < least_kappa


def compare(outcomes: Sequence[Outcome]) -> Judges | None:
    """Compare verdicts pair by pair; None where no attempt has two judges."""
    if not names_attempts(outcomes):
        return None
    by_attempt: dict[Key, dict[str, bool]] = {}
    for outcome in select_known_results(outcomes):
        if (key := get_attempt_key(outcome)) is not None:
            by_attempt.setdefault(key, {})[outcome.judged_by] = bool(outcome.succeeded)
    pairs = Counter((by[a], by[b]) for by in by_attempt.values() for a, b in pairwise(sorted(by)))
    if not pairs:
        return None
    same = (pairs[True, True] + pairs[False, False]) / pairs.total()
    kappa = compute_cohens_kappa(pairs)
    several = [by for by in by_attempt.values() if len(by) > 1]
    divided = sum(len(set(by.values())) > 1 for by in several) / len(several)
    return Judges(len(several), same, kappa if math.isfinite(kappa) else None, divided)

"""Do those who judge agree? Verdicts of several judges on the same attempts."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fieldloop.model.attempts import Key, attempt_of
from fieldloop.model.policy import Outcome
from fieldloop.stats.kappa import cohens_kappa


@dataclass(frozen=True)
class Judges:
    """How many attempts two judged, how often they said the same, and Cohen's kappa (None where all are alike)."""

    attempts: int
    same: float
    kappa: float | None

    def disagree(self, least_kappa: float, fewest: float) -> bool:
        """Is there enough to say that they do not hold the same standard?"""
        return self.attempts >= fewest and self.kappa is not None and self.kappa < least_kappa


def compare(outcomes: Sequence[Outcome]) -> Judges | None:
    """Compare verdicts pair by pair; None where no attempt was judged by two."""
    by_attempt: dict[Key, dict[str, bool]] = {}
    for outcome in outcomes:
        if (key := attempt_of(outcome)) is not None:
            by_attempt.setdefault(key, {})[outcome.judged_by] = outcome.succeeded
    pairs = Counter((said[a], said[b]) for said in by_attempt.values() for a, b in pairwise(sorted(said)))
    if not pairs:
        return None
    same = (pairs[True, True] + pairs[False, False]) / pairs.total()
    kappa = cohens_kappa(pairs)
    return Judges(sum(len(said) > 1 for said in by_attempt.values()), same, kappa if math.isfinite(kappa) else None)

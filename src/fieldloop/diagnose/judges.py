"""Do those who judge agree? Verdicts of several judges on the same attempts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.attempts import Key, attempt_of
from fieldloop.model.policy import Outcome


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
    pairs = np.array(
        [[v[a], v[b]] for v in by_attempt.values() for a, b in zip(sorted(v), sorted(v)[1:], strict=False)]
    )
    if not len(pairs):
        return None
    same = float(np.mean(pairs[:, 0] == pairs[:, 1]))
    one, two = pairs.mean(axis=0)
    luck = float(one * two + (1.0 - one) * (1.0 - two))
    return Judges(
        sum(len(v) > 1 for v in by_attempt.values()), same, (same - luck) / (1.0 - luck) if luck < 1.0 else None
    )

"""Expected gain of more demonstrations in production success, with transfer between strata."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.plan import PlanScore
from fieldloop.plan.classes import Classes
from fieldloop.plan.curves import Curve
from fieldloop.plan.failure import Failing, fit_failure_hazards
from fieldloop.plan.floors import estimate_operator_success
from fieldloop.plan.parts import Reach, split_into_parts
from fieldloop.plan.strata import Floats, Table, refuse_too_large_table
from fieldloop.protocol import Section


class Gain:
    """The production success that demonstrations gain, stratum by stratum.

    A demonstration counts for its levels, its pairs of levels and its stratum; each of these loses part of its hazard,
    in every stratum that has it. What operators cannot do, and what did not fall before, stays.
    """

    def __init__(self, table: Table, settings: Section, scores: Sequence[PlanScore] = ()) -> None:
        """Estimate why strata fail."""
        refuse_too_large_table(table, settings)
        self.table = table
        self.settings = settings
        self.parts = split_into_parts(table)
        self.operators = estimate_operator_success(table, self.parts, settings)
        self.price = table.cost / self.operators.share
        """Cost of a good demonstration, including failed tries."""
        self.shown = [part.sum_by_class(table.demonstrations) for part in self.parts]
        self.beliefs = fit_failure_hazards(table, self.parts, self.operators, scores, settings)
        self.why: Failing = self.beliefs.most_probable
        self.curve: Curve = self.why.curve
        self._classes = Classes(self.parts)
        self._size, self._shown = (
            self._classes.concatenate_class_values(self.why.removable),
            self._classes.concatenate_class_values(self.shown),
        )
        removable = self._classes.sum_classes_of_each_stratum(self._size)
        self.failure = -np.expm1(-(removable + self.why.lasting))
        """Failure once a version learnt from all demonstrations in hand."""
        self.waiting = float(table.exposure @ (-np.expm1(-self.why.seen) - self.failure))
        """Success expected from demonstrations in hand that the version in production did not learn from."""
        self.reducible = self.failure + np.expm1(-self.why.lasting)
        """Failure that unlimited demonstrations would remove."""
        self.nothing_to_win = _is_nothing_to_win(table, self.reducible, settings)
        """Production never failed in many attempts: failures cannot rank the strata."""
        self._weight = table.exposure * (1.0 - self.failure)

    def compute_gain_by_stratum(self, more: Floats) -> Floats:
        """Return the success gained per stratum by so many more good demonstrations each, as a share of production."""
        return np.asarray(self._weight * np.expm1(self._compute_removed_hazard(more)[0]))

    def compute_gain_of_one_more(self, more: Floats) -> Floats:
        """Return the success that one more good demonstration of each stratum gains, in all strata together."""
        (removed, given), curve = self._compute_removed_hazard(more), self.curve
        falls = (
            curve.exponent
            * curve.compute_remaining_share_after_more(self._shown, given)
            / (self._shown + given + curve.borrowed)
        )
        worth = self._classes.sum_by_class(self._weight * np.exp(removed)) * self._size * falls
        return self._classes.sum_classes_of_each_stratum(worth)

    def compute_novelty(self, more: Floats) -> Floats:
        """Return how new each stratum is to the data, from nearly 0 to 1, with so many more shown."""
        seen = self._shown + self._classes.sum_by_class(more)
        return self._classes.sum_classes_of_each_stratum(self.curve.borrowed / (seen + self.curve.borrowed)) / len(
            self.parts
        )

    def sort_similar_strata_together(self) -> NDArray[np.intp]:
        """Order strata so that neighbours share the factors that matter most."""
        weight = [
            (float(self.table.exposure @ part.spread_to_strata(size)), self.table.factors.index(part.factors[0]))
            for part, size in zip(self.parts, self.why.removable, strict=True)
            if part.reach is Reach.LEVEL
        ]
        columns = [self.table.codes[:, at] for _, at in sorted(weight)]
        return np.lexsort(columns) if columns else np.arange(len(self.table))

    def _compute_removed_hazard(self, more: Floats) -> tuple[Floats, Floats]:
        """Return the removed hazard per stratum, and the new demonstrations per class."""
        given = self._classes.sum_by_class(more)
        return self._classes.sum_classes_of_each_stratum(
            self._size * (1.0 - self.curve.compute_remaining_share_after_more(self._shown, given))
        ), given


def _is_nothing_to_win(table: Table, reducible: Floats, settings: Section) -> bool:
    none_failed = bool(table.attempts.any()) and not table.failures.any()
    return none_failed and float(table.exposure @ reducible) < settings.number("little_to_win")

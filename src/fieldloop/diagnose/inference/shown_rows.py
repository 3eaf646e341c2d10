"""Rows under conditions, or pairs of conditions, with few or no demonstrations."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.condition import Stratum
from fieldloop.protocol import Section


def rows_under(table: Table, shown: Demonstrations, asked: Callable[[Stratum], bool]) -> Floats:
    """Mark rows with a condition or a pair of conditions for which `asked` is true.

    Whole strata are too many: with a handful of factors there are more of them than demonstrations.
    """
    conditions = [c for c in table.conditions if c.factor in shown.factors]
    alone = [asked(Stratum((c,))) for c in conditions]
    marked = np.zeros(len(table), dtype=bool)
    for condition in (c for c, asked_for in zip(conditions, alone, strict=True) if asked_for):
        marked |= table.holds(condition)
    together = table.count_together(conditions)
    for i, j in combinations(np.flatnonzero(~np.array(alone, dtype=bool)).tolist(), 2):
        if together[i, j] and asked(Stratum((conditions[i], conditions[j]))):
            marked |= table.holds(conditions[i]) & table.holds(conditions[j])
    return np.asarray(marked, dtype=np.float64)


def unseen_rows(table: Table, shown: Demonstrations | None, settings: Section) -> Floats:
    """Mark rows with a condition, or with a pair that was to be expected, that was hardly ever demonstrated."""
    if shown is None:
        return np.zeros(len(table))
    least = settings.number("covered_demonstrations")
    due = settings.number("due_ratio") * least

    def hardly(stratum: Stratum) -> bool:
        pair = len(stratum.conditions) > 1
        return shown.lacks(stratum, least, due) if pair else (shown.shown(stratum) or 0) < least

    return rows_under(table, shown, hardly)

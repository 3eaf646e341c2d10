"""What is hard by itself: conditions, days, sites and robots differ without anything being wrong.

Every row of the baseline and of production has its place in one logistic regression. What nature may do is held by
priors: a bin may be a good deal harder than another, two robots of one make hardly; a floor as a whole is a little
harder or easier than a laboratory. What these priors cannot explain must be laid to a fault.
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.expectation import design, usual_shares
from fieldloop.diagnose.table import Counted, Floats, Table
from fieldloop.model.condition import Condition
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

FLAT = 3.0
"""Spread of the average log-odds themselves: any success rate from 1 to 99 %, so that outcomes alone set it."""


@dataclass(frozen=True)
class Nature:
    """Columns of nature over all rows (the baseline's first) with the middle and spread of what each may do."""

    columns: Floats
    mean: Floats
    spread: Floats
    success: Floats
    clusters: Counted
    day_spread: float
    before: int
    """How many rows are the baseline's."""

    @property
    def baseline(self) -> slice:
        """Rows of the baseline."""
        return slice(0, self.before)

    @property
    def production(self) -> slice:
        """Rows of production."""
        return slice(self.before, None)


def nature_of(
    before: Table, after: Table, edges: Container[Condition], extra: Floats, day_spread: float, settings: Section
) -> Nature:
    """Lay out what nature may do; `extra` are further columns over all rows that may matter a little.

    `edges` are edge cases that were hardly collected: hard by nature for the most part, which is why they were not.
    """
    known = list(before.conditions)
    new = [c for c in after.conditions if c not in set(known)]
    usual = usual_shares(before)
    own = np.vstack([design(table, known, usual) for table in (before, after)])
    late = np.vstack([table.indicators(new) for table in (before, after)])
    floor = np.append(np.zeros(len(before)), np.ones(len(after)))
    columns = np.column_stack([own, late, floor, extra])
    little = settings.number("place_spread")
    every = [*known, *new]
    spread = [FLAT, *(_spread(c, settings) for c in every)]
    harder = settings.number("edge_harder")
    mean = [0.0, *(-harder if c in edges else 0.0 for c in every)]
    return Nature(
        columns,
        np.array([*mean, 0.0] + [0.0] * extra.shape[1]),
        np.array([*spread, settings.number("ordinary_shift")] + [little] * extra.shape[1]),
        np.append(before.success, after.success),
        np.append(after.clusters.max(initial=-1) + 1 + before.clusters, after.clusters),
        day_spread,
        len(before),
    )


def _spread(condition: Condition, settings: Section) -> float:
    """How much a level may be harder or easier by itself; places and people differ less than what is picked."""
    gap = gaps.of_factor(condition.factor)
    if gap in (Gap.EDGE_CASES, Gap.CONDITIONS):
        return settings.number("natural_spread")
    little = gap in gaps.MACHINERY or gap is Gap.LABELS
    return settings.number("ordinary_spread") if little else settings.number("place_spread")

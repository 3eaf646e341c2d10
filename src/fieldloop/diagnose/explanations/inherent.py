"""Inherent difficulty: conditions, days, sites and robots differ without anything being wrong.

All rows of baseline and production enter one logistic regression. Priors limit inherent difficulty: one bin may be much
harder than another, two robots of one make hardly differ, and a floor as a whole is a little harder or easier than a
laboratory. What these priors cannot explain must be caused by a fault.
"""

from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.explanations.columns import Columns
from fieldloop.diagnose.inference.columns import CodedColumns
from fieldloop.diagnose.inference.expectation import usual_shares
from fieldloop.diagnose.inference.factor_columns import arrange, centred_blocks, constant_block, indicator_blocks
from fieldloop.diagnose.inference.table import Counted, Floats, Table
from fieldloop.model.condition import Condition
from fieldloop.model.diagnosis import Role
from fieldloop.protocol import Section


@dataclass(frozen=True)
class InherentDifficulty:
    """Columns over all rows (those of the baseline first), with mean and standard deviation of each effect's prior."""

    columns: CodedColumns
    mean: Floats
    spread: Floats
    success: Floats
    clusters: Counted
    day_spread: float
    before: int
    """Number of baseline rows."""

    @property
    def baseline(self) -> slice:
        """Rows of the baseline."""
        return slice(0, self.before)

    @property
    def production(self) -> slice:
        """Rows of production."""
        return slice(self.before, None)


def inherent_difficulty(
    before: Table,
    after: Table,
    edges: Container[Condition],
    roles: Columns,
    extra: Floats,
    day_spread: float,
    settings: Section,
) -> InherentDifficulty:
    """Build the columns and priors; `extra` are further columns over all rows that may matter a little.

    `edges` are things and people that were hardly collected: most are inherently hard, which is why they were not.
    """
    known = list(before.conditions)
    new = [c for c in after.conditions if c not in set(known)]
    usual = usual_shares(before)
    tables, rows, last = (before, after), [len(before), len(after)], 1 + len(known) + len(new)
    blocks = [
        constant_block([1.0, 1.0], rows, 0),
        constant_block([0.0, 1.0], rows, last),  # the floor
        *centred_blocks(tables, known, usual, 1),
        *indicator_blocks(tables, new, 1 + len(known)),
    ]
    columns = arrange(sum(rows), last + 1, blocks, extra)
    little = settings.number("place_spread")
    every = [*known, *new]
    spread = [settings.number("average_spread"), *(_spread(roles.role(c.factor), settings) for c in every)]
    harder = settings.number("edge_harder")
    mean = [0.0, *(-harder if c in edges else 0.0 for c in every)]
    return InherentDifficulty(
        columns,
        np.array([*mean, 0.0] + [0.0] * extra.shape[1]),
        np.array([*spread, settings.number("ordinary_shift")] + [little] * extra.shape[1]),
        np.append(before.success, after.success),
        np.append(after.clusters.max(initial=-1) + 1 + before.clusters, after.clusters),
        day_spread,
        len(before),
    )


def _spread(role: Role, settings: Section) -> float:
    """Return the prior spread of a level; places differ less than things and people, robots and judges hardly."""
    if role in (Role.ROBOT, Role.JUDGE):
        return settings.number("ordinary_spread")
    return settings.number("place_spread" if role is Role.SITE else "natural_spread")

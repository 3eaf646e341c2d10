"""Parts of strata: levels and pairs of levels that strata share, and each stratum by itself.

A demonstration of one stratum is also one of each of its levels and of each of its pairs. That is how it helps
neighbours, and why hundreds of strata can be taught by tens of demonstrations.
"""

import itertools
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.strata import Floats, Table

DENSE = 2_000_000
"""Above this number of possible pairs of levels, only pairs that occur are numbered."""


class Reach(StrEnum):
    """How far a reason to fail reaches: one level of a factor, two levels together, or a single stratum."""

    LEVEL = "level"
    PAIR = "pair"
    OWN = "own"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One way of putting strata into classes: by one factor, by two, or each by itself."""

    reach: Reach
    factors: tuple[str, ...]
    codes: NDArray[np.intp]
    size: int

    def sum_by_class(self, values: Floats) -> Floats:
        """Sum a column over the classes."""
        return (
            values if self.reach is Reach.OWN else np.asarray(np.bincount(self.codes, values, self.size), dtype=float)
        )

    def spread_to_strata(self, values: Floats) -> Floats:
        """Give each stratum the value of its class."""
        # all codes are in range: 'clip' avoids the check for negative ones, which takes most of the time
        return values if self.reach is Reach.OWN else values.take(self.codes, mode="clip")


def split_into_parts(table: Table) -> tuple[Part, ...]:
    """Return the parts that separate some strata but not all, and then each stratum by itself."""
    levels_and_pairs: list[Part] = []
    several = [at for at in range(len(table.factors)) if len(np.unique(table.codes[:, at])) > 1]
    for at in several:
        codes = table.codes[:, at].astype(np.intp)
        levels_and_pairs.append(Part(Reach.LEVEL, (table.factors[at],), codes, len(table.levels[at])))
    for one, other in itertools.combinations(several, 2):
        wide = len(table.levels[other])
        size = len(table.levels[one]) * wide
        codes = table.codes[:, one].astype(np.intp) * wide + table.codes[:, other]
        if size > DENSE:
            seen, codes = np.unique(codes, return_inverse=True)
            size = len(seen)
        levels_and_pairs.append(Part(Reach.PAIR, (table.factors[one], table.factors[other]), codes, size))
    shared = [p for p in levels_and_pairs if np.count_nonzero(np.bincount(p.codes)) < len(table)]
    each_stratum = Part(Reach.OWN, table.factors, np.arange(len(table)), len(table))
    return (*shared, each_stratum)

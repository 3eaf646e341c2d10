"""The factors of the floor and every combination of their levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import UnknownName
from fieldloop.model.condition import Stratum
from fieldloop.simulate.picking.catalogue import PACKAGING

Ints = NDArray[np.intp]

SITES = ("home", "harbour", "coldstore", "annex", "eastside", "westside")
BINS = ("front", "back", "side", "occluded", "buried", "nearly_empty", "reoriented", "jammed")
LIGHTING = ("lab", "dim", "glare")
LEVELS = {"site": SITES, "packaging": PACKAGING, "bin": BINS, "lighting": LIGHTING}


@dataclass(frozen=True)
class Strata:
    """Every combination of levels, numbered; `codes` has a row each and a column per factor."""

    levels: Mapping[str, Sequence[str]]

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors in the order of the codes' columns."""
        return tuple(self.levels)

    @cached_property
    def codes(self) -> Ints:
        """Level numbers: strata × factors."""
        shape = tuple(len(names) for names in self.levels.values())
        return np.stack(np.unravel_index(np.arange(int(np.prod(shape))), shape), axis=1)

    def __len__(self) -> int:
        return len(self.codes)

    def code(self, factor: str, cells: Ints) -> Ints:
        """Return the level number of one factor for each cell."""
        return np.asarray(self.codes[cells, self._column_index(factor)])

    @cached_property
    def nouns(self) -> tuple[Stratum, ...]:
        """Every cell as a Stratum."""
        return tuple(
            Stratum.of({f: self.levels[f][k] for f, k in zip(self.factors, row, strict=True)}) for row in self.codes
        )

    def where(self, condition: Mapping[str, str]) -> NDArray[np.bool_]:
        """Which cells have all of these levels? No condition means every cell.

        >>> int(Strata(LEVELS).where({"bin": "jammed"}).sum()) * len(BINS) == len(Strata(LEVELS))
        True
        """
        matches = np.ones(len(self), dtype=bool)
        for factor, level in condition.items():
            column = self._column_index(factor)
            if level not in self.levels[factor]:
                raise UnknownName(f"level of {factor} on the picking floor", level, self.levels[factor])
            matches &= self.codes[:, column] == self.levels[factor].index(level)
        return matches

    def _column_index(self, factor: str) -> int:
        if factor not in self.levels:
            raise UnknownName("factor of the picking floor", factor, self.levels)
        return self.factors.index(factor)

"""Bins that are out of order are planned for on purpose: at least their share of production, whatever else calls."""

from dataclasses import dataclass

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Demand
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

MINIMUM = "minimum:"
"""Ids of demands that the plan makes to itself begin so; nobody else waits for their answer."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that a degraded bin gets of a plan."""

    stratum: Stratum
    least: int

    def lacks(self, table: Table, good: Floats) -> int:
        """How many are missing, with so many good demonstrations of each stratum."""
        return max(0, self.least - int(good[table.rows(self.stratum)].sum()))

    def demand(self, demonstrations: int) -> Demand:
        """Ask for so many."""
        source, why = f"the floor of {self.stratum}", f"at least {self.least} in all"
        return Demand(f"{MINIMUM}{self.stratum}", self.stratum, demonstrations, why, source)


def degraded_floors(table: Table, total: float, settings: Section) -> tuple[Floor, ...]:
    """The least that each degraded bin of the map gets of so many good demonstrations."""
    if "bin" not in table.factors:
        return ()
    at, times = table.factors.index("bin"), settings.number("degraded_floor")
    levels = table.levels[at]
    shares = np.bincount(table.codes[:, at], table.exposure, len(levels))
    named = [name for name in settings["degraded_bins"] if name in levels[1:]]
    return tuple(Floor(Stratum.of(bin=name), int(times * shares[levels.index(name)] * total)) for name in named)

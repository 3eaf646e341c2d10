"""Degraded bins get at least their share of production, whatever else the plan asks for."""

from dataclasses import dataclass

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.note import note
from fieldloop.model.plan import Demand
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

MINIMUM = "minimum:"
"""Prefix of the ids of demands that the plan makes to itself; nothing else waits for their answer."""

OWN = "a minimum of the plan"
"""The source of such demands."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The minimum that a degraded bin gets of a plan."""

    stratum: Stratum
    least: int

    def count_lacking(self, table: Table, good: Floats) -> int:
        """Return how many are missing, with so many good demonstrations of each stratum."""
        return max(0, self.least - int(good[table.find_rows(self.stratum)].sum()))

    def make_demand(self, demonstrations: int) -> Demand:
        """Return a demand for so many."""
        why = note("plan.degraded_floor", stratum=str(self.stratum), least=self.least)
        return Demand(f"{MINIMUM}{self.stratum}", self.stratum, demonstrations, why, OWN)


def list_degraded_minimums(table: Table, total: float, settings: Section) -> tuple[Floor, ...]:
    """Return the minimum of each degraded bin of the map, out of so many good demonstrations."""
    if "bin" not in table.factors:
        return ()
    at, times = table.factors.index("bin"), settings.number("degraded_floor")
    levels = table.levels[at]
    shares = np.bincount(table.codes[:, at], table.exposure, len(levels))
    named = [name for name in settings["degraded_bins"] if name in levels[1:]]
    return tuple(Floor(Stratum.of(bin=name), int(times * shares[levels.index(name)] * total)) for name in named)

"""Bins that are out of order are planned for on purpose: at least their share of production, whatever else calls."""

from collections.abc import Iterator

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.plan import Demand
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section

MINIMUM = "minimum:"
"""Ids of demands that the plan makes to itself begin so; nobody else waits for their answer."""


def degraded_demands(table: Table, good: Floats, settings: Section) -> Iterator[Demand]:
    """Ask for every degraded bin that so many good demonstrations of each stratum leave below its part."""
    if "bin" not in table.factors:
        return
    at, times = table.factors.index("bin"), settings.number("degraded_floor")
    codes, levels = table.codes[:, at], table.levels[at]
    shares, given = np.bincount(codes, table.exposure, len(levels)), np.bincount(codes, good, len(levels))
    for name in settings["degraded_bins"]:
        code = levels.index(name) if name in levels else 0
        least = int(times * shares[code] * good.sum()) if code else 0
        if given[code] < least:
            stratum = Stratum.of(bin=name)
            why = f"{name} is {shares[code]:.1%} of production, and the rest of the plan leaves it {given[code]:.0f}"
            yield Demand(f"{MINIMUM}{stratum}", stratum, least, why, "bins out of order")

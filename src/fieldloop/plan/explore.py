"""A few demonstrations of what would otherwise never be shown: levels of factors, not each combination of them.

Three hundred strata cannot each have a demonstration of a budget of forty; the twenty levels they are made of can.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

FIND_OUT = "to find out"


@dataclass(frozen=True, slots=True, eq=False)
class Explored:
    """Good demonstrations to add, and for which levels, by row."""

    good: Floats
    levels: dict[int, list[tuple[str, int]]]

    def reasons(self) -> Iterator[tuple[int, str]]:
        """Say row by row what is to be found out."""
        for row, found in self.levels.items():
            for level, count in found:
                yield row, f"{count} {FIND_OUT} whether {level} can be learnt"


def unexplored(gain: Gain, good: Floats, money: float) -> Explored:
    """Good demonstrations to add so that each deployed level is tried a few times, within a share of the money.

    Largest share of production first, each in the stratum where it wins most for its price.
    """
    table = gain.table
    floor, left = gain.settings.number("exploration_floor"), gain.settings.number("exploration_share") * money
    # what was tried and could not be done is explored as well
    planned = np.maximum(table.demonstrations, table.tried) + good / gain.operators.share
    wins = table.exposure if gain.nothing_to_win else gain.next(good)
    worth = np.where(table.exposure > 0.0, wins / gain.price, -np.inf)
    missing = []
    for part in gain.parts:
        if part.reach is Reach.LEVEL:
            seen, exposure = part.sums(planned), part.sums(table.exposure)
            missing += [(-exposure[at], part, at) for at in np.flatnonzero((seen < floor) & (exposure > 0.0))]
    added, levels = np.zeros(len(table)), defaultdict[int, list[tuple[str, int]]](list)
    for _, part, level in sorted(missing, key=lambda row: row[0]):
        inside = part.codes == level
        short = floor - float(((planned + added / gain.operators.share) * inside).sum())
        best = int(np.argmax(np.where(inside, worth, -np.inf)))
        more = min(np.ceil(short * gain.operators.share[best]), np.floor(left / gain.price[best]))
        if more > 0.0:
            added[best] += more
            left -= more * gain.price[best]
            levels[best].append((table.level(best, part.factors[0]), int(more)))
    return Explored(added, dict(levels))

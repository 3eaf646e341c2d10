"""Exploration: a few demonstrations of levels that would otherwise never be shown.

A budget of forty cannot show each of three hundred strata, but it can show each of their twenty levels.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fieldloop.model.note import Note, note
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

EXPLORES = "plan.explores"
"""The code of a reason to show a level that would otherwise never be shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Explored:
    """Good demonstrations to add, and for which levels, by row."""

    good: Floats
    levels: dict[int, list[tuple[str, int]]]

    def list_reasons(self) -> Iterator[tuple[int, Note]]:
        """Return row by row which levels are explored."""
        for row, explored in self.levels.items():
            for level, count in explored:
                yield row, note(EXPLORES, demonstrations=count, level=level)


def explore_unshown_levels(gain: Gain, good: Floats, money: float) -> Explored:
    """Return demonstrations to add so that each deployed level is tried a few times, within a share of the money.

    The largest share of production comes first, each in the stratum with the largest gain for its price.
    """
    table = gain.table
    floor, left = gain.settings.number("exploration_floor"), gain.settings.number("exploration_share") * money
    # tries of operators that failed count as explored too
    planned = np.maximum(table.demonstrations, table.tried) + good / gain.operators.share
    wins = table.exposure if gain.nothing_to_win else gain.compute_gain_of_one_more(good)
    worth = np.where(table.exposure > 0.0, wins / gain.price, -np.inf)
    missing = []
    for part in gain.parts:
        if part.reach is Reach.LEVEL:
            seen, exposure = part.sum_by_class(planned), part.sum_by_class(table.exposure)
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
            levels[best].append((table.get_level(best, part.factors[0]), int(more)))
    return Explored(added, dict(levels))

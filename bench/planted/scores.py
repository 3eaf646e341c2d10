"""How good were the answers: the right cause first, how far off the shares, how often nothing was called wrong?"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from bench.harness import Figure
from bench.planted.answers import OURS, Answer, Row
from bench.planted.turns import PLANTED
from fieldloop.stats.binomial import interval

NOTHING, CANNOT_TELL = "nothing", "cannot tell"
DRAWS = 2000
CLEARLY = 0.15
"""Shares that differ by so much, of the loss, are clearly unequal."""


def told(row: Row, way: str, episodes: int) -> Answer:
    """What one way said of a world after so many episodes."""
    return next(a for a in row.answers if a.way == way and a.episodes == episodes)


def strong(rows: Sequence[Row]) -> list[Row]:
    """Worlds in which something is wrong and costs enough to be found."""
    return [row for row in rows if row.gaps and not row.is_weak]


def larger(row: Row) -> str:
    """The fault that cost most."""
    return max(row.shares, key=lambda gap: row.shares[gap])


def is_unequal(row: Row) -> bool:
    """Of two faults, did one cost clearly more? Where not, which is the larger is known to nobody but the planter."""
    first, second = sorted(row.shares.values(), reverse=True)
    return first - second >= CLEARLY


def is_right(row: Row, answer: Answer) -> bool:
    """Is the larger fault named first?"""
    return answer.first == larger(row)


def is_either(row: Row, answer: Answer) -> bool:
    """Is one of the faults named first?"""
    return answer.first in row.gaps


def errors(row: Row, answer: Answer) -> list[float]:
    """How many points each planted fault's share is off; a cause that is not named was given nothing."""
    return [100 * abs(answer.shares.get(gap, 0.0) - share) for gap, share in row.shares.items()]


def rate(rows: Sequence[Row], way: str, episodes: int, holds: Callable[[Row, Answer], bool], aim: str = "") -> Figure:
    """In how many worlds does it hold, with its Wilson interval?"""
    hits = sum(holds(row, told(row, way, episodes)) for row in rows)
    low, high = interval(hits, len(rows))
    return Figure(hits / len(rows) if rows else float("nan"), len(rows), low, high, aim=aim)


def off(rows: Sequence[Row], way: str, episodes: int, percent: float | None = 50.0, aim: str = "") -> Figure:
    """A percentile of the shares' errors, None their mean, with an interval by drawing worlds again."""
    groups = [errors(row, told(row, way, episodes)) for row in rows]
    if not groups:
        return Figure(float("nan"), 0, unit="points", aim=aim)

    def summed(chosen: Sequence[list[float]]) -> float:
        every = np.concatenate(chosen)
        return float(every.mean() if percent is None else np.percentile(every, percent))

    rng = np.random.default_rng(0)
    draws = [summed([groups[i] for i in rng.integers(len(groups), size=len(groups))]) for _ in range(DRAWS)]
    low, high = np.percentile(draws, (2.5, 97.5))
    return Figure(summed(groups), len(groups), float(low), float(high), "points", aim)


def confused(rows: Sequence[Row], way: str, episodes: int) -> dict[str, Counter[str]]:
    """What was named first, by what was planted (the larger fault of two)."""
    table: dict[str, Counter[str]] = {name: Counter() for name in (*map(str, PLANTED), NOTHING)}
    for row in rows:
        answer = told(row, way, episodes)
        said = answer.first or (CANNOT_TELL if answer.cannot_tell else NOTHING)
        table[larger(row) if row.gaps else NOTHING][said] += 1
    return table


def headline(rows: Sequence[Row], episodes: int) -> dict[str, Figure]:
    """The figures that the bench is for."""
    found, sound = strong(rows), [row for row in rows if not row.gaps]
    return {
        "right_cause_first_at_1000": rate(found, OURS, episodes, is_right, "≥ 0.9"),
        "share_error_points": off(found, OURS, episodes, aim="≤ 10"),
        "nothing_called_wrong": rate(sound, OURS, episodes, lambda _, answer: answer.is_wrong, "≤ 0.05"),
    }

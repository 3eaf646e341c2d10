"""Scores of the answers: right cause first, error of the shares, false positives."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from bench.harness import Figure
from bench.planted.answers import OURS, Answer, Row
from bench.planted.turns import PLANTED
from fieldloop.stats.binomial import compute_wilson_interval

NOTHING, CANNOT_TELL = "nothing", "cannot tell"
DRAWS = 2000
CLEARLY = 0.15
"""Shares of the loss that differ by more are clearly unequal."""


def answer_of(row: Row, way: str, episodes: int) -> Answer:
    """Return the answer of one method for a world after so many episodes."""
    return next(a for a in row.answers if a.way == way and a.episodes == episodes)


def strong(rows: Sequence[Row]) -> list[Row]:
    """Return worlds in which something is wrong and costs enough to be found."""
    return [row for row in rows if row.gaps and not row.is_weak]


def larger(row: Row) -> str:
    """Return the fault that cost most."""
    return max(row.shares, key=lambda gap: row.shares[gap])


def is_unequal(row: Row) -> bool:
    """Of two faults, did one cost clearly more? If not, records cannot show which is the larger."""
    first, second = sorted(row.shares.values(), reverse=True)
    return first - second >= CLEARLY


def is_right(row: Row, answer: Answer) -> bool:
    """Is the larger fault named first?"""
    return answer.first == larger(row)


def is_either(row: Row, answer: Answer) -> bool:
    """Is one of the faults named first?"""
    return answer.first in row.gaps


def errors(row: Row, answer: Answer) -> list[float]:
    """Return the error of each planted fault's share in points; a cause that is not named counts as 0."""
    return [100 * abs(answer.shares.get(gap, 0.0) - share) for gap, share in row.shares.items()]


def rate(rows: Sequence[Row], way: str, episodes: int, holds: Callable[[Row, Answer], bool], aim: str = "") -> Figure:
    """Return the share of worlds in which it holds, with its Wilson interval."""
    hits = sum(holds(row, answer_of(row, way, episodes)) for row in rows)
    low, high = compute_wilson_interval(hits, len(rows))
    return Figure(hits / len(rows) if rows else float("nan"), len(rows), low, high, aim=aim)


def off(rows: Sequence[Row], way: str, episodes: int, percent: float | None = 50.0, aim: str = "") -> Figure:
    """Return a percentile of the shares' errors (None: their mean), with a bootstrap interval over worlds."""
    groups = [errors(row, answer_of(row, way, episodes)) for row in rows]
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
    """Count what was named first, by what was planted (the larger fault of two)."""
    table: dict[str, Counter[str]] = {name: Counter() for name in (*map(str, PLANTED), NOTHING)}
    for row in rows:
        answer = answer_of(row, way, episodes)
        named = answer.first or (CANNOT_TELL if answer.cannot_tell else NOTHING)
        table[larger(row) if row.gaps else NOTHING][named] += 1
    return table


def headline(rows: Sequence[Row], episodes: int) -> dict[str, Figure]:
    """Return the headline figures of the benchmark."""
    found, sound = strong(rows), [row for row in rows if not row.gaps]
    return {
        "right_cause_first_at_1000": rate(found, OURS, episodes, is_right, "≥ 0.9"),
        "share_error_points": off(found, OURS, episodes, aim="≤ 10"),
        "nothing_called_wrong": rate(sound, OURS, episodes, lambda _, answer: answer.is_wrong, "≤ 0.05"),
    }

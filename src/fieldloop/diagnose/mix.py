"""What a harder mix is about: conditions that are hard and a larger part of the work than they were."""

from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Shifted
from fieldloop.stats import difference

MOST_NAMED = 3
"""Conditions that a sentence can hold."""


def shifted(inquiry: Inquiry) -> tuple[Shifted, ...]:
    """Name those whose growth costs most, each for attempts that none before it speaks of, so that none counts twice.

    A condition that the baseline hardly met is no mix: nobody knows how hard it was.
    """
    settings, found = inquiry.settings, list[Shifted]()
    rest = [np.ones(len(side), dtype=bool) for side in (inquiry.before, inquiry.after)]
    often = inquiry.before.indicators(inquiry.after.conditions).sum(axis=0) >= settings.number("min_slice_episodes")
    left = [condition for condition, known in zip(inquiry.after.conditions, often.tolist(), strict=True) if known]
    least = settings.number("least_loss")
    while left and len(found) < MOST_NAMED:
        costs = [_cost(inquiry, condition, rest) for condition in left]
        first = int(np.argmax(costs))
        if costs[first] < least:
            break
        condition = left.pop(first)
        found.append(_told(inquiry, condition, costs[first]))
        held = (side.indicators([condition])[:, 0] > 0.0 for side in (inquiry.before, inquiry.after))
        rest = [part & ~here for part, here in zip(rest, held, strict=True)]
    return tuple(found)


def _cost(inquiry: Inquiry, condition: Condition, rest: list[np.ndarray]) -> float:
    """What it costs that there is more of it, at what the baseline lets expect there."""
    then, now = (
        (side.indicators([condition])[:, 0] > 0.0) & part
        for side, part in zip((inquiry.before, inquiry.after), rest, strict=True)
    )
    if not now.any():
        return 0.0
    harder = float(inquiry.before.success.mean() - inquiry.expected[now].mean())
    return float(now.mean() - then.mean()) * harder if harder > 0.0 else 0.0


def _told(inquiry: Inquiry, condition: Condition, cost: float) -> Shifted:
    (before, then), (after, now) = _counts(inquiry, condition)
    worse = difference.interval(then, now, inquiry.settings.number("confidence"))[0] > 0.0
    return Shifted(Stratum((condition,)), before, after, cost, then[0] / then[1], now[0] / now[1], worse)


def _counts(inquiry: Inquiry, condition: Condition) -> Iterator[tuple[float, tuple[int, int]]]:
    """Its part of the work that says its factor, and how many of how many succeeded under it, before and after."""
    for side in (inquiry.before, inquiry.after):
        here = side.indicators([condition])[:, 0] > 0.0
        telling = sum(condition.factor in row for row in side.rows)
        yield float(here.sum()) / telling, (round(float(side.success[here].sum())), int(here.sum()))

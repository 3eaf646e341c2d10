"""Conditions behind a harder mix: hard ones that are a larger share of the work than before."""

from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose.inquiry import Inquiry
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Shifted
from fieldloop.stats import difference

MOST_NAMED = 3
"""Number of conditions that a sentence can hold."""


def shifted_conditions(inquiry: Inquiry) -> tuple[Shifted, ...]:
    """Find those whose growth costs most, each for attempts that no earlier one covers, so that none counts twice.

    A condition that hardly occurs in the baseline is not mix: how hard it was is unknown.
    """
    settings, shifts = inquiry.settings, list[Shifted]()
    rest = [np.ones(len(side), dtype=bool) for side in (inquiry.before, inquiry.after)]
    fewest = settings.number("min_slice_episodes")
    left = [condition for condition in inquiry.after.conditions if inquiry.before.count(condition) >= fewest]
    least = settings.number("least_loss")
    while left and len(shifts) < MOST_NAMED:
        costs = [_cost_of_growth(inquiry, condition, rest) for condition in left]
        first = int(np.argmax(costs))
        if costs[first] < least:
            break
        condition = left.pop(first)
        shifts.append(_shift(inquiry, condition, costs[first]))
        held = (side.holds(condition) for side in (inquiry.before, inquiry.after))
        rest = [part & ~here for part, here in zip(rest, held, strict=True)]
    return tuple(shifts)


def _cost_of_growth(inquiry: Inquiry, condition: Condition, rest: list[np.ndarray]) -> float:
    """Return what its growth costs, at the success that the baseline predicts there."""
    then, now = (
        (side.holds(condition)) & part for side, part in zip((inquiry.before, inquiry.after), rest, strict=True)
    )
    if not now.any():
        return 0.0
    harder = float(inquiry.before.success.mean() - inquiry.expected[now].mean())
    return float(now.mean() - then.mean()) * harder if harder > 0.0 else 0.0


def _shift(inquiry: Inquiry, condition: Condition, cost: float) -> Shifted:
    (before, then), (after, now) = _counts(inquiry, condition)
    worse = difference.compute_difference_interval(then, now, inquiry.settings.number("confidence"))[0] > 0.0
    return Shifted(Stratum((condition,)), before, after, cost, then[0] / then[1], now[0] / now[1], worse)


def _counts(inquiry: Inquiry, condition: Condition) -> Iterator[tuple[float, tuple[int, int]]]:
    """Yield its share of the rows that log its factor, and successes and attempts under it, before and after."""
    for side in (inquiry.before, inquiry.after):
        here = side.holds(condition)
        logged = int(side.logs(condition.factor).sum())
        yield float(here.sum()) / logged, (round(float(side.success[here].sum())), int(here.sum()))

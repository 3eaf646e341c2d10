"""Whether there is a loss, and how large a part of it a cause is: its share, or points where shares mislead."""

import math
from collections.abc import Sequence

from fieldloop.model.diagnosis import Cause, Diagnosis
from fieldloop.model.finding import Status
from fieldloop.say.numbers import interval, percent, points


def has_interval(found: Diagnosis) -> bool:
    """Could rates be compared, and does the loss have an interval?"""
    comparable = math.isfinite(found.baseline + found.observed + found.loss_low + found.loss_high)
    return comparable and found.loss_low < found.loss_high


def has_drop(found: Diagnosis) -> bool:
    """Is a drop shown: by an interval above zero or, where none is stated, by the status?"""
    return found.loss_low > 0.0 if has_interval(found) else found.status is Status.FAILED


def in_points(found: Diagnosis) -> bool:
    """Are causes stated in points? Shares mislead where success has not dropped, or by less than half of their cost.

    A fault of the data may cost more than the loss, because it lowered the baseline too.
    """
    costs = [cause.cost for cause in found.causes if cause.cost is not None]
    return bool(costs) and has_interval(found) and (found.loss_low <= 0.0 or sum(costs) > 2.0 * found.loss)


def share_of(causes: Sequence[Cause]) -> float:
    """Sum the shares of some causes."""
    return sum(cause.share for cause in causes if math.isfinite(cause.share))


def cost_text(found: Diagnosis, causes: Sequence[Cause], *, short: bool = False) -> str:
    """Write what some causes cost together; `short` omits of what."""
    if in_points(found):
        return f"{points(-sum(cause.cost or 0.0 for cause in causes))} points"
    return percent(share_of(causes), 0) + ("" if short else " of the loss")


def columns(found: Diagnosis) -> tuple[str, str]:
    """Return the headings of a cause's size and of its interval."""
    return ("points", "interval, points") if in_points(found) else ("of the loss", "interval, %")


def size(found: Diagnosis, cause: Cause) -> tuple[str, str]:
    """Write how large a cause is and its interval, in the units of `columns`."""
    if in_points(found) and None not in (cause.cost, cause.cost_low, cause.cost_high):
        cost, low, high = cause.cost or 0.0, cause.cost_low or 0.0, cause.cost_high or 0.0
        return points(-cost), interval(-high, -low)
    return percent(cause.share, 0), interval(cause.low, cause.high, 0)

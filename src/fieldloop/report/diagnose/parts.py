"""Whether there is a loss, and how large a part of it a cause is: its share, or points where shares say nothing."""

import math
from collections.abc import Sequence

from fieldloop.model.diagnosis import Cause, Diagnosis
from fieldloop.model.finding import Status
from fieldloop.report.words import interval, percent, points


def has_interval(found: Diagnosis) -> bool:
    """Could rates be compared, and is it stated how uncertain the loss is?"""
    told = math.isfinite(found.baseline + found.observed + found.loss_low + found.loss_high)
    return told and found.loss_low < found.loss_high


def has_drop(found: Diagnosis) -> bool:
    """Is a drop shown: by an interval that lies above nothing or, where none is stated, by the verdict?"""
    return found.loss_low > 0.0 if has_interval(found) else found.status is Status.FAILED


def in_points(found: Diagnosis) -> bool:
    """Are causes told in points? A whole that has not fallen has no shares, nor one that fell by half of their cost.

    A fault of the data costs more than a loss by itself: it took its part in the baseline already.
    """
    costs = [cause.cost for cause in found.causes if cause.cost is not None]
    return bool(costs) and has_interval(found) and (found.loss_low <= 0.0 or sum(costs) > 2.0 * found.loss)


def share_of(causes: Sequence[Cause]) -> float:
    """Add up what causes hold of the loss."""
    return sum(cause.share for cause in causes if math.isfinite(cause.share))


def part(found: Diagnosis, causes: Sequence[Cause], *, short: bool = False) -> str:
    """Say what some causes cost together; in short without saying of what."""
    if in_points(found):
        return f"{points(-sum(cause.cost or 0.0 for cause in causes))} points"
    return percent(share_of(causes), 0) + ("" if short else " of the loss")


def columns(found: Diagnosis) -> tuple[str, str]:
    """Head what causes are told in, and its interval."""
    return ("points", "interval, points") if in_points(found) else ("of the loss", "interval, %")


def size(found: Diagnosis, cause: Cause) -> tuple[str, str]:
    """Say how large a cause is, and the interval of that, as `columns` heads them."""
    if in_points(found) and None not in (cause.cost, cause.cost_low, cause.cost_high):
        cost, low, high = cause.cost or 0.0, cause.cost_low or 0.0, cause.cost_high or 0.0
        return points(-cost), interval(-high, -low)
    return percent(cause.share, 0), interval(cause.low, cause.high, 0)

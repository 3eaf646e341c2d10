"""Whether there is a loss, and how large a part of it a cause is: its share, or points where shares mislead."""

import math
from collections.abc import Sequence

from fieldloop.model.diagnosis import Cause, Diagnosis
from fieldloop.model.finding import Status
from fieldloop.say.numbers import format_interval, format_points, percent


def has_loss_interval(diagnosis: Diagnosis) -> bool:
    """Could rates be compared, and does the loss have an interval?"""
    comparable = math.isfinite(diagnosis.baseline + diagnosis.observed + diagnosis.loss_low + diagnosis.loss_high)
    return comparable and diagnosis.loss_low < diagnosis.loss_high


def has_drop(diagnosis: Diagnosis) -> bool:
    """Is a drop shown: by an interval above zero or, where none is stated, by the status?"""
    return diagnosis.loss_low > 0.0 if has_loss_interval(diagnosis) else diagnosis.status is Status.FAILED


def uses_points(diagnosis: Diagnosis) -> bool:
    """Are causes stated in points? Shares mislead where success has not dropped, or by less than half of their cost.

    A fault of the data may cost more than the loss, because it lowered the baseline too.
    """
    costs = [cause.cost for cause in diagnosis.causes if cause.cost is not None]
    return (
        bool(costs)
        and has_loss_interval(diagnosis)
        and (diagnosis.loss_low <= 0.0 or sum(costs) > 2.0 * diagnosis.loss)
    )


def sum_cause_shares(causes: Sequence[Cause]) -> float:
    """Sum the shares of some causes."""
    return sum(cause.share for cause in causes if math.isfinite(cause.share))


def format_causes_cost(diagnosis: Diagnosis, causes: Sequence[Cause], *, short: bool = False) -> str:
    """Write what some causes cost together; `short` omits of what."""
    if uses_points(diagnosis):
        return f"{format_points(-sum(cause.cost or 0.0 for cause in causes))} points"
    return percent(sum_cause_shares(causes), 0) + ("" if short else " of the loss")


def get_size_headings(diagnosis: Diagnosis) -> tuple[str, str]:
    """Return the headings of a cause's size and of its interval."""
    return ("points", "interval, points") if uses_points(diagnosis) else ("of the loss", "interval, %")


def format_cause_size(diagnosis: Diagnosis, cause: Cause) -> tuple[str, str]:
    """Write how large a cause is and its interval, in the units of `columns`."""
    if uses_points(diagnosis) and None not in (cause.cost, cause.cost_low, cause.cost_high):
        cost, low, high = cause.cost or 0.0, cause.cost_low or 0.0, cause.cost_high or 0.0
        return format_points(-cost), format_interval(-high, -low)
    return percent(cause.share, 0), format_interval(cause.low, cause.high, 0)

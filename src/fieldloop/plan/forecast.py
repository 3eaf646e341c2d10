"""Forecast when the plan will be complete, from the pace so far; days differ by more than chance."""

import math
from collections import Counter
from collections.abc import Iterable

from fieldloop.model.days import get_local_day
from fieldloop.model.note import note
from fieldloop.model.plan import Forecast
from fieldloop.protocol import Section


def forecast_completion(
    left: int, accepted_ns: Iterable[int], began_ns: int, now_ns: int, settings: Section, zone: str = "UTC"
) -> Forecast:
    """Forecast the days until so many more are accepted, with an interval; `progress.pace_of` gives both counts.

    Days at the site are the unit, including idle ones, because a bad day affects all of its demonstrations. The sum of
    d future days contains the error of the pace d times and the spread of each day once. Both ends are where that sum
    reaches what is left. Without a pace, no forecast is made.
    """
    if left <= 0:
        return Forecast(0, None, 0.0, 0.0, 0.0, note("plan.complete"))
    counts = Counter(get_local_day(at, zone) for at in accepted_ns if began_ns <= at <= now_ns)
    days, total = get_local_day(now_ns, zone) - get_local_day(began_ns, zone) + 1, sum(counts.values())
    if total == 0:
        return Forecast(left, None, None, None, None, note("plan.no_pace", days=days, left=left))
    pace = total / days
    spread = _estimate_variance(counts, days, pace, settings)
    step = _compute_t_quantile(settings.number("confidence"), days + settings.number("pace_prior_days") - 1.0)
    low = _count_days_until_reached(left, pace, spread, days, step)
    high = _count_days_until_reached(left, pace, spread, days, -step)
    expected = left / pace
    message = note(
        "plan.forecast" if high is not None else "plan.forecast_open",
        left=left,
        days=expected,
        confidence=settings.number("confidence"),
        low_days=low or 0.0,
        high_days=high,
        per_day=pace,
        days_so_far=days,
    )
    return Forecast(left, pace, expected, low, high, message)


def _estimate_variance(counts: Counter[int], days: int, pace: float, settings: Section) -> float:
    """Return the variance of a day's count, shrunk towards a usual overdispersion while days are few."""
    usual, weight = settings.number("pace_overdispersion") * pace, settings.number("pace_prior_days")
    squares = sum((count - pace) ** 2 for count in counts.values()) + (days - len(counts)) * pace**2
    seen = days - 1
    return max(pace, (squares + weight * usual) / (seen + weight))


def _count_days_until_reached(left: int, pace: float, spread: float, days: int, step: float) -> float | None:
    """Solve d·pace + step·√(d·spread + d²·spread/days) = left for d; None where it is never reached."""
    # squared: a·d² + b·d + c = 0; the early root belongs to +step, the late one to -step
    a = pace**2 - step**2 * spread / days
    b = -2.0 * left * pace - step**2 * spread
    c = float(left) ** 2
    if a <= 0.0 and step < 0.0:
        return None
    root = math.sqrt(max(0.0, b * b - 4.0 * a * c))
    return 2.0 * c / (-b + root) if step > 0.0 else (-b + root) / (2.0 * a)


def _compute_t_quantile(level: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2))

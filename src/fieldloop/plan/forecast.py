"""When will the plan be complete? The pace of days so far, which differ by more than chance."""

import math
from collections import Counter
from collections.abc import Iterable

from fieldloop.model.days import local_day
from fieldloop.model.plan import Forecast
from fieldloop.protocol import Section


def forecast(
    left: int, accepted_ns: Iterable[int], began_ns: int, now_ns: int, settings: Section, zone: str = "UTC"
) -> Forecast:
    """Forecast the days until so many more are accepted, with an interval; `progress.pace_of` gives both counts.

    Days at the site are the unit, idle ones among them, because a bad day takes all of its demonstrations with it. The
    sum of d future days has the pace's error in it d times over and each day's own spread once; both ends are where
    that sum reaches what is left. Without a pace nobody can tell.
    """
    if left <= 0:
        return Forecast(0, None, 0.0, 0.0, 0.0, "Complete: nothing is left to collect.")
    counts = Counter(local_day(at, zone) for at in accepted_ns if began_ns <= at <= now_ns)
    days, total = local_day(now_ns, zone) - local_day(began_ns, zone) + 1, sum(counts.values())
    if total == 0:
        text = f"Cannot tell: nothing was accepted in {_days(days)}, so there is no pace. {left} are left for people."
        return Forecast(left, None, None, None, None, text)
    pace = total / days
    spread = _variance(counts, days, pace, settings)
    step = _quantile(settings.number("confidence"), days + settings.number("pace_prior_days") - 1.0)
    low = _reached(left, pace, spread, days, step)
    high = _reached(left, pace, spread, days, -step)
    expected = left / pace
    level = f"{settings.number('confidence'):.0%}"
    until = "the upper end is open: this pace is too uncertain" if high is None else f"{low or 0.0:.1f} to {high:.1f}"
    so_far = f"{left} left for people at {pace:.1f} a day over {_days(days)}"
    text = f"{so_far}: {expected:.1f} days ({level} interval {until})."
    return Forecast(left, pace, expected, low, high, text)


def _variance(counts: Counter[int], days: int, pace: float, settings: Section) -> float:
    """Variance of a day's count: what these days show, leaning on a usual overdispersion while they are few."""
    usual, weight = settings.number("pace_overdispersion") * pace, settings.number("pace_prior_days")
    squares = sum((count - pace) ** 2 for count in counts.values()) + (days - len(counts)) * pace**2
    seen = days - 1
    return max(pace, (squares + weight * usual) / (seen + weight))


def _reached(left: int, pace: float, spread: float, days: int, step: float) -> float | None:
    """Solve d·pace + step·√(d·spread + d²·spread/days) = left for d; None where it is never reached."""
    # squared: a·d² + b·d + c = 0; the early root belongs to +step, the late one to -step
    a = pace**2 - step**2 * spread / days
    b = -2.0 * left * pace - step**2 * spread
    c = float(left) ** 2
    if a <= 0.0 and step < 0.0:
        return None
    root = math.sqrt(max(0.0, b * b - 4.0 * a * c))
    return 2.0 * c / (-b + root) if step > 0.0 else (-b + root) / (2.0 * a)


def _quantile(level: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2))


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"

"""Requirements on time: answers in time, picks in time."""

import math
from collections.abc import Sequence

import numpy as np

from fieldloop.evaluate.rates import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Finding, Status
from fieldloop.protocol import Section


def judge_latency(found: Finding | None) -> GateTest:
    """Take over what the admission measured; nothing measured is no pass."""
    if found is None:
        return GateTest("latency", "measured", Status.CANNOT_TELL, 0, 0, math.nan, math.nan, 0, "Nobody measured it.")
    measured = math.nan if found.measured is None else found.measured
    required = "p99 measured" if found.maximum is None else f"p99 ≤ {found.maximum:g} {found.unit}"
    return GateTest("latency", required, found.status, 0, 0, measured, measured, 0, found.message)


def judge_cycle(cycles_s: Sequence[float | None], target_s: float | None, settings: Section, looks: Looks) -> GateTest:
    """Judge the mean cycle time of successes under nominal conditions, by Student's bounds; accurate but slow fails.

    The mean, because throughput is what the target stands for; bounds in seconds.
    """
    known = np.array([c for c in cycles_s if c is not None and math.isfinite(c)])
    if target_s is None:
        return _test(
            "no target", Status.CANNOT_TELL, known, (math.nan, math.nan), 0, "The map states no target cycle time."
        )
    limit_s = target_s * settings.number("max_cycle_factor")
    required = f"mean ≤ {limit_s:g} s"
    if len(known) < 2:  # noqa: PLR2004  one value has no spread
        needed = int(settings["base_trials"])
        return _test(required, Status.CANNOT_TELL, known, (math.nan, math.nan), needed, "Too few successes were timed.")
    mean, error = float(known.mean()), float(known.std(ddof=1) / math.sqrt(len(known)))
    low, high = mean - _quantile(looks.level, len(known)) * error, mean + _quantile(looks.level, len(known)) * error
    status = Status.PASSED if high <= limit_s else Status.FAILED if low > limit_s else Status.CANNOT_TELL
    more = _more(mean - limit_s, error, len(known), looks) if status is Status.CANNOT_TELL else 0
    message = f"Mean {mean:.2f} s over {len(known)} successes, shown to lie between {low:.2f} s and {high:.2f} s."
    within = int((known <= limit_s).sum())
    return _test(required, status, known, (low, high), more, message + (f" NEEDS {more} MORE." if more else ""), within)


def _more(gap_s: float, error_s: float, timed: int, looks: Looks) -> int:
    left = max(1, looks.max_trials - timed)
    if gap_s == 0:
        return left
    factor = (_quantile(looks.next_level, timed) * error_s / gap_s) ** 2
    return int(min(left, max(1, math.ceil(timed * (factor - 1)))))


def _quantile(level: float, timed: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(timed - 1, level))


def _test(
    required: str,
    status: Status,
    known: np.ndarray,
    bounds: tuple[float, float],
    more: int,
    message: str,
    within: int = 0,
) -> GateTest:
    return GateTest("cycle time", required, status, within, len(known), *bounds, more, message)

"""Gate requirements on time: latency and cycle time."""

import math
from collections.abc import Sequence

import numpy as np

from fieldloop.evaluate.rates import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section


def judge_latency(found: Finding | None) -> GateTest:
    """Take over the latency measured by `serve.admit`; without a measurement the gate cannot pass."""
    if found is None:
        required, message = note("evaluate.latency_required"), note("evaluate.latency_not_measured")
        return GateTest("latency", required, Status.CANNOT_TELL, 0, 0, math.nan, math.nan, 0, message)
    measured = math.nan if found.measured is None else found.measured
    required = note("evaluate.latency_required", limit_ms=found.maximum)
    message = note("evaluate.latency", finding=found.fact)
    return GateTest("latency", required, found.status, 0, 0, measured, measured, 0, message)


def judge_cycle(cycles_s: Sequence[float | None], target_s: float | None, settings: Section, looks: Looks) -> GateTest:
    """Judge the mean cycle time of successes under nominal conditions, with Student's t bounds; too slow fails.

    It judges the mean because the target is a throughput; bounds are in seconds.
    """
    known = np.array([c for c in cycles_s if c is not None and math.isfinite(c)])
    if target_s is None:
        return _cycle_test(
            note("evaluate.cycle_required"),
            Status.CANNOT_TELL,
            known,
            (math.nan, math.nan),
            0,
            note("evaluate.cycle_no_target"),
        )
    limit_s = target_s * settings.number("max_cycle_factor")
    required = note("evaluate.cycle_required", limit_s=limit_s)
    if len(known) < 2:  # noqa: PLR2004  one value has no spread
        needed = int(settings["base_trials"])
        few = note("evaluate.cycle_too_few", timed=len(known))
        return _cycle_test(required, Status.CANNOT_TELL, known, (math.nan, math.nan), needed, few)
    mean, error = float(known.mean()), float(known.std(ddof=1) / math.sqrt(len(known)))
    low, high = mean - _quantile(looks.level, len(known)) * error, mean + _quantile(looks.level, len(known)) * error
    status = Status.PASSED if high <= limit_s else Status.FAILED if low > limit_s else Status.CANNOT_TELL
    more = _more_trials_needed(mean - limit_s, error, len(known), looks) if status is Status.CANNOT_TELL else 0
    missing = (note("evaluate.more", more=more),) if more else ()
    message = note("evaluate.cycle", *missing, mean_s=mean, timed=len(known), low_s=low, high_s=high)
    within = int((known <= limit_s).sum())
    return _cycle_test(required, status, known, (low, high), more, message, within)


def _more_trials_needed(gap_s: float, error_s: float, timed: int, looks: Looks) -> int:
    left = max(1, looks.max_trials - timed)
    if gap_s == 0:
        return left
    factor = (_quantile(looks.next_level, timed) * error_s / gap_s) ** 2
    return int(min(left, max(1, math.ceil(timed * (factor - 1)))))


def _quantile(level: float, timed: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(timed - 1, level))


def _cycle_test(
    required: Note,
    status: Status,
    known: np.ndarray,
    bounds: tuple[float, float],
    more: int,
    message: Note,
    within: int = 0,
) -> GateTest:
    return GateTest("cycle time", required, status, within, len(known), *bounds, more, message)

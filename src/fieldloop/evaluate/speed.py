"""Gate requirements on time: latency and cycle time."""

import math
from collections.abc import Sequence

import numpy as np

from fieldloop.evaluate.looks import Looks
from fieldloop.model.decision import GateTest
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import Note, note
from fieldloop.protocol import Section


def judge_latency(latency_finding: Finding | None, robots: int = 0) -> GateTest:
    """Take over the latency measured by `serve`, while so many robots ask; without it the gate cannot pass."""
    if latency_finding is None:
        required, message = note("evaluate.latency_required"), note("evaluate.latency_not_measured")
        return GateTest("latency", required, Status.CANNOT_TELL, 0, 0, math.nan, math.nan, 0, message)
    measured = math.nan if latency_finding.measured is None else latency_finding.measured
    required = note("evaluate.latency_required", limit_ms=latency_finding.maximum)
    load = (note("evaluate.under_load", robots=robots),) if robots else ()
    message = note("evaluate.latency", *load, finding=latency_finding.fact)
    return GateTest("latency", required, latency_finding.status, 0, 0, measured, measured, 0, message)


def judge_cycle_time(
    base_s: Sequence[float | None],
    consecutive_s: Sequence[float | None],
    target_s: float | None,
    settings: Section,
    looks: Looks,
) -> GateTest:
    """Judge the mean cycle time of successes under nominal conditions, with Student's t bounds; too slow fails.

    It judges the mean because the target is a throughput; bounds are in seconds. Each argument has one entry for each
    trial, None where it failed or was not timed.
    """
    planned = int(settings["base_trials"]), int(settings["consecutive_trials"])
    look = looks.count_complete_looks((len(base_s), planned[0]), (len(consecutive_s), planned[1]))
    cycles_s = [*base_s[: look * planned[0]], *consecutive_s[: look * planned[1]]]
    known = np.array([c for c in cycles_s if c is not None and math.isfinite(c)])
    if target_s is None:
        return _make_cycle_test(
            note("evaluate.cycle_required"),
            Status.CANNOT_TELL,
            known,
            (math.nan, math.nan),
            0,
            note("evaluate.cycle_no_target"),
        )
    limit_s = target_s * settings.number("max_cycle_factor")
    required = note("evaluate.cycle_required", limit_s=limit_s)
    if not look:
        needed = max(planned[0] - len(base_s), 0) + max(planned[1] - len(consecutive_s), 0)
        early = note("evaluate.cycle_too_early", more=needed)
        return _make_cycle_test(required, Status.CANNOT_TELL, known, (math.nan, math.nan), needed, early)
    if len(known) < 2:  # noqa: PLR2004  one value has no spread
        needed = planned[0]
        few = note("evaluate.cycle_too_few", timed=len(known))
        return _make_cycle_test(required, Status.CANNOT_TELL, known, (math.nan, math.nan), needed, few)
    mean, error = float(known.mean()), float(known.std(ddof=1) / math.sqrt(len(known)))
    half = _compute_t_quantile(looks.get_level(look), len(known)) * error
    low, high = mean - half, mean + half
    status = Status.PASSED if high <= limit_s else Status.FAILED if low > limit_s else Status.CANNOT_TELL
    more = 0
    if status is Status.CANNOT_TELL:
        more = _count_more_trials_needed(mean - limit_s, error, len(known), looks, look)
    missing = (note("evaluate.more", more=more),) if more else ()
    message = note("evaluate.cycle", *missing, mean_s=mean, timed=len(known), low_s=low, high_s=high)
    within = int((known <= limit_s).sum())
    return _make_cycle_test(required, status, known, (low, high), more, message, within)


def _count_more_trials_needed(gap_s: float, error_s: float, timed_trials: int, looks: Looks, look: int) -> int:
    left = max(1, looks.max_trials - timed_trials)
    if gap_s == 0:
        return left
    factor = (_compute_t_quantile(looks.get_level(look + 1), timed_trials) * error_s / gap_s) ** 2
    return int(min(left, max(1, math.ceil(timed_trials * (factor - 1)))))


def _compute_t_quantile(level: float, timed_trials: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(timed_trials - 1, level))


def _make_cycle_test(
    required: Note,
    status: Status,
    known_cycles_s: np.ndarray,
    bounds: tuple[float, float],
    more_trials: int,
    message: Note,
    within: int = 0,
) -> GateTest:
    return GateTest("cycle time", required, status, within, len(known_cycles_s), *bounds, more_trials, message)

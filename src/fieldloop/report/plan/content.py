"""The content of a plan report, and its headline."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fieldloop.model.condition import Stratum
from fieldloop.model.learning import LearningCurve
from fieldloop.model.plan import Coverage, Forecast, Plan, PlanScore, Progress, Quota
from fieldloop.say.numbers import format_count, format_interval, format_plural, format_points, percent

MOST_LEVELS = 8
"""Levels of one factor that are listed; the rest, as of articles, is summed up."""


@dataclass(frozen=True, slots=True)
class PlanReport:
    """The plan in force, its progress, the coverage it is based on, and scores of earlier plans (newest first)."""

    plan: Plan | None
    progress: tuple[Progress, ...]
    coverage: tuple[Coverage, ...]
    forecast: Forecast | None = None
    scores: tuple[PlanScore, ...] = ()
    curves: tuple[LearningCurve, ...] = ()
    elsewhere: tuple[Coverage, ...] = ()
    """Demonstrations under conditions that are not deployed; they count for the conditions they share."""
    orders: tuple[Progress, ...] = ()
    """Progress of each work order."""
    beside: int = 0
    """Episodes accepted since the plan that count for no quota."""


def write_headline(report: PlanReport) -> str:
    """Write what to collect and what it will bring."""
    if report.plan is None:
        return f"No plan yet. {write_uncovered_share(report.coverage)}"
    asked = sum(quota.demonstrations for quota in report.plan.quotas)
    if not asked:
        return "There is nothing to collect: the plan asks for no demonstrations."
    quotas = [p for p in report.progress if not p.order]
    left = sum(p.left for p in quotas) if quotas else asked
    strata = format_plural(len({q.stratum for q in report.plan.quotas if q.demonstrations}), "stratum", "strata")
    if not left:
        gain = format_expected_gain(report.plan)
        return f"All {format_plural(asked, 'demonstration')} of the plan are collected; {gain}."
    if left < asked:
        left_to_collect = f"{format_count(left)} of {format_plural(asked, 'demonstration')} left to collect in {strata}"
        return f"{left_to_collect}: {format_expected_gain(report.plan)}."
    return f"Collect {format_plural(asked, 'demonstration')} in {strata}: {format_expected_gain(report.plan)}."


def format_expected_gain(plan: Plan) -> str:
    """Write the expected gain of a plan, with its interval where it has one."""
    if not math.isfinite(plan.expected_gain):
        return "the gain of these demonstrations is not known"
    known = plan.gain_low < plan.gain_high and math.isfinite(plan.gain_low + plan.gain_high)
    span = f" ({format_interval(plan.gain_low, plan.gain_high)})" if known else ""
    how = "assumed, no outcome counts yet" if plan.assumed else "expected"
    return f"{format_points(plan.expected_gain)} points of production success {how}{span}"


def write_uncovered_share(coverage: Sequence[Coverage]) -> str:
    """Write how much of production no demonstration shows."""
    there = select_deployed_strata(coverage)
    if not there:
        return "No deployed stratum is known. Audit the deployment map first."
    never = [c for c in there if c.demonstrations == 0]
    share = sum(c.exposure for c in never)
    total = format_plural(len(there), "deployed stratum", "deployed strata")
    if not never:
        return f"Each of {total} has a demonstration."
    return f"{format_count(len(never))} of {total}, {percent(share, 0)} of production, have no demonstration."


def select_deployed_strata(coverage: Sequence[Coverage]) -> list[Coverage]:
    """Leave out strata that production never meets."""
    return [one for one in coverage if one.exposure > 0.0]


def sort_by_gain(quotas: Sequence[Quota]) -> list[Quota]:
    """Return quotas, the largest expected gain first; those with an unknown gain last."""
    return sorted(quotas, key=lambda q: -q.gain if math.isfinite(q.gain) else math.inf)


def count_demonstrations_by_level(quotas: Sequence[Quota]) -> Iterator[tuple[str, str]]:
    """Yield how many demonstrations each level gets, factor by factor.

    >>> from fieldloop.model.note import Note
    >>> why = Note("plan.quota")
    >>> asked = [Quota(Stratum.of(bin=b, site="south"), n, 0.0, 0.0, 0.0, why) for b, n in (("back", 2), ("side", 5))]
    >>> dict(count_demonstrations_by_level(asked))
    {'bin': 'side 5, back 2', 'site': 'south 7'}
    """
    for factor in sorted({c.factor for q in quotas for c in q.stratum.conditions}):
        counts: Counter[str] = Counter()
        for quota in quotas:
            if level := quota.stratum.level(factor):
                counts[level] += quota.demonstrations
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        counted = [f"{level} {format_count(count)}" for level, count in ranked[:MOST_LEVELS]]
        if rest := ranked[MOST_LEVELS:]:
            counted.append(f"{format_plural(len(rest), 'more level')} {format_count(sum(count for _, count in rest))}")
        yield factor, ", ".join(counted)


def find_shared_factors(strata: Sequence[Stratum]) -> list[str]:
    """Name the factors whose level all strata share, so that rows can leave it out."""
    if len(strata) < 2:  # noqa: PLR2004 - with one, everything would be shared
        return []
    common = set.intersection(*(set(stratum.conditions) for stratum in strata))
    return sorted(condition.factor for condition in common)

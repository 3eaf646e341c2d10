"""Learning curves: expected failure against demonstrations, with its interval; past rounds as dots."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fieldloop.model.condition import Stratum
from fieldloop.model.learning import LearningCurve
from fieldloop.model.plan import Coverage, PlanScore, Quota
from fieldloop.report.markup import draw_figure
from fieldloop.report.plan.content import PlanReport, find_shared_factors, sort_by_gain
from fieldloop.report.plots import INK, INK_2, INK_3, LINE_2, SERIES, Margins, add_halo, make_responsive, open_drawing
from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_number as number
from fieldloop.say.numbers import format_plural, percent, stratum_in_words
from fieldloop.stats import binomial

WIDTH, HEIGHT = 3.5, 1.75
MOST_DRAWN = 6
BAND = "#c5d8f4"
WHOLE = 1.0


@dataclass(frozen=True, slots=True)
class MeasuredFailure:
    """Failure measured in production at a number of demonstrations, with its interval."""

    demonstrations: float
    failure: float
    low: float
    high: float
    attempts: int


def draw_curves(report: PlanReport) -> list[Markup]:
    """Draw the curves of the strata with the largest expected gain."""
    quotas = sort_by_gain(report.plan.quotas) if report.plan else []
    known = {curve.stratum: curve for curve in report.curves}
    covered = {one.stratum: one for one in report.coverage}
    without = find_shared_factors([q.stratum for q in quotas])
    drawn: list[Markup] = []
    for stratum in dict.fromkeys(q.stratum for q in quotas):
        own = [q for q in quotas if q.stratum == stratum]
        curve = known.get(stratum) or _make_promised_curve(own, covered.get(stratum))
        if curve is not None and len(drawn) < MOST_DRAWN:
            past = [*_list_past_failures(report.scores, stratum), *_list_current_failure(covered.get(stratum))]
            drawn.append(
                draw_figure(
                    draw_curve(curve, past),
                    f"{stratum_in_words(stratum, without)}. {_write_curve_caption(curve, past)}",
                )
            )
    return drawn


def draw_curve(curve: LearningCurve, past_failures: Sequence[MeasuredFailure]) -> Markup:
    """Draw one curve; the dashed line is where the data are now, the open dot where the plan leads."""
    with open_drawing(WIDTH, HEIGHT, Margins(left=0.5, right=0.2, top=0.12, bottom=0.38)) as (axis, made):
        axis.fill_between(curve.demonstrations, curve.low, curve.high, color=BAND, linewidth=0)
        axis.plot(curve.demonstrations, curve.failure, color=SERIES[0])
        axis.axvline(curve.now, color=LINE_2, linestyle=(0, (4, 2)), linewidth=0.9)
        for seen in past_failures:
            axis.plot([seen.demonstrations] * 2, [seen.low, seen.high], color=INK_2, linewidth=0.9)
            axis.plot(seen.demonstrations, seen.failure, marker="o", markersize=4, color=INK)
        after = curve.now + curve.planned
        level = _interpolate_failure(curve, after)
        axis.plot(after, level, marker="o", markersize=6, color=SERIES[0], fillstyle="none")
        if math.isfinite(level):
            add_halo(axis.annotate(percent(level, 0), (after, level), (0, 7), textcoords="offset points",
                               color=SERIES[0], ha="center"))  # fmt: skip
        _format_axes(axis, curve, past_failures)
    return make_responsive(made[0], "Failure rate against number of demonstrations", WIDTH)


def _format_axes(axis: Any, curve: LearningCurve, past_failures: Sequence[MeasuredFailure]) -> None:
    highest = max((v for v in (*curve.high, *(s.high for s in past_failures)) if math.isfinite(v)), default=WHOLE)
    axis.set_ylim(0.0, min(WHOLE, 1.15 * highest) or WHOLE)
    axis.yaxis.set_major_formatter(lambda value, _: percent(value, 0))
    axis.locator_params(axis="both", nbins=4, integer=False)
    axis.xaxis.set_major_formatter(lambda value, _: number(value, 6))
    axis.margins(x=0.08)
    axis.set_xlabel("demonstrations", color=INK_3, labelpad=2, fontsize=8)


def _write_curve_caption(curve: LearningCurve, past_failures: Sequence[MeasuredFailure]) -> str:
    rounds = (
        f" Dots are failure rates measured over {format_plural(sum(s.attempts for s in past_failures), 'attempt')}."
        if past_failures
        else ""
    )
    after = percent(_interpolate_failure(curve, curve.now + curve.planned), 0)
    now, more = number(curve.now, 6), number(curve.planned, 6)
    return f"{now} demonstrations in hand; with {more} more {after} are expected to fail.{rounds}"


def _interpolate_failure(curve: LearningCurve, demonstrations: float) -> float:
    import numpy as np

    return float(np.interp(demonstrations, curve.demonstrations, curve.failure)) if curve.demonstrations else math.nan


def _make_promised_curve(quotas: Sequence[Quota], current_coverage: Coverage | None) -> LearningCurve | None:
    """Without a given curve, draw a line from the measured failure to what the plan promises for this stratum."""
    if current_coverage is None or not current_coverage.attempts or current_coverage.exposure <= 0.0:
        return None
    gain, low, high = (sum(getattr(q, name) for q in quotas) for name in ("gain", "gain_low", "gain_high"))
    seen = _make_measured_failure(current_coverage.demonstrations, current_coverage.failures, current_coverage.attempts)
    # a plan may estimate more failure than few attempts show; then the two cannot be connected
    if not all(map(math.isfinite, (gain, low, high))) or gain > seen.failure * current_coverage.exposure:
        return None
    ends = (
        float(current_coverage.demonstrations),
        float(current_coverage.demonstrations + sum(q.demonstrations for q in quotas)),
    )
    after = [max(0.0, seen.failure - won / current_coverage.exposure) for won in (gain, high, low)]
    return LearningCurve(
        current_coverage.stratum, ends, (seen.failure, after[0]), (seen.failure, after[1]), (seen.failure, after[2]),
        ends[0], ends[1] - ends[0],
    )  # fmt: skip


def _list_past_failures(scores: Sequence[PlanScore], stratum: Stratum) -> Iterator[MeasuredFailure]:
    for one in (s for score in scores for s in score.strata if s.stratum == stratum):
        if one.attempts_before:
            yield _make_measured_failure(one.demonstrations_before, one.failures_before, one.attempts_before)


def _list_current_failure(current_coverage: Coverage | None) -> Iterator[MeasuredFailure]:
    if current_coverage is not None and current_coverage.attempts:
        yield _make_measured_failure(
            current_coverage.demonstrations, current_coverage.failures, current_coverage.attempts
        )


def _make_measured_failure(demonstrations: int, failures: int, attempts: int) -> MeasuredFailure:
    failed = min(failures, attempts)
    return MeasuredFailure(
        float(demonstrations), failed / attempts, *binomial.compute_wilson_interval(failed, attempts), attempts
    )

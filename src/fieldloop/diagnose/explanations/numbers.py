"""Explanations by numbers of telemetry: success drops beyond a cut, or the farther the more."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldloop.diagnose.explanations.columns import MACHINERY, Columns
from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.dose import bound_latency_loss, lateness
from fieldloop.diagnose.explanations.explanation import Explanation, Kind, Loss
from fieldloop.diagnose.explanations.priors import loss_of, suspicion
from fieldloop.diagnose.inference.strengths import Ramp, Strength, unpack
from fieldloop.diagnose.inference.table import Floats, Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Column, Role
from fieldloop.model.note import note
from fieldloop.protocol import Section

Range = tuple[float, float]

CUTS = np.arange(1, 10) / 10.0
"""Quantiles of production at which a number is cut: tenths, because closer cuts have nearly the same rows."""


@dataclass(frozen=True)
class Beyond:
    """Rows beyond a value of a number, above or below it, and how strongly that holds in production and baseline."""

    number: str
    end: float
    above: bool
    kind: Kind
    after: Strength
    before: Strength
    ramps: tuple[Ramp, Ramp] | None = None
    """The same of a rise, without a number for each row."""

    @property
    def stratum(self) -> Stratum:
        """Name it as a condition; the value is rounded for people, so nothing may be computed from the name."""
        word = "above" if self.above else "up to" if self.kind is Kind.STEP else "below"
        return Stratum((Condition(self.number, f"{word} {level_number(self.end)}"),))

    def unseen(self, seen: Range | None) -> bool | None:
        """Does it begin where demonstrations end, or farther out? None where they did not log the number."""
        if seen is None:
            return None
        return self.end >= seen[1] if self.above else self.end <= seen[0]


def level_number(number: float, digits: int = 4) -> str:
    """Write a number as part of a level's name; levels are data, so the same number always has the same name.

    >>> level_number(55_690.4), level_number(15.08, 3), level_number(0.00001234)
    ('55690', '15.1', '0.00001234')
    """
    return np.format_float_positional(float(f"{number:.{digits}g}"), trim="-")


def number_explanations(
    before: Table, after: Table, shown: Demonstrations | None, columns: Columns, settings: Section
) -> Iterator[Explanation]:
    """Yield every number in both directions, unless it is a consequence of failing or a mere symptom of lag.

    The prior of a number is shared by its cuts.
    """
    for name, values in after.numbers.items():
        past = before.numbers.get(name, np.full(len(before), np.nan))
        column = columns.known[name]
        if not np.isfinite(values).any() or column.role is Role.PACE:
            continue
        if _is_consequence(past, before.success, settings.number("consequence_area")):
            continue
        seen = shown.ranges.get(name) if shown is not None else None
        made = list(_rows_beyond_cuts(column, values, past, seen, settings))
        covered = seen if column.role not in MACHINERY else None
        if covered is not None:
            made = [beyond for beyond in made if beyond.unseen(covered)]
        if column.role in MACHINERY:  # values that the baseline had too did no harm there
            often = settings.number("more_than_baseline")
            made = [beyond for beyond in made if often * beyond.before.mean() < beyond.after.mean()]
        least = settings.number("min_slice_episodes")
        kept = [
            beyond
            for beyond in made
            if (beyond.after > 0.0).sum() >= least and (beyond.after < 1.0).sum() + len(before) >= least
        ]
        for beyond in kept:
            late_ms = lateness(values, past, beyond.after, settings.number("usual_quantile"))
            explanation = _explanation(beyond, column, covered, len(kept), late_ms, settings)
            if column.role is Role.WEAR:
                doubt = _doubt_wear(beyond, values, past, settings)
                yield replace(explanation, log_odds=explanation.log_odds + doubt)
            elif column.role is Role.LATENCY and _has_contrast(beyond, settings):
                yield from _late_in_both_ways(explanation, settings)
            else:
                yield explanation


def _explanation(
    beyond: Beyond, column: Column, covered: Range | None, count: int, late_ms: float, settings: Section
) -> Explanation:
    odds, reasons, never = settings.number("number_odds"), [], beyond.unseen(covered)
    machinery, loss = column.role in MACHINERY, loss_of(column.role, settings)
    if column.role is Role.LATENCY and not _has_contrast(beyond, settings):
        loss = bound_latency_loss(loss, late_ms, settings)
    if machinery:
        odds = settings.number("machinery_odds")
        reasons.append(note("diagnose.part_of_the_machinery"))
    elif never:
        odds = settings.number("starved_odds")
        reasons.append(note("diagnose.hardly_demonstrated"))
    if not beyond.before.any() and (machinery or never is not False):
        reasons.append(note("diagnose.new_to_the_baseline"))
    odds -= np.log(max(count, 1)) / 2.0  # neighbouring cuts have nearly the same rows
    if column.role is not Role.LATENCY and _holds_everywhere(beyond, column, settings):
        odds += settings.number("unknown_odds")
    after, before = beyond.ramps or (beyond.after, beyond.before)
    return Explanation(
        column.gap, beyond.stratum, beyond.kind, after, before, odds, loss, never,
        reasons=tuple(reasons), multiplies=column.role is Role.LATENCY,
    )  # fmt: skip


def _late_in_both_ways(late: Explanation, settings: Section) -> tuple[Explanation, Explanation]:
    """Let outcomes show how late answers act: they miss however easy an attempt is, or hurt hard attempts more."""
    half = replace(late, log_odds=late.log_odds - math.log(2.0))
    loss = Loss(settings.number("fault_loss"), settings.number("fault_spread"))
    return half, replace(half, loss=loss, multiplies=False)


def _has_contrast(beyond: Beyond, settings: Section) -> bool:
    """Does production have both sides, so that its own outcomes show what the number costs?"""
    inside = float(np.mean(beyond.after > 0.0))
    return min(inside, 1.0 - inside) > 1.0 - settings.number("nearly_all")


def _doubt_wear(beyond: Beyond, values: Floats, past: Floats, settings: Section) -> float:
    """Return what to add to the prior odds of a counter: wear hardly beyond what the baseline succeeded with is normal.

    Every counter grows, so production is always a little beyond the baseline.
    """
    usual = settings.number("usual_quantile")
    known = past[np.isfinite(past)]
    high = float(np.quantile(known, usual)) if len(known) else 0.0
    if high <= 0.0:
        return 0.0
    end = float(np.nanquantile(values, usual)) if beyond.kind is Kind.RISE else beyond.end
    return min(suspicion(end / high / settings.number("more_than_baseline"), settings), 0.0)


def _holds_everywhere(beyond: Beyond, column: Column, settings: Section) -> bool:
    """Is it nearly all of production? A counter that grows during production is not the same early and late."""
    least = 0.5 if column.role is Role.WEAR and beyond.kind is Kind.RISE else 0.0
    return float(np.mean(beyond.after > least)) > settings.number("nearly_all")


def _rows_beyond_cuts(
    column: Column, values: Floats, past: Floats, seen: Range | None, settings: Section
) -> Iterator[Beyond]:
    usual, outermost = settings.number("usual_quantile"), settings.number("number_outermost")
    sides = (1.0,) if column.role in MACHINERY else (1.0, -1.0)
    for sign in sides:
        above = sign > 0.0
        ends = [float(np.nanquantile(past, usual if above else 1.0 - usual))] if np.isfinite(past).any() else []
        ends += [seen[1] if above else seen[0]] if seen is not None else []
        for cut in np.unique([*np.nanquantile(values, CUTS), _widest_gap(values, outermost), *ends]).tolist():
            inside, earlier = (_step(side, cut, sign) for side in (values, past))
            yield Beyond(column.name, cut, above, Kind.STEP, inside, earlier)
        shown_end = [seen[1] if above else seen[0]] if seen is not None else []
        for start in [*_candidate_starts(values, past, sign, usual, settings["number_rises"]), *shown_end]:
            far = float(np.nanquantile(sign * (values - start), usual))
            if far > 0.0:
                ramps = Ramp(values, start, sign, far), Ramp(past, start, sign, far)
                inside, earlier = map(unpack, ramps)
                yield Beyond(column.name, start, above, Kind.RISE, inside, earlier, ramps)


def _widest_gap(values: Floats, outermost: float) -> float:
    """Return the middle of the widest gap between values, ignoring the outermost: worn and new grippers leave one."""
    low, high = np.nanquantile(values, [1.0 - outermost, outermost])
    kept = np.sort(values[(values >= low) & (values <= high)])
    if len(kept) < 2:  # noqa: PLR2004 - a gap has two ends
        return float(low)
    at = int(np.argmax(np.diff(kept)))
    return float((kept[at] + kept[at + 1]) / 2.0)


def _is_consequence(past: Floats, success: Floats, most: float) -> bool:
    """Does a number separate failures from successes in the baseline so well that it must be their consequence?"""
    from scipy.stats import rankdata

    kept = np.isfinite(past)
    good, bad = success[kept] > 0.5, success[kept] <= 0.5  # noqa: PLR2004 - the majority of judges
    if not good.any() or not bad.any():
        return False
    order = rankdata(past[kept])
    area = (order[good].mean() - order[bad].mean()) / len(order) + 0.5
    return bool(max(area, 1.0 - area) > most)


def _candidate_starts(values: Floats, past: Floats, sign: float, usual: float, rises: Sequence[float]) -> list[float]:
    """Return values from which a number may begin to hurt: middle or end of the baseline, or inside production."""
    starts = [(values, q) for q in rises] + [(past, q) for q in (0.5, usual) if np.isfinite(past).any()]
    return sorted({float(np.nanquantile(some, q if sign > 0.0 else 1.0 - q)) for some, q in starts})


def _step(values: Floats, cut: float, sign: float) -> Strength:
    return np.asarray(values > cut if sign > 0.0 else values <= cut)

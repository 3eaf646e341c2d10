"""Explanations by numbers: beyond a cut, or the farther the worse."""

from collections.abc import Iterator

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE, loss_of, never_shown
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.explanation import Explanation, Kind
from fieldloop.diagnose.ranks import ranks
from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

CUTS = np.arange(1, 10) / 10.0
RISES = (0.1, 0.5, 0.7)
OUTERMOST = 0.95


def of_numbers(before: Table, after: Table, shown: Demonstrations | None, settings: Section) -> Iterator[Explanation]:
    """Every number in both directions, unless it follows from failing, or only shows that pictures or answers are late.

    A number counts once, however many cuts it has.
    """
    for name, values in after.numbers.items():
        past = before.numbers.get(name, np.full(len(before), np.nan))
        if not np.isfinite(values).any() or gaps.of_factor(name) is Gap.TIMING:
            continue
        if _consequence(past, before.success, settings.number("consequence_area")):
            continue
        seen = shown.ranges.get(name) if shown is not None else None
        made = list(_columns(name, values, past, seen, settings.number("usual_quantile")))
        least = settings.number("min_slice_episodes")
        if gaps.of_factor(name) in COVERABLE and seen is not None:
            made = [one for one in made if never_shown(one[0], shown, settings)]
        if gaps.of_factor(name) in gaps.MACHINERY:  # what the baseline had as well, it passed with
            often = settings.number("more_than_baseline")
            made = [one for one in made if often * one[3].mean() < one[2].mean()]
        kept = [one for one in made if (one[2] > 0.0).sum() >= least and (one[2] < 1.0).sum() + len(before) >= least]
        for stratum, kind, now, then in kept:
            yield _explanation(stratum, kind, now, then, len(kept), shown, settings)


def _explanation(
    stratum: Stratum, kind: Kind, after: Floats, before: Floats, count: int, shown: Demonstrations | None,
    settings: Section,
) -> Explanation:  # fmt: skip
    gap = gaps.of_stratum(stratum)
    never = never_shown(stratum, shown, settings) if gap in COVERABLE else None
    odds, reasons = settings.number("number_odds"), []
    if gap in gaps.MACHINERY:
        odds = settings.number("machinery_odds")
        reasons.append("it is part of the machinery")
    elif never:
        odds = settings.number("starved_odds")
        reasons.append("it was hardly ever demonstrated")
    if not before.any() and (gap in gaps.MACHINERY or never is not False):
        reasons.append("the baseline never met it")
    odds -= np.log(max(count, 1)) / 2.0  # neighbouring cuts are nearly one
    if float(np.mean(after > 0.0)) > settings.number("nearly_all") and gap is not Gap.INFRASTRUCTURE:
        odds += settings.number("unknown_odds")
    loss = loss_of(gap, settings)
    return Explanation(
        gap, stratum, kind, after, before, odds, loss, never,
        reasons=tuple(reasons),
    )  # fmt: skip


def _columns(
    name: str, values: Floats, past: Floats, seen: tuple[float, float] | None, usual: float
) -> Iterator[tuple[Stratum, Kind, Floats, Floats]]:
    sides = (1.0,) if gaps.only_more_hurts(name) else (1.0, -1.0)
    for sign in sides:
        ends = [float(np.nanquantile(past, usual if sign > 0.0 else 1.0 - usual))] if np.isfinite(past).any() else []
        ends += [seen[1] if sign > 0.0 else seen[0]] if seen is not None else []
        for cut in np.unique([*np.nanquantile(values, CUTS), _widest_gap(values), *ends]):
            word = "above" if sign > 0.0 else "up to"
            yield _named(name, word, cut), Kind.STEP, _beyond(values, cut, sign), _beyond(past, cut, sign)
        word = "above" if sign > 0.0 else "below"
        for start in _starts(values, past, sign, usual):
            far = float(np.nanquantile(sign * (values - start), usual))
            if far > 0.0:
                rises = (_rise(side, start, sign, far) for side in (values, past))
                yield _named(name, word, start), Kind.RISE, next(rises), next(rises)


def _widest_gap(values: Floats) -> float:
    """The middle of the widest gap between values, a few of the outermost aside: worn and new grippers leave one."""
    low, high = np.nanquantile(values, [1.0 - OUTERMOST, OUTERMOST])
    kept = np.sort(values[(values >= low) & (values <= high)])
    if len(kept) < 2:  # noqa: PLR2004 - a gap has two ends
        return float(low)
    at = int(np.argmax(np.diff(kept)))
    return float((kept[at] + kept[at + 1]) / 2.0)


def _consequence(past: Floats, success: Floats, most: float) -> bool:
    """Does a number tell failures from successes in the baseline so well that it follows from them?"""
    kept = np.isfinite(past)
    good, bad = success[kept] > 0.5, success[kept] <= 0.5  # noqa: PLR2004 - most judges said so
    if not good.any() or not bad.any():
        return False
    order = ranks(past[kept])
    area = (order[good].mean() - order[bad].mean()) / len(order) + 0.5
    return bool(max(area, 1.0 - area) > most)


def _starts(values: Floats, past: Floats, sign: float, usual: float) -> list[float]:
    """From where a number may begin to hurt: the middle or the end of what the baseline had, or inside production."""
    starts = [(values, q) for q in RISES] + [(past, q) for q in (0.5, usual) if np.isfinite(past).any()]
    return sorted({float(np.nanquantile(some, q if sign > 0.0 else 1.0 - q)) for some, q in starts})


def _beyond(values: Floats, cut: float, sign: float) -> Floats:
    return np.asarray(values > cut if sign > 0.0 else values <= cut, dtype=np.float64)


def _rise(values: Floats, start: float, sign: float, far: float) -> Floats:
    return np.nan_to_num(np.clip(sign * (values - start) / far, 0.0, 1.0), nan=0.0)


def _named(name: str, word: str, value: float) -> Stratum:
    return Stratum((Condition(name, f"{word} {value:.4g}"),))

"""How far each candidate is believed before its outcomes are looked at: by its sort, and by what was demonstrated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.candidates import NEW_ITEM, SIMULATED, Candidate, Kind
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

COVERABLE = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS)
"""Gaps that demonstrations close: of these it counts whether there were any."""

SYMPTOM = -1e9
"""Log-odds of what is never a cause: how far or how fast it moved is where late answers or late pictures show."""


@dataclass(frozen=True)
class Believed:
    """A candidate, the log of how much more it is believed than a single condition, and how hard it may be by nature.

    `untried` is a spread on the log-odds: what was demonstrated like everything else and never tried before may be
    hard without anything being wrong.
    """

    candidate: Candidate
    log_prior: float
    untried: float = 0.0


def believe(options: Sequence[Candidate], shown: Demonstrations | None, settings: Section) -> list[Believed]:
    """Weigh every candidate."""
    return [_weigh(one, shown, settings) for one in options]


def starved(stratum: Stratum, share: float, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Were there hardly any demonstrations, or far fewer than its share of production? None where nobody knows."""
    count = shown.shown(stratum) if shown is not None else None
    if shown is None or count is None:
        return None
    few = count < settings.number("covered_demonstrations")
    return few or count < settings.number("starved_ratio") * share * shown.total


def never_shown(stratum: Stratum, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Was it hardly ever demonstrated, as a condition or as a number outside all that was? None where nobody knows."""
    if shown is None:
        return None
    if len(stratum.conditions) == 1 and (condition := stratum.conditions[0]).factor in shown.ranges:
        return _outside(condition.level, shown.ranges[condition.factor])
    if stratum.conditions == (NEW_ITEM,):
        return True
    count = shown.shown(stratum)
    return None if count is None else count < settings.number("covered_demonstrations")


def _weigh(one: Candidate, shown: Demonstrations | None, settings: Section) -> Believed:
    if one.kind in (Kind.STEP, Kind.RISE) and gaps.of_stratum(one.stratum) is Gap.TIMING:
        return Believed(one, SYMPTOM)
    prior = -_handicap(one.kind, settings)
    if one.stratum.conditions == (SIMULATED,):
        return Believed(one, prior + settings.number("uncovered_bonus"))
    if gaps.of_stratum(one.stratum) not in COVERABLE:
        return Believed(one, prior)
    lacking = never_shown(one.stratum, shown, settings)
    if lacking or starved(one.stratum, float(np.mean(one.after)), shown, settings):
        return Believed(one, prior + settings.number("uncovered_bonus"))
    if lacking is False and one.kind is not Kind.LATER:
        prior -= settings.number("covered_handicap")
    simulated = shown is not None and shown.mostly_simulated(one.stratum, settings.number("simulated_share"))
    excused = lacking is False and not simulated and not one.before.any() and one.kind in (Kind.CONDITION, Kind.PAIR)
    return Believed(one, prior, settings.number("untried_spread") if excused else 0.0)


def _handicap(kind: Kind, settings: Section) -> float:
    """The more of a sort there are, the less each is believed; and time by itself breaks nothing."""
    if kind in (Kind.STEP, Kind.RISE):
        return settings.number("number_handicap")
    return 0.0 if kind is Kind.CONDITION else settings.number("pair_handicap")


def _outside(level: str, seen: tuple[float, float]) -> bool:
    """Does 'above 40' or 'up to 3' speak of values that lie, for the most part, beyond those seen?"""
    word, _, number = level.rpartition(" ")
    return float(number) >= seen[1] if word == "above" else float(number) <= seen[0]

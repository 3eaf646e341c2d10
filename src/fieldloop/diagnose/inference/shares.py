"""Shares of the loss with their intervals: drawn from all sets in the window, each by its posterior probability.

A row loses the difference between its rate without faults and with them. The Aumann-Shapley value divides it: all
faults grow together from zero to their size, and each is credited with what it costs on the way, so that their order
does not matter. A condition is credited with what it costs in production beyond what it cost in the baseline. A fault
of the data lowered the baseline too, by an unknown amount; it is credited with all that production would gain without
it. The rest of the loss stays unassigned: another mix, a floor that is a little harder.

An interval includes the sets without the cause, unless these are improbable (`surely`): that a cause may be none is
stated by its probability, and would else turn every interval into one from 0 on.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.inference.day_spread import effective_episodes
from fieldloop.diagnose.inference.member_costs import MemberCosts
from fieldloop.diagnose.inference.sets import FittedSet, Sets
from fieldloop.diagnose.inference.table import Counted, Floats
from fieldloop.model.diagnosis import Gap

Interval = tuple[float, float, float]
TINY = 1e-9  # keeps a division by zero apart
REDRAWN = 20
"""Number of times effects are redrawn until all are negative; in a set of many small ones some may never be."""


@dataclass(frozen=True)
class Shares:
    """Each gap's share of the loss with its interval, and each member's part of its gap in the best set."""

    gaps: Mapping[Gap, Interval]
    members: Mapping[int, float]
    lost: float
    """Success that all named faults cost together."""
    fell: float
    """Part of it beyond what they cost in the baseline."""
    costs: Mapping[Gap, Interval]
    """Success that each gap costs; used where success has not dropped, so that shares have no meaning."""

    def of(self, members: Collection[int], gap: Gap) -> Interval:
        """Return the share of members that are one cause."""
        share, low, high = self.gaps[gap]
        part = sum(self.members[member] for member in members)
        return part * share, part * low, part * high


def shares(
    sets: Sets,
    window: Sequence[tuple[FittedSet, float]],
    loss: float,
    rng: np.random.Generator,
    gap_of: Mapping[int, Gap | None],
) -> Shares:
    """Draw effects and sets; `gap_of` overrides the gap that an explanation's part is credited to (None: no gap)."""
    best = window[0][0]
    draws = int(sets.settings.number("share_draws"))
    counts = stratified_counts([weight for _, weight in window], draws, rng)
    error = loss_error(sets)
    gaps = [gap_of.get(at, one.gap) for at, one in enumerate(sets.explanations)]
    made, credit, fell = [], [], []
    for (one, _), count in zip(window, counts.tolist(), strict=True):
        if not count:
            continue
        credits_of = _Credits(sets, one)
        for coefficients in _draw_effects(one, count, rng):
            credited, beyond = credits_of.at(coefficients)
            member_gaps = [gaps[member] for member in one.members]
            by_gap = np.array(
                [sum(p for g, p in zip(member_gaps, credited.tolist(), strict=True) if g is gap) for gap in Gap]
            )
            made.append(by_gap / max(by_gap.sum(), loss + error * rng.standard_normal(), TINY))
            credit.append(by_gap)
            fell.append(sum(p for g, p in zip(member_gaps, beyond.tolist(), strict=True) if g is not None))
    tail = 0.5 - sets.settings.number("confidence") / 2.0
    surely, guessed = sets.settings.number("surely"), _guessed_gaps(sets, best, gaps)
    spans, costs = (_intervals(drawn, tail, surely, guessed) for drawn in (made, credit))
    known = dict(zip(best.members, _Credits(sets, best).at(best.fit.coefficients)[0].tolist(), strict=True))
    whole = {gap: sum(p for m, p in known.items() if gaps[m] is gap) for gap in Gap}
    parts = {m: p / max(whole[gap], TINY) for m, p in known.items() if (gap := gaps[m]) is not None}
    lost = float(np.mean([by_gap.sum() for by_gap in credit]))
    return Shares(spans, parts, lost, float(np.mean(fell)), costs)


def _guessed_gaps(sets: Sets, best: FittedSet, gaps: Sequence[Gap | None]) -> set[Gap | None]:
    """Return gaps of which the best set holds nothing but suspicions about the data that were not measured."""
    faults = {m for m in best.members if sets.explanations[m].kind is Kind.FAULT}
    unmeasured = {m for m in faults if not sets.explanations[m].measured}
    return {gaps[m] for m in unmeasured} - {gaps[m] for m in best.members if m not in unmeasured}


def _intervals(
    drawn: Sequence[Floats], tail: float, surely: float, guessed: Collection[Gap | None]
) -> dict[Gap, Interval]:
    """Return mean and interval of each gap; where it is nearly certainly at work, the interval is of that case.

    What is only guessed keeps the cases without it: nothing but its prior makes it probable.
    """
    made: dict[Gap, Interval] = {}
    for gap, values in zip(Gap, np.transpose(drawn), strict=True):
        at_work = values > 0.0
        counted = values[at_work] if at_work.mean() >= surely and gap not in guessed else values
        middle, (low, high) = float(values.mean()), np.quantile(counted, [tail, 1.0 - tail])
        made[gap] = (middle, min(float(low), middle), max(float(high), middle))
    return made


class _Credits:
    """What each member of a set is credited with."""

    def __init__(self, sets: Sets, fitted: FittedSet) -> None:
        inherent = sets.inherent
        self._sides = [MemberCosts(sets, fitted, rows) for rows in (inherent.production, inherent.baseline)]
        self._of_data = np.array([sets.explanations[m].kind is Kind.FAULT for m in fitted.members], dtype=bool)

    def at(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return what each member is credited with, and what it costs in production beyond the baseline."""
        now, then = (side.cost(coefficients) for side in self._sides)
        return np.where(self._of_data, now, np.maximum(now - then, 0.0)), now - then


def stratified_counts(weights: Sequence[float], draws: int, rng: np.random.Generator) -> Counted:
    """Return how many draws each set gets: systematic sampling, so that chance does not favour an improbable one."""
    ends = np.append(0.0, np.cumsum(weights) / np.sum(weights)) * draws
    return np.diff(np.floor(ends + rng.random())).astype(np.int64)


def _draw_effects(fitted: FittedSet, count: int, rng: np.random.Generator) -> Floats:
    """Draw effects; a fault lowers success, so positive effects are drawn again."""
    root = np.linalg.cholesky(fitted.fit.covariance)
    made = np.asarray(fitted.fit.coefficients + rng.standard_normal((count, len(root))) @ root.T)
    first = len(root) - len(fitted.members)
    for _ in range(REDRAWN):
        again = np.flatnonzero((made[:, first:] >= 0.0).any(axis=1))
        if not len(again):
            break
        made[again] = fitted.fit.coefficients + rng.standard_normal((len(again), len(root))) @ root.T
    return made


def loss_error(sets: Sets) -> float:
    """Return the standard error of the loss, allowing for days."""
    inherent = sets.inherent
    sides = ((inherent.success[rows], inherent.clusters[rows]) for rows in (inherent.baseline, inherent.production))
    return float(np.sqrt(sum(side.var() / effective_episodes(side, days, inherent.day_spread) for side, days in sides)))

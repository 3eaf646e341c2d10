"""Shares of the loss with their intervals: drawn from all sets that count, each by its probability.

What a row loses lies between its rate without faults and with them. It is divided by following all faults in step from
nothing to what they are, and crediting each with what it takes off on the way (the Aumann-Shapley value), so that no
cause is served first. A condition is credited with what it takes off production beyond what it took off the baseline.
A fault of the data took its part there already, by an amount that nobody knows; it is credited with all that production
would win without it. What the loss has beyond that is nobody's: another mix, a floor that is a little harder.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.expectation import logistic
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.sets import Sets, Told
from fieldloop.diagnose.spread import witnesses
from fieldloop.diagnose.table import Counted, Floats
from fieldloop.model.diagnosis import Gap

Interval = tuple[float, float, float]
STOPS, PARTS = np.polynomial.legendre.leggauss(5)
TINY = 1e-9
REDRAWN = 20
"""How often effects are drawn anew until all take something off; in a set of many small ones some may never."""


@dataclass(frozen=True)
class Shares:
    """Each gap's share of the loss with its interval, and each member's part of what its gap takes in the best set."""

    gaps: Mapping[Gap, Interval]
    members: Mapping[int, float]
    lost: float
    """Success that all named faults take off together."""
    fell: float
    """So much of it is beyond what they took off the baseline."""
    costs: Mapping[Gap, Interval]
    """The success that each gap is credited with: of a whole that has not fallen there are no shares."""

    def of(self, members: Collection[int], gap: Gap) -> Interval:
        """The share of members that are one cause."""
        share, low, high = self.gaps[gap]
        part = sum(self.members[member] for member in members)
        return part * share, part * low, part * high


def shares(
    sets: Sets,
    window: Sequence[tuple[Told, float]],
    loss: float,
    rng: np.random.Generator,
    to: Mapping[int, Gap | None],
) -> Shares:
    """Draw effects and sets; `to` says to which gap an explanation's part goes, if not to its own, or to none."""
    best = window[0][0]
    draws = int(sets.settings.number("share_draws"))
    counts = evenly([weight for _, weight in window], draws, rng)
    error = loss_error(sets)
    gaps = [to.get(at, one.gap) for at, one in enumerate(sets.options)]
    made, credit, fell = [], [], []
    for (one, _), count in zip(window, counts.tolist(), strict=True):
        for coefficients in _drawn(one, count, rng):
            credited, beyond = _credits(sets, one, coefficients)
            own = [gaps[member] for member in one.members]
            by_gap = np.array([sum(p for g, p in zip(own, credited.tolist(), strict=True) if g is gap) for gap in Gap])
            made.append(by_gap / max(by_gap.sum(), loss + error * rng.standard_normal(), TINY))
            credit.append(by_gap)
            fell.append(sum(p for g, p in zip(own, beyond.tolist(), strict=True) if g is not None))
    tail = 0.5 - sets.settings.number("confidence") / 2.0
    spans, costs = _intervals(made, tail), _intervals(credit, tail)
    known = dict(zip(best.members, _credits(sets, best, best.fitted.coefficients)[0].tolist(), strict=True))
    whole = {gap: sum(p for m, p in known.items() if gaps[m] is gap) for gap in Gap}
    parts = {m: p / max(whole[gap], TINY) for m, p in known.items() if (gap := gaps[m]) is not None}
    lost = float(np.mean([by_gap.sum() for by_gap in credit]))
    return Shares(spans, parts, lost, float(np.mean(fell)), costs)


def _intervals(drawn: Sequence[Floats], tail: float) -> dict[Gap, Interval]:
    middle, (low, high) = np.mean(drawn, axis=0), np.quantile(drawn, [tail, 1.0 - tail], axis=0)
    return {
        gap: (float(m), min(float(a), float(m)), max(float(b), float(m)))
        for gap, m, a, b in zip(Gap, middle, low, high, strict=True)
    }


def _credits(sets: Sets, told: Told, coefficients: Floats) -> tuple[Floats, Floats]:
    """What each member is credited with, and what it takes off production beyond what it took off the baseline."""
    now, then = (taken_off(sets, told, coefficients, rows) for rows in (sets.nature.production, sets.nature.baseline))
    of_data = np.array([sets.options[m].kind is Kind.FAULT for m in told.members], dtype=bool)
    return np.where(of_data, now, np.maximum(now - then, 0.0)), now - then


def taken_off(sets: Sets, told: Told, coefficients: Floats, here: slice) -> Floats:
    """How much success each member takes off the average of these rows."""
    nature, own = sets.nature, list(told.members)
    size = len(nature.mean)
    columns, apart = sets.matrix[here][:, own], sets.apart[own]
    pull = columns * np.minimum(coefficients[size:], 0.0)
    odds = nature.columns[here] @ coefficients[:size] + told.fitted.days[sets.rows.day][here]
    harder, beside = pull[:, ~apart].sum(axis=1), pull[:, apart].sum(axis=1)
    taken = np.zeros(len(own))
    for stop, part in zip((STOPS + 1.0) / 2.0, PARTS / 2.0, strict=True):
        steep = logistic(odds + stop * harder)
        rates = steep * np.exp(stop * beside)
        taken -= part * np.where(apart, rates @ pull, (rates * (1.0 - steep)) @ pull) / len(odds)
    return taken


def evenly(weights: Sequence[float], draws: int, rng: np.random.Generator) -> Counted:
    """How many draws each set gets: evenly spread, so that an improbable one is not met several times by chance."""
    ends = np.append(0.0, np.cumsum(weights) / np.sum(weights)) * draws
    return np.diff(np.floor(ends + rng.random())).astype(np.int64)


def _drawn(told: Told, count: int, rng: np.random.Generator) -> Floats:
    """Draw effects; a fault that is there takes something off, so that what would add something is drawn again."""
    root = np.linalg.cholesky(told.fitted.covariance)
    made = np.asarray(told.fitted.coefficients + rng.standard_normal((count, len(root))) @ root.T)
    first = len(root) - len(told.members)
    for _ in range(REDRAWN):
        again = np.flatnonzero((made[:, first:] >= 0.0).any(axis=1))
        if not len(again):
            break
        made[again] = told.fitted.coefficients + rng.standard_normal((len(again), len(root))) @ root.T
    return made


def loss_error(sets: Sets) -> float:
    """Standard error of the bare loss, of which days are the witnesses as everywhere else."""
    nature = sets.nature
    sides = ((nature.success[rows], nature.clusters[rows]) for rows in (nature.baseline, nature.production))
    return float(np.sqrt(sum(side.var() / witnesses(side, days, nature.day_spread) for side, days in sides)))

"""Shares of the loss with their intervals: drawn from all sets that count, each by its probability.

What a row loses lies between its rate without faults and with them. It is divided by following all faults in step from
nothing to what they are, and crediting each with what it takes off on the way (the Aumann-Shapley value), so that no
cause is served first. A condition is credited with what it takes off production beyond what it took off the baseline.
A fault of the data took its part there already, by an amount that nobody knows; it is credited with all that production
would win without it. What the loss has beyond that is nobody's: another mix, a floor that is a little harder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.diagnose.expectation import logistic
from fieldloop.diagnose.explanation import Kind
from fieldloop.diagnose.sets import Sets, Told
from fieldloop.diagnose.spread import witnesses
from fieldloop.diagnose.table import Floats
from fieldloop.model.diagnosis import Gap

Interval = tuple[float, float, float]
STOPS, PARTS = np.polynomial.legendre.leggauss(5)
TINY = 1e-9


@dataclass(frozen=True)
class Shares:
    """Each gap's share of the loss with its interval, and each member's part of what its gap takes in the best set."""

    gaps: Mapping[Gap, Interval]
    members: Mapping[int, float]
    lost: float
    """Success that all named faults take off together."""
    fell: float
    """So much of it is beyond what they took off the baseline."""

    def of(self, member: int, gap: Gap) -> Interval:
        """The share of one member."""
        share, low, high = self.gaps[gap]
        part = self.members[member]
        return part * share, part * low, part * high


def shares(sets: Sets, window: Sequence[tuple[Told, float]], loss: float, rng: np.random.Generator) -> Shares:
    """Draw effects and sets."""
    best = window[0][0]
    draws = int(sets.settings.number("share_draws"))
    counts = rng.multinomial(draws, [weight for _, weight in window])
    error = loss_error(sets)
    made, lost, fell = [], [], []
    for (one, _), count in zip(window, counts.tolist(), strict=True):
        for coefficients in _drawn(one, count, rng):
            credited, beyond = _credits(sets, one, coefficients)
            by_gap = np.zeros(len(Gap))
            for member, part in zip(one.members, credited.tolist(), strict=True):
                by_gap[list(Gap).index(sets.options[member].gap)] += part
            made.append(by_gap / max(by_gap.sum(), loss + error * rng.standard_normal(), TINY))
            lost.append(by_gap.sum())
            fell.append(beyond.sum())
    tail = 0.5 - sets.settings.number("confidence") / 2.0
    middle, (low, high) = np.mean(made, axis=0), np.quantile(made, [tail, 1.0 - tail], axis=0)
    spans = {
        gap: (float(m), min(float(a), float(m)), max(float(b), float(m)))
        for gap, m, a, b in zip(Gap, middle, low, high, strict=True)
    }
    own = dict(zip(best.members, _credits(sets, best, best.fitted.coefficients)[0].tolist(), strict=True))
    whole = {gap: sum(p for m, p in own.items() if sets.options[m].gap is gap) for gap in Gap}
    parts = {m: p / max(whole[sets.options[m].gap], TINY) for m, p in own.items()}
    return Shares(spans, parts, float(np.mean(lost)), float(np.mean(fell)))


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


def _drawn(told: Told, count: int, rng: np.random.Generator) -> Floats:
    root = np.linalg.cholesky(told.fitted.covariance)
    return np.asarray(told.fitted.coefficients + rng.standard_normal((count, len(root))) @ root.T)


def loss_error(sets: Sets) -> float:
    """Standard error of the bare loss, of which days are the witnesses as everywhere else."""
    nature = sets.nature
    sides = ((nature.success[rows], nature.clusters[rows]) for rows in (nature.baseline, nature.production))
    return float(np.sqrt(sum(side.var() / witnesses(side, days, nature.day_spread) for side, days in sides)))

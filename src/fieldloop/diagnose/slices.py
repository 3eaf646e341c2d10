"""Where is a loss concentrated? Single conditions and pairs, on residuals against the baseline's expectation.

Raw failures would name what was always hard; residuals name what became worse than expected (research methods C).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.expectation import Expectation
from fieldloop.diagnose.gaps import rank
from fieldloop.diagnose.table import Table
from fieldloop.model.condition import Condition, Stratum
from fieldloop.protocol import Section
from fieldloop.stats.multiple import benjamini_hochberg

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Slice:
    """Episodes that share one or two conditions and lost more than the others did."""

    stratum: Stratum
    inside: Mask
    score: float
    chance: float
    looked_at: int
    alike: tuple[Stratum, ...]


class Search:
    """Looks for slices of one production table."""

    def __init__(self, table: Table, expectation: Expectation, settings: Section) -> None:
        """Compute residuals once: expected success minus success."""
        self.table = table
        self.conditions = table.conditions
        self.holds = table.indicators(self.conditions)
        design = expectation.design(table)
        rates = expectation.rates(design)
        self.residual = rates - table.success
        self.slope = (rates * (1.0 - rates))[:, None] * design
        self.covariance = expectation.covariance
        self.least = int(settings.number("min_slice_episodes"))
        self.rate = settings.number("false_discovery_rate")
        self.alpha = settings.number("alpha")
        self.overlap = settings.number("confounded_overlap")

    def find(self) -> list[Slice]:
        """Return one slice after another: the most surprising first, then what is left without it."""
        left = np.ones(len(self.table), dtype=bool)
        found: list[Slice] = []
        while (best := self._best(left)) is not None:
            found.append(best)
            left = left & ~best.inside
        return found

    def elevation(self, inside: Mask, outside: Mask) -> float:
        """How many standard errors the loss inside lies above that outside, the baseline's own error included."""
        n, m = int(inside.sum()), int(outside.sum())
        if min(n, m) < self.least:
            return -np.inf
        within, without = self.residual[inside], self.residual[outside]
        lean = self.slope[inside].mean(axis=0) - self.slope[outside].mean(axis=0)
        variance = _variance(within) / n + _variance(without) / m + float(lean @ self.covariance @ lean)
        return float((within.mean() - without.mean()) / np.sqrt(variance))

    def _best(self, left: Mask) -> Slice | None:
        from scipy.special import ndtr

        strata, masks = self._candidates(left)
        if not strata:
            return None
        scores = np.array([self.elevation(mask, left & ~mask) for mask in masks])
        chances = benjamini_hochberg(ndtr(-scores).tolist())
        best = int(np.argmax(scores))
        if chances[best] > self.rate:
            return None
        best = self._simplest(best, strata, masks, left)
        alike = [at for at in range(len(strata)) if _overlap(masks[at], masks[best]) >= self.overlap]
        chosen, *others = sorted({best, *alike}, key=lambda at: rank(strata[at]))
        rivals: list[Stratum] = []
        for at in others:  # a narrower description of the same episodes is no rival
            if not any(known.covers(strata[at]) for known in (strata[chosen], *rivals)):
                rivals.append(strata[at])
        return Slice(
            strata[chosen], masks[chosen], float(scores[best]), float(chances[best]), len(strata), tuple(rivals)
        )

    def _candidates(self, left: Mask) -> tuple[list[Stratum], list[Mask]]:
        """List singles and pairs with enough episodes inside and outside."""
        holds = self.holds.astype(bool) & left[:, None]
        together = holds.T.astype(float) @ holds.astype(float)
        most = int(left.sum()) - self.least
        strata, masks = [], []
        for i, first in enumerate(self.conditions):
            for j in range(i, len(self.conditions)):
                second = self.conditions[j]
                if (i != j and first.factor == second.factor) or not self.least <= together[i, j] <= most:
                    continue
                strata.append(_stratum(first, second))
                masks.append(holds[:, i] & holds[:, j])
        return strata, masks

    def _simplest(self, best: int, strata: Sequence[Stratum], masks: Sequence[Mask], left: Mask) -> int:
        """A pair is named only where it is worse than either condition without the other; else that condition is."""
        pair = strata[best]
        if len(pair.conditions) == 1:
            return best
        singles = []
        for condition in pair.conditions:
            alone = Stratum((condition,))
            if alone not in strata:
                continue
            at = strata.index(alone)
            rest = masks[at] & ~masks[best]
            without = left & ~masks[at]
            sure = _threshold(self.alpha)
            if self.elevation(masks[best], rest) <= sure or self.elevation(rest, without) > sure:
                singles.append((self.elevation(masks[at], without), at))
        return max(singles)[1] if singles else best


def _stratum(first: Condition, second: Condition) -> Stratum:
    return Stratum(tuple(sorted({first, second})))


def _variance(values: Floats) -> float:
    """Never below that of one surprise among them: a slice without a single failure is not certain either."""
    return max(float(values.var()), 1.0 / len(values) * (1.0 - 1.0 / len(values)))


def _overlap(one: Mask, other: Mask) -> float:
    return float((one & other).sum() / max(1, (one | other).sum()))


def _threshold(alpha: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1.0 - alpha))

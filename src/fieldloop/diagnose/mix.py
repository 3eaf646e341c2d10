"""How much of a loss is the mix: known but hard conditions that production has more of than the baseline had."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.diagnose.expectation import Expectation
from fieldloop.diagnose.table import Floats, Table
from fieldloop.model.condition import Stratum
from fieldloop.protocol import Section

TINY = 1e-9


@dataclass(frozen=True)
class Harder:
    """One factor whose mix moved to harder levels: the level that weighs most, its shares, and the loss by all."""

    stratum: Stratum
    before: float
    after: float
    lost: float
    error: float


class Mix:
    """Compares what the baseline had with what production has, factor by factor, on the baseline's own coefficients."""

    def __init__(self, expectation: Expectation, before: Table, after: Table) -> None:
        """Count both."""
        self.conditions = expectation.conditions
        self.covariance = expectation.covariance[1:, 1:]
        self._before, self._after = before.indicators(self.conditions), after.indicators(self.conditions)
        self._rates = expectation.rates(expectation.design(after))
        known = np.array([c not in expectation.starved for c in self.conditions], dtype=np.float64)
        self._before, self._after = self._before * known, self._after * known
        factors = np.array([c.factor for c in self.conditions])
        same = (factors[:, None] == factors[None, :]).astype(np.float64)
        said = [np.maximum(side.mean(axis=0) @ same, TINY) for side in (self._before, self._after)]
        self._spoken = said[1] / said[0]

    def moved(self, coefficients: Floats, weights: Floats | None = None) -> Floats:
        """Success lost by each condition's change of share, were all else equal."""
        return -self._steep() * self._shift(weights) * coefficients[1:]

    def factors(self, coefficients: Floats, settings: Section) -> list[Harder]:
        """Factors whose mix clearly costs success."""
        moved, shift = self.moved(coefficients), self._shift(None)
        found = []
        for factor in sorted({c.factor for c in self.conditions}):
            own = np.array([c.factor == factor for c in self.conditions])
            lean = np.where(own, self._steep() * shift, 0.0)
            by_chance = self._steep() ** 2 * self._drawn(coefficients[1:], own)
            error = float(np.sqrt(lean @ self.covariance @ lean + by_chance))
            lost = float(moved[own].sum())
            top = int(np.argmax(np.where(own & (shift > 0.0), moved, -np.inf)))
            harder = Harder(Stratum((self.conditions[top],)), *self._shares(top), lost, error)
            if lost > settings.number("least_mix_loss") and lost > settings.number("clear_errors") * error:
                found.append(harder)
        return found

    def _drawn(self, coefficients: Floats, own: NDArray[np.bool_]) -> float:
        """Variance of the change of mix that drawing episodes by chance makes."""
        sides = [(side[:, own] @ coefficients[own]) for side in (self._before, self._after)]
        return float(sum(side.var() / len(side) for side in sides))

    def of(self, stratum: Stratum) -> list[int]:
        """Which conditions belong to the factor of a stratum."""
        return [at for at, c in enumerate(self.conditions) if c.factor == stratum.conditions[0].factor]

    def _shares(self, at: int) -> tuple[float, float]:
        return float(self._before[:, at].mean()), float(self._after[:, at].mean())

    def _shift(self, weights: Floats | None) -> Floats:
        """Change of each condition's share among rows that say a level the baseline knows; others change nothing."""
        now = np.average(self._after, axis=0, weights=weights)
        return np.asarray(now - self._before.mean(axis=0) * self._spoken)

    def _steep(self) -> float:
        """How much success one unit of log-odds is worth on average."""
        return float(np.mean(self._rates * (1.0 - self._rates)))

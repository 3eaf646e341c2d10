"""What more demonstrations are expected to bring: failure falls with their number to a power."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.plan import Coverage
from fieldloop.protocol import Section

Floats = NDArray[np.float64]


class Gain:
    """Expected loss of production success per stratum, and how it shrinks.

    Failure rates of strata with few attempts lean on the pooled rate, the pooled rate on a prior; a stratum that has
    n demonstrations and gets q more is left with ((n + q + k) / (n + k)) ** -b of its failures.
    """

    def __init__(self, coverages: Sequence[Coverage], settings: Section) -> None:
        """Estimate failure rates from the attempts in production."""
        self.exposure = np.array([c.exposure for c in coverages], dtype=float)
        self.demonstrations = np.array([c.demonstrations for c in coverages], dtype=float)
        failures = np.array([c.failures for c in coverages], dtype=float)
        attempts = np.array([c.attempts for c in coverages], dtype=float)
        lean = settings.number("shrinkage_attempts")
        pooled = (failures.sum() + lean * settings.number("prior_failure_rate")) / (attempts.sum() + lean)
        self.fails = failures + lean * pooled
        self.holds = attempts - failures + lean * (1.0 - pooled)
        self.failure = self.fails / (attempts + lean)
        self.borrowed = settings.number("prior_demonstrations")
        self.exponent = settings.number("learning_exponent")
        self._exponents = settings.number("learning_exponent_low"), settings.number("learning_exponent_high")

    def of(self, more: Floats, failure: Floats | None = None, exponent: float | Floats | None = None) -> Floats:
        """Success won per stratum by so many more demonstrations each, as a share of all production."""
        failure = self.failure if failure is None else failure
        exponent = self.exponent if exponent is None else exponent
        known = self.demonstrations + self.borrowed
        return np.asarray(self.exposure * failure * (1.0 - ((known + more) / known) ** -exponent))

    def next(self, given: Floats) -> Floats:
        """Success won by one more demonstration of each stratum."""
        return self.of(given + 1.0) - self.of(given)

    def interval(self, more: Floats, level: float, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Interval of the gain per stratum over possible failure rates and learning exponents."""
        failure = rng.beta(np.maximum(self.fails, 1e-9), np.maximum(self.holds, 1e-9), (draws, len(self.fails)))
        exponent = rng.uniform(*self._exponents, (draws, 1))
        gains = self.of(more, failure, exponent)
        low, high = np.quantile(gains, [0.5 - level / 2, 0.5 + level / 2], axis=0)
        return low, high

"""Worlds whose success is a formula of the counts of related demonstrations, so that truth is exact and costs nothing.

Three forms, none of them the planner's: chances to fail that fall as powers, log odds whose handicaps fall
exponentially, and counts of related demonstrations that saturate. A speed says after how many demonstrations
half of a removable handicap is gone: as the planner's curve was fitted, three times as many, or a third.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit

from bench.closed_loop.maps import Floats, Map

HALF = {"slow": 25.0, "as fitted": 8.5, "fast": 2.8}
"""Demonstrations that remove half; 8.5 is where the curve of `plan.learning_exponent` 0.7 and 5 borrowed ones is."""
UNEVEN = 0.3
"""Spread of the speed between levels, as a logarithm."""


class Truth(Protocol):
    """How often each stratum succeeds after so many good demonstrations of each."""

    def success(self, counts: Floats) -> Floats:
        """Return success by stratum; strata are the last axis."""


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Levels, pairs with the site, and strata each strike with a chance; every chance falls as a power of its count."""

    has: Floats
    worst: Floats
    half: Floats
    power: float
    lasting: Floats

    def success(self, counts: Floats) -> Floats:
        """Multiply the chances that nothing strikes."""
        borrowed = self.half / (2.0 ** (1.0 / self.power) - 1.0)
        left = (1.0 + counts @ self.has / borrowed) ** -self.power
        return np.asarray((1.0 - self.lasting) * np.exp(np.log1p(-self.worst * left) @ self.has.T))


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """Log odds of success are a best value less a handicap of each level and stratum that falls exponentially."""

    has: Floats
    handicap: Floats
    half: Floats
    best: Floats

    def success(self, counts: Floats) -> Floats:
        """Add up what is left of the handicaps."""
        left = np.exp2(-(counts @ self.has) / self.half)
        return np.asarray(expit(self.best - (self.handicap * left) @ self.has.T))


@dataclass(frozen=True, slots=True, eq=False)
class Kin:
    """What a stratum lacks falls with a count of demonstrations, each weighted by how many levels it shares."""

    alike: Floats
    half: Floats
    best: Floats
    start: Floats
    """Success as a share of the best when only the laboratory was shown."""
    laboratory: Floats

    def success(self, counts: Floats) -> Floats:
        """Count what came after the laboratory."""
        related = np.maximum(counts - self.laboratory, 0.0) @ self.alike
        return np.asarray(self.best * (1.0 - (1.0 - self.start) * self.half / (self.half + related)))


def draw_truth(form: str, place: Map, laboratory: Floats, speed: str, rng: np.random.Generator) -> Truth:
    """Draw a truth of a form on a map, after so many demonstrations of the laboratory."""
    half, lasts = HALF[speed], _draw_lasting(place, rng)
    if form == "kin":
        return _draw_kin(place, laboratory, half, lasts, rng)
    has = _draw_indicators(place, pairs=form == "chances")
    pace = half * np.exp(UNEVEN * rng.standard_normal(has.shape[1]))
    # a level in one share of all strata is seldom the reason: sites and few others carry most of it
    shared = sum(place.levels)
    size = np.concatenate([_draw_sizes(place, rng), np.zeros(has.shape[1] - shared)])
    size[shared:] = 0.35 * rng.beta(0.5, 1.5, len(size) - shared)
    if form == "chances":
        return Chances(has, 0.95 * size, pace, float(rng.uniform(0.5, 1.5)), lasts)
    best = np.log((1.0 - lasts) / np.maximum(lasts, 1e-3))
    return Odds(has, 5.0 * size, pace, best)


def _draw_sizes(place: Map, rng: np.random.Generator) -> Floats:
    """Draw how much each level of each factor is able to cost, between 0 and 1; a factor matters more or less."""
    return np.concatenate(
        [rng.uniform(0.3, 1.0) * rng.beta(1.0, 1.5, size) for size in place.levels],
    )


def _draw_lasting(place: Map, rng: np.random.Generator) -> Floats:
    """Draw failure that no demonstration removes: little, more at one level of a factor, nearly all in a trap."""
    usual = np.full(len(place.codes), rng.uniform(0.02, 0.08))
    at = int(rng.integers(len(place.levels)))
    hard = place.codes[:, at] == rng.integers(place.levels[at])
    usual = np.where(hard, usual + rng.uniform(0.0, 0.3), usual)
    return np.asarray(np.where(place.trap, 0.985, usual))


def _draw_indicators(place: Map, *, pairs: bool) -> Floats:
    """Return which levels, pairs of a site with another level, and strata each stratum has."""
    columns = [np.eye(size)[place.codes[:, at]] for at, size in enumerate(place.levels)]
    for at, size in enumerate(place.levels[1:], start=1) if pairs else ():
        columns.append(np.eye(place.levels[0] * size)[place.codes[:, 0] * size + place.codes[:, at]])
    return np.concatenate([*columns, np.eye(len(place.codes))], axis=1)


def _draw_kin(place: Map, laboratory: Floats, half: float, lasts: Floats, rng: np.random.Generator) -> Kin:
    transfer = rng.uniform(0.05, 0.7, len(place.levels))
    alike, start = np.ones((len(place.codes),) * 2), np.ones(len(place.codes))
    for at, known in enumerate(place.known_to_laboratory()):
        code = place.codes[:, at]
        alike *= np.where(code[:, None] == code[None, :], 1.0, transfer[at])
        loss = np.where(known, 0.05, rng.uniform(0.1, 0.8, len(known)))
        start *= 1.0 - loss[code]
    pace = half * np.exp(UNEVEN * rng.standard_normal(len(start)))
    return Kin(alike, pace, 1.0 - lasts, start, laboratory)


FORMS = ("chances", "odds", "kin")

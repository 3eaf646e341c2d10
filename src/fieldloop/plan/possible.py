"""Worlds that may be: how far the gain of a plan could lie from what is expected, given what was seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.curves import Curve, exponents
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

WATCHED = 2000
"""Strata that are drawn one by one, those that win most first; the others are taken to vary with them."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """One part of the watched strata: its classes, their removable hazards, and demonstrations before and to come."""

    codes: NDArray[np.intp]
    size: Floats
    error: Floats
    shown: Floats
    extra: Floats

    def drawn(self, rng: np.random.Generator) -> Floats:
        """Hazards with this mean and standard error that are never negative: gamma-distributed."""
        mean = np.maximum(self.size, 1e-9)
        return np.asarray(rng.gamma((mean / self.error) ** 2, self.error**2 / mean))


def possible(gain: Gain, more: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw worlds: per world the whole gain, and what each demonstrated stratum adds to it.

    Drawn are every hazard that demonstrations remove (which is failure, floor and transfer at once: how much falls
    away, and for whom), and how fast and from how far demonstrations teach.
    """
    count = int(gain.settings.number("draws"))
    chosen = np.flatnonzero(more)
    won = gain.of(more)
    rows = np.union1d(chosen, np.argsort(-won, kind="stable")[:WATCHED])
    larger = float(won.sum()) / max(float(won[rows].sum()), np.finfo(float).tiny)
    at_chosen = np.searchsorted(rows, chosen)
    watched = _watched(gain, more, rows)
    wholes, shares = np.zeros(count), np.zeros((count, len(chosen)))
    for world, curve in enumerate(_curves(gain, count, rng)):
        hazard, removed, falls = gain.why.lasting[rows].copy(), np.zeros(len(rows)), []
        for part in watched:
            drawn, left = part.drawn(rng), curve.left_of(part.shown, part.extra)
            hazard += drawn[part.codes]
            removed += (drawn * (1.0 - left))[part.codes]
            falls.append(drawn * curve.exponent * left / (part.shown + part.extra + curve.borrowed))
        weight = gain.table.exposure[rows] * np.exp(removed - hazard)
        wholes[world] = larger * np.sum(weight * -np.expm1(-removed))
        worth = np.zeros(len(chosen))
        for part, fall in zip(watched, falls, strict=True):
            worth += (np.bincount(part.codes, weight, len(fall)) * fall)[part.codes[at_chosen]]
        worth *= more[chosen]
        shares[world] = wholes[world] * worth / max(float(worth.sum()), np.finfo(float).tiny)
    return wholes, shares


def _watched(gain: Gain, more: Floats, rows: NDArray[np.intp]) -> list[Shared]:
    found = []
    for part, size, error, shown in zip(gain.parts, gain.why.removable, gain.why.errors, gain.shown, strict=True):
        extra = part.sums(more)
        if part.reach is Reach.OWN:
            found.append(Shared(np.arange(len(rows)), size[rows], error[rows], shown[rows], extra[rows]))
        else:
            found.append(Shared(part.codes[rows], size, error, shown, extra))
    return found


def _curves(gain: Gain, count: int, rng: np.random.Generator) -> list[Curve]:
    """What earlier rounds taught moves the middle; how unsure it is stays, since few rounds teach it."""
    learnt = gain.curve.exponent / gain.settings.number("learning_exponent")
    slopes = learnt * rng.choice(exponents(gain.settings, 2 * count), count)
    unsure = gain.settings.number("prior_demonstrations_spread")
    borrowed = gain.curve.borrowed * np.exp(unsure * rng.standard_normal(count))
    return [Curve(float(slope), float(k)) for slope, k in zip(slopes, borrowed, strict=True)]

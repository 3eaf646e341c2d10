"""Worlds that may be: how far the gain of a plan could lie from what is expected, given what was seen."""

import numpy as np

from fieldloop.plan.curves import Curve, exponents
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

WATCHED = 4000
"""Strata that are drawn one by one, those that win most first; the others are taken to vary with them."""


def possible(gain: Gain, more: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw worlds: per world the whole gain, and what each demonstrated stratum adds to it.

    Drawn are every hazard that demonstrations remove (which is failure, floor and transfer at once: how much falls
    away, and for whom) and the exponent of learning.
    """
    count = int(gain.settings.number("draws"))
    chosen = np.flatnonzero(more)
    won = gain.of(more)
    rows = np.union1d(chosen, np.argsort(-won, kind="stable")[:WATCHED])
    larger = float(won.sum()) / max(float(won[rows].sum()), np.finfo(float).tiny)
    at_chosen = np.searchsorted(rows, chosen)
    given = [part.sums(more) for part in gain.parts]
    slopes = rng.choice(exponents(gain.settings, 2 * count), count) * gain.curve.exponent / _usual(gain)
    wholes, shares = np.zeros(count), np.zeros((count, len(chosen)))
    for world in range(count):
        curve = Curve(float(slopes[world]), gain.curve.borrowed)
        hazard, removed, falls = gain.why.lasting[rows].copy(), np.zeros(len(rows)), []
        for part, size, error, shown, extra in zip(
            gain.parts, gain.why.removable, gain.why.errors, gain.shown, given, strict=True
        ):
            own = part.reach is Reach.OWN
            codes = np.arange(len(rows)) if own else part.codes[rows]
            here = rows if own else slice(None)
            drawn, seen, new = _drawn(size[here], error[here], rng), shown[here], extra[here]
            left = curve.left_of(seen, new)
            hazard += drawn[codes]
            removed += (drawn * (1.0 - left))[codes]
            falls.append((codes, drawn * curve.exponent * left / (seen + new + curve.borrowed)))
        weight = gain.table.exposure[rows] * np.exp(removed - hazard)
        wholes[world] = larger * np.sum(weight * -np.expm1(-removed))
        worth = np.zeros(len(chosen))
        for codes, fall in falls:
            worth += (np.bincount(codes, weight, len(fall)) * fall)[codes[at_chosen]]
        worth *= more[chosen]
        shares[world] = wholes[world] * worth / max(float(worth.sum()), np.finfo(float).tiny)
    return wholes, shares


def _usual(gain: Gain) -> float:
    return gain.settings.number("learning_exponent")


def _drawn(size: Floats, error: Floats, rng: np.random.Generator) -> Floats:
    """Hazards with this mean and standard error that are never negative: gamma-distributed."""
    mean = np.maximum(size, 1e-9)
    return np.asarray(rng.gamma((mean / error) ** 2, error**2 / mean))

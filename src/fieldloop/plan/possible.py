"""Worlds that may be: how far the gain of a plan could lie from what is expected, given what was seen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.bought import Bought
from fieldloop.plan.curves import Curve, exponents
from fieldloop.plan.gain import Gain
from fieldloop.plan.parts import Reach
from fieldloop.plan.strata import Floats

WATCHED = 2000
"""Strata that are drawn one by one, those that win most first; the others are taken to vary with them."""

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """One part of the watched strata: its classes, their removable hazards, and demonstrations before and to come."""

    codes: NDArray[np.intp]
    size: Floats
    error: Floats
    shown: Floats
    real: Floats
    simulated: Floats
    share: float
    """Of a hazard that nobody has seen yet, the share that would be this part's."""


def drawn_hazard(size: Floats | float, error: Floats | float, rng: np.random.Generator) -> Floats:
    """Hazards with this mean and standard error that are never negative: gamma-distributed."""
    mean = np.maximum(size, 1e-9)
    return np.asarray(rng.gamma((mean / error) ** 2, error**2 / mean))


def possible(gain: Gain, bought: Bought, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw worlds: per world the whole gain, and what each stratum's real and simulated demonstrations add to it.

    Drawn are every hazard that demonstrations remove (which is failure, floor and transfer at once: how much falls
    away, and for whom), a hazard that is there although too little was tried to see it, how fast and from how far
    demonstrations teach, and what a simulated one is worth.
    """
    count, usual = int(gain.settings.number("draws")), gain.settings.number("simulation_worth")
    chosen = np.flatnonzero(bought.real + bought.simulated)
    won = gain.of(bought.taught(usual))
    rows = np.union1d(chosen, np.argsort(-won, kind="stable")[:WATCHED])
    larger = float(won.sum()) / max(float(won[rows].sum()), TINY) if won.any() else 1.0
    at_chosen = np.searchsorted(rows, chosen)
    watched = _watched(gain, bought, rows)
    wholes, real, simulated = np.zeros(count), np.zeros((count, len(chosen))), np.zeros((count, len(chosen)))
    unseen, carried = _unseen(gain, count, rng), rng.uniform(0.0, min(1.0, 2.0 * usual), count)
    for world, curve in enumerate(curves(gain, count, rng)):
        hazard, removed, falls = gain.why.lasting[rows].copy(), np.zeros(len(rows)), []
        for part in watched:
            drawn = drawn_hazard(part.size, part.error, rng) + unseen[world] * part.share
            extra = part.real + carried[world] * part.simulated
            left = curve.left_of(part.shown, extra)
            hazard += drawn[part.codes]
            removed += (drawn * (1.0 - left))[part.codes]
            falls.append(drawn * curve.exponent * left / (part.shown + extra + curve.borrowed))
        weight = gain.table.exposure[rows] * np.exp(removed - hazard)
        wholes[world] = larger * np.sum(weight * -np.expm1(-removed))
        worth = np.zeros(len(chosen))
        for part, fall in zip(watched, falls, strict=True):
            worth += (np.bincount(part.codes, weight, len(fall)) * fall)[part.codes[at_chosen]]
        real[world] = worth * bought.real[chosen]
        simulated[world] = worth * bought.simulated[chosen] * carried[world]
    each = wholes / np.maximum((real + simulated).sum(axis=1), TINY)
    return wholes, real * each[:, None], simulated * each[:, None]


def curves(gain: Gain, count: int, rng: np.random.Generator) -> list[Curve]:
    """Curves that may be. Earlier rounds move the middle; how unsure it is stays, since few rounds teach it."""
    learnt = gain.curve.exponent / gain.settings.number("learning_exponent")
    slopes = learnt * rng.choice(exponents(gain.settings, 2 * count), count)
    unsure = gain.settings.number("prior_demonstrations_spread")
    borrowed = gain.curve.borrowed * np.exp(unsure * rng.standard_normal(count))
    return [Curve(float(slope), float(k)) for slope, k in zip(slopes, borrowed, strict=True)]


def _unseen(gain: Gain, count: int, rng: np.random.Generator) -> Floats:
    """Hazard beyond the fitted that as many attempts with as few failures leave possible (Jeffreys' prior)."""
    attempts, failures = float(gain.table.attempts.sum()), float(gain.table.failures.sum())
    if not attempts:
        return np.zeros(count)
    fitted = float(np.average(gain.why.seen, weights=gain.table.attempts))
    more = rng.gamma(failures + 0.5, 1.0 / attempts, count) - fitted
    return np.asarray(np.maximum(more, 0.0) * (1.0 - gain.settings.number("lasting_share")))


def _watched(gain: Gain, bought: Bought, rows: NDArray[np.intp]) -> list[Shared]:
    found = []
    shares = {part.reach: gain.settings.number(f"{part.reach}_share") for part in gain.parts}
    for part, size, error, shown in zip(gain.parts, gain.why.removable, gain.why.errors, gain.shown, strict=True):
        columns = [size, error, shown, part.sums(bought.real), part.sums(bought.simulated)]
        alike = sum(other.reach is part.reach for other in gain.parts)
        share = shares[part.reach] / sum(shares.values()) / alike
        codes = part.codes[rows]
        if part.reach is Reach.OWN:
            codes, columns = np.arange(len(rows)), [each[rows] for each in columns]
        found.append(Shared(codes, columns[0], columns[1], columns[2], columns[3], columns[4], share))
    return found

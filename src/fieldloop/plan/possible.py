"""Monte Carlo draws of the gain of a plan, given what was observed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.bought import Bought
from fieldloop.plan.classes import Classes
from fieldloop.plan.curves import Curve, exponents
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import Floats

WATCHED = 2000
"""Strata that are drawn one by one, largest gain first; the others are assumed to vary with them."""

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """The classes of the watched strata, their removable hazards, and demonstrations before and to come."""

    classes: Classes
    size: Floats
    error: Floats
    shown: Floats
    real: Floats
    simulated: Floats
    share: Floats
    """The share of a not yet observed hazard that would belong to this class."""


def draw_hazard(size: Floats | float, error: Floats | float, rng: np.random.Generator) -> Floats:
    """Draw non-negative hazards with this mean and standard error from a gamma distribution."""
    mean = np.maximum(size, 1e-9)
    return np.asarray(rng.gamma((mean / error) ** 2, error**2 / mean))


def draw_possible_gains(gain: Gain, bought: Bought, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Draw worlds: per world the whole gain, and what each stratum's real and simulated demonstrations add to it.

    Each world draws every removable hazard (which covers failure, floor and transfer), a hazard that too few attempts
    could have shown, the slope and offset of the learning curve, and the worth of a simulated demonstration.
    """
    count, usual = int(gain.settings.number("draws")), gain.settings.number("simulation_worth")
    chosen = np.flatnonzero(bought.real + bought.simulated)
    won = gain.of(bought.real_equivalent(usual))
    rows = np.union1d(chosen, np.argsort(-won, kind="stable")[:WATCHED])
    larger = float(won.sum()) / max(float(won[rows].sum()), TINY) if won.any() else 1.0
    at_chosen = np.searchsorted(rows, chosen)
    watched = _watch_strata(gain, bought, rows)
    wholes, real, simulated = np.zeros(count), np.zeros((count, len(chosen))), np.zeros((count, len(chosen)))
    unseen, carried = _draw_unseen_hazard(gain, count, rng), rng.uniform(0.0, min(1.0, 2.0 * usual), count)
    lasting, exposure = gain.why.lasting[rows], gain.table.exposure[rows]
    for world, curve in enumerate(draw_curves(gain, count, rng)):
        drawn = draw_hazard(watched.size, watched.error, rng) + unseen[world] * watched.share
        extra = watched.real + carried[world] * watched.simulated
        left = curve.remaining_share_after_more(watched.shown, extra)
        removed = watched.classes.each(drawn * (1.0 - left))
        weight = exposure * np.exp(removed - lasting - watched.classes.each(drawn))
        wholes[world] = larger * np.sum(weight * -np.expm1(-removed))
        falls = drawn * curve.exponent * left / (watched.shown + extra + curve.borrowed)
        worth = watched.classes.each(watched.classes.sums(weight) * falls)[at_chosen]
        real[world] = worth * bought.real[chosen]
        simulated[world] = worth * bought.simulated[chosen] * carried[world]
    each = wholes / np.maximum((real + simulated).sum(axis=1), TINY)
    return wholes, real * each[:, None], simulated * each[:, None]


def draw_curves(gain: Gain, count: int, rng: np.random.Generator) -> list[Curve]:
    """Draw learning curves. Earlier rounds move the centre; the spread stays, because rounds are few."""
    learnt = gain.curve.exponent / gain.settings.number("learning_exponent")
    slopes = learnt * rng.choice(exponents(gain.settings, 2 * count), count)
    unsure = gain.settings.number("prior_demonstrations_spread")
    borrowed = gain.curve.borrowed * np.exp(unsure * rng.standard_normal(count))
    return [Curve(float(slope), float(k)) for slope, k in zip(slopes, borrowed, strict=True)]


def _draw_unseen_hazard(gain: Gain, count: int, rng: np.random.Generator) -> Floats:
    """Draw hazard above the fitted one that these attempts and failures still allow (Jeffreys' prior)."""
    attempts, failures = float(gain.table.attempts.sum()), float(gain.table.failures.sum())
    if not attempts:
        return np.zeros(count)
    fitted = float(np.average(gain.why.seen, weights=gain.table.attempts))
    more = rng.gamma(failures + 0.5, 1.0 / attempts, count) - fitted
    return np.asarray(np.maximum(more, 0.0) * (1.0 - gain.settings.number("lasting_share")))


def _watch_strata(gain: Gain, bought: Bought, rows: NDArray[np.intp]) -> Watched:
    classes = Classes(gain.parts, rows)
    shares = {part.reach: gain.settings.number(f"{part.reach}_share") for part in gain.parts}
    alike = Counter(part.reach for part in gain.parts)
    each = [shares[part.reach] / sum(shares.values()) / alike[part.reach] for part in gain.parts]
    columns = (
        gain.why.removable,
        gain.why.errors,
        gain.shown,
        [part.sums(bought.real) for part in gain.parts],
        [part.sums(bought.simulated) for part in gain.parts],
        [np.full(part.size, share) for part, share in zip(gain.parts, each, strict=True)],
    )
    return Watched(classes, *map(classes.row, columns))

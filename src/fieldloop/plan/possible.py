"""Monte Carlo draws of the gain of a plan, given what was observed."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.plan.bought import Bought
from fieldloop.plan.classes import Classes
from fieldloop.plan.curves import Curve, compute_exponent_penalty, list_plausible_exponents
from fieldloop.plan.gain import Gain
from fieldloop.plan.strata import Floats

WATCHED = 2000
"""Strata that are drawn one by one, largest gain first; the others are assumed to vary with them."""

FINE = 200
"""Exponents that are fine enough to draw from."""

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """The classes of the watched strata, and their demonstrations before and to come."""

    classes: Classes
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

    Each world draws the speed of learning, then every removable hazard from the fit with that speed (which covers
    failure, floor and transfer), a hazard that too few attempts could have shown, the worth of a simulated
    demonstration, and how far worlds differ from the form of the model.
    """
    count, usual = int(gain.settings.number("draws")), gain.settings.number("simulation_worth")
    chosen = np.flatnonzero(bought.real + bought.simulated)
    won = gain.compute_gain_by_stratum(bought.compute_real_equivalent(usual))
    rows = np.union1d(chosen, np.argsort(-won, kind="stable")[:WATCHED])
    larger = float(won.sum()) / max(float(won[rows].sum()), TINY) if won.any() else 1.0
    at_chosen = np.searchsorted(rows, chosen)
    watched = _select_strata_to_simulate(gain, bought, rows)
    wholes, real, simulated = np.zeros(count), np.zeros((count, len(chosen))), np.zeros((count, len(chosen)))
    unseen, carried = _draw_unseen_hazard(gain, count, rng), rng.uniform(0.0, min(1.0, 2.0 * usual), count)
    exposure, hazards = gain.table.exposure[rows], _compute_hazards_by_belief(gain, watched.classes, rows)
    off = np.exp(gain.settings.number("model_spread") * rng.standard_normal(count))
    for world, (curve, belief) in enumerate(_draw_beliefs(gain, count, rng)):
        size, error, lasting = hazards[belief]
        drawn = draw_hazard(size, error, rng) + unseen[world] * watched.share
        extra = watched.real + carried[world] * watched.simulated
        left = curve.compute_remaining_share_after_more(watched.shown, extra)
        removed = watched.classes.sum_classes_of_each_stratum(drawn * (1.0 - left))
        weight = exposure * np.exp(removed - lasting - watched.classes.sum_classes_of_each_stratum(drawn))
        wholes[world] = larger * off[world] * np.sum(weight * -np.expm1(-removed))
        falls = drawn * curve.exponent * left / (watched.shown + extra + curve.borrowed)
        worth = watched.classes.sum_classes_of_each_stratum(watched.classes.sum_by_class(weight) * falls)[at_chosen]
        real[world] = worth * bought.real[chosen]
        simulated[world] = worth * bought.simulated[chosen] * carried[world]
    each = wholes / np.maximum((real + simulated).sum(axis=1), TINY)
    return wholes, real * each[:, None], simulated * each[:, None]


def draw_curves(gain: Gain, count: int, rng: np.random.Generator) -> list[Curve]:
    """Draw learning curves from what is known of the speed: a wide prior, and the evidence of earlier rounds."""
    return [curve for curve, _ in _draw_beliefs(gain, count, rng)]


def _draw_beliefs(gain: Gain, count: int, rng: np.random.Generator) -> list[tuple[Curve, int]]:
    """Draw learning curves, each with the fit that it belongs to."""
    settings, fits = gain.settings, gain.beliefs.fits
    chosen = rng.choice(len(fits), count, p=gain.beliefs.weights)
    if len(fits) > 1:
        step = np.log(settings.number("learning_exponent_high") / settings.number("learning_exponent_low"))
        between = rng.uniform(-0.5, 0.5, count) * step / (len(fits) - 1)
        slopes = np.array([fits[at].curve.exponent for at in chosen]) * np.exp(between)
    else:
        plausible = list_plausible_exponents(settings, FINE)
        prior = np.exp(-compute_exponent_penalty(plausible, settings))
        slopes = rng.choice(plausible, count, p=prior / prior.sum())
    borrowed = gain.curve.borrowed * np.exp(
        settings.number("prior_demonstrations_spread") * rng.standard_normal(count)
    )  # fmt: skip
    return [(Curve(float(b), float(k)), int(at)) for b, k, at in zip(slopes, borrowed, chosen, strict=True)]


def _compute_hazards_by_belief(
    gain: Gain, classes: Classes, rows: NDArray[np.intp]
) -> list[tuple[Floats, Floats, Floats]]:  # fmt: skip
    """Return removable hazards by class, their errors, and lasting hazard by stratum, for each fit."""
    return [
        (
            classes.concatenate_class_values(fit.removable),
            classes.concatenate_class_values(fit.errors),
            fit.lasting[rows],
        )
        for fit in gain.beliefs.fits
    ]


def _draw_unseen_hazard(gain: Gain, count: int, rng: np.random.Generator) -> Floats:
    """Draw hazard above the fitted one that these attempts and failures still allow (Jeffreys' prior)."""
    attempts, failures = float(gain.table.attempts.sum()), float(gain.table.failures.sum())
    if not attempts:
        return np.zeros(count)
    fitted = float(np.average(gain.why.seen, weights=gain.table.attempts))
    more = rng.gamma(failures + 0.5, 1.0 / attempts, count) - fitted
    return np.asarray(np.maximum(more, 0.0) * (1.0 - gain.settings.number("lasting_share")))


def _select_strata_to_simulate(gain: Gain, bought: Bought, rows: NDArray[np.intp]) -> Watched:
    classes = Classes(gain.parts, rows)
    shares = {part.reach: gain.settings.number(f"{part.reach}_share") for part in gain.parts}
    alike = Counter(part.reach for part in gain.parts)
    each = [shares[part.reach] / sum(shares.values()) / alike[part.reach] for part in gain.parts]
    columns = (
        gain.shown,
        [part.sum_by_class(bought.real) for part in gain.parts],
        [part.sum_by_class(bought.simulated) for part in gain.parts],
        [np.full(part.size, share) for part, share in zip(gain.parts, each, strict=True)],
    )
    return Watched(classes, *map(classes.concatenate_class_values, columns))

"""Estimate how often each stratum fails, for which reasons, and how much of that demonstrations can remove.

Each level of a factor, each pair of levels and each stratum by itself may be a reason to fail. Each has a part that
lasts and a part that falls with the demonstrations that show it. One round cannot separate the two, so the prior
decides: what was never shown is probably removable; what fails despite many demonstrations probably lasts, and so does
what fails nearly always. Earlier rounds separate them: what did not fall although demonstrations came, lasts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldloop.model.plan import PlanScore
from fieldloop.plan.curves import Curve, compute_exponent_penalty, list_plausible_exponents, make_prior_curve
from fieldloop.plan.floors import Yield
from fieldloop.plan.hazards import Hazards, Reason, fit_hazards
from fieldloop.plan.parts import Part, Reach
from fieldloop.plan.strata import Floats, Table
from fieldloop.protocol import Section


@dataclass(frozen=True, slots=True, eq=False)
class ObservedRows:
    """Observed attempts, each row in its stratum, with the demonstrations of each part at that time."""

    stratum: np.ndarray[tuple[int], np.dtype[np.intp]]
    attempts: Floats
    failures: Floats
    shown: tuple[Floats, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Failing:
    """Removable hazards per part once all data in hand are learnt, with standard errors; lasting hazard per stratum."""

    removable: tuple[Floats, ...]
    errors: tuple[Floats, ...]
    lasting: Floats
    curve: Curve
    seen: Floats
    """Per stratum the hazard of the version in production, which may not have learnt from all that is in hand."""


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """Fits with learning of different speeds, and how probable each is; without earlier rounds there is one fit."""

    fits: tuple[Failing, ...]
    weights: Floats

    @property
    def most_probable(self) -> Failing:
        """Return the fit to plan by."""
        return self.fits[int(np.argmax(self.weights))]


def fit_failure_hazards(
    table: Table, parts: Sequence[Part], operators: Yield, scores: Sequence[PlanScore], settings: Section
) -> Beliefs:
    """Fit the reasons to fail to production now and before each earlier plan (scores newest first).

    The speed of learning has a wide prior. Earlier rounds weigh its values by how well each explains their outcomes.
    """
    scores = _select_newest_score_per_plan(scores)
    rows = _collect_observed_rows(table, parts, scores, settings)
    prior = make_prior_curve(settings)
    if not scores:
        return Beliefs((_fit_with_curve(table, parts, operators, rows, prior, settings)[0],), np.ones(1))
    speeds = list_plausible_exponents(settings, int(settings.number("learning_exponents_tried")))
    fits, surprises = [], compute_exponent_penalty(speeds, settings)
    for at, exponent in enumerate(speeds.tolist()):
        made, surprise = _fit_with_curve(table, parts, operators, rows, Curve(exponent, prior.borrowed), settings)
        fits.append(made)
        surprises[at] += surprise
    weights = np.exp(surprises.min() - surprises)
    return Beliefs(tuple(fits), weights / weights.sum())


def _select_newest_score_per_plan(scores: Sequence[PlanScore]) -> list[PlanScore]:
    """Return the newest score of each plan: compared with two versions it is still one round."""
    newest: dict[str, PlanScore] = {}
    for score in scores:
        newest.setdefault(score.plan, score)
    return list(newest.values())


def _collect_observed_rows(
    table: Table, parts: Sequence[Part], scores: Sequence[PlanScore], settings: Section
) -> ObservedRows:
    """Collect production now and before each earlier plan; what followed a plan is the next plan's before, or now.

    A stratum that a score does not name had been neither shown nor tried by that time.
    """
    looks = [(table.attempts, table.failures, table.learnt)]
    places = table.number_strata_by_key() if scores else {}
    fading = settings.number("history_weight")
    for age, score in enumerate(scores, start=1):
        attempts, failures, shown = np.zeros((3, len(table)))
        for at in score.strata:
            row = places.get(table.make_key(at.stratum))
            if row is not None:
                # several strata, where the map has lost a factor since then
                attempts[row] += at.attempts_before * fading**age
                failures[row] += at.failures_before * fading**age
                shown[row] += at.demonstrations_before
        looks.append((attempts, failures, shown))
    kept = [np.flatnonzero(attempts > 0.0) for attempts, _, _ in looks]
    counts = [
        np.concatenate(
            [part.sum_by_class(shown)[part.codes[rows]] for rows, (_, _, shown) in zip(kept, looks, strict=True)]
        )
        for part in parts
    ]
    return ObservedRows(
        np.concatenate(kept),
        np.concatenate([attempts[rows] for rows, (attempts, _, _) in zip(kept, looks, strict=True)]),
        np.concatenate([failures[rows] for rows, (_, failures, _) in zip(kept, looks, strict=True)]),
        tuple(counts),
    )


def _fit_with_curve(
    table: Table, parts: Sequence[Part], operators: Yield, rows: ObservedRows, curve: Curve, settings: Section
) -> tuple[Failing, float]:
    strengths = [curve.compute_remaining_share(shown) for shown in rows.shown]
    usual = _estimate_usual_removable_hazards(parts, rows, strengths, settings)
    lasting_base = _compute_pooled_hazard(rows, settings) * settings.number("lasting_share")
    full = np.ones(len(rows.stratum))
    everywhere = np.zeros(len(full), dtype=np.intp)
    reasons = [Reason(everywhere, full, np.full(1, lasting_base), np.full(1, _get_prior_spread(settings, "level")))]
    for part, strength, size in zip(parts, strengths, usual, strict=True):
        here, wide = part.codes[rows.stratum], _get_prior_spread(settings, part.reach)
        known = operators.excess if part.reach is Reach.OWN else np.zeros(part.size)
        lasts = wide * _compute_lasting_prior_spread(part, rows, part.sum_by_class(table.demonstrations), settings)
        reasons.append(Reason(here, full, known, lasts))
        reasons.append(Reason(here, strength, np.full(part.size, size), np.full(part.size, wide)))
    hazards = fit_hazards(reasons, rows.attempts, rows.failures, settings.number("usual_doubt"))
    return _compute_present_hazards(table, parts, hazards, curve), hazards.surprise


def _compute_lasting_prior_spread(part: Part, rows: ObservedRows, managed: Floats, settings: Section) -> Floats:
    """Return the prior spread of the lasting part, relative to the removable part: large where a level always fails.

    A level that was merely never shown still succeeds sometimes. One that hardly ever succeeds, while other levels of
    its factor do, is often out of reach: a jammed bin, a heavy item, a broken gripper. It is not if operators `managed`
    it. Sites and light are within reach of any policy.
    """
    spread = np.full(part.size, settings.number("lasting_spread"))
    if part.reach is not Reach.LEVEL or set(part.factors) & set(settings["learnable_factors"]):
        return spread
    here = part.codes[rows.stratum]
    tried = np.bincount(here, rows.attempts, part.size).astype(np.float64)
    failed = np.bincount(here, rows.failures, part.size).astype(np.float64)
    total = compute_total_failure(tried, failed, settings)
    enough = settings.number("total_failure_refuted")
    doubt = tried / (tried + settings.number("shrinkage_attempts")) * enough / (enough + managed)
    return np.asarray(spread + settings.number("total_failure_spread") * total * doubt)


def compute_total_failure(tried: Floats, failed: Floats, settings: Section) -> Floats:
    """Return how far each level's failure counts as total, from 0 to 1, compared with its factor's other levels."""
    good = tried - failed
    elsewhere = _divide_or_default(good.sum() - good, tried.sum() - tried)
    usual = settings.number("total_failure_success") * elsewhere
    return np.asarray(np.maximum(0.0, 1.0 - _divide_or_default(_divide_or_default(good, tried), usual, 1.0)))


def _divide_or_default(part: Floats, whole: Floats, otherwise: float = 0.0) -> Floats:
    some = whole > 0.0
    return np.asarray(np.where(some, part / np.where(some, whole, 1.0), otherwise))


def _compute_present_hazards(table: Table, parts: Sequence[Part], hazards: Hazards, curve: Curve) -> Failing:
    now = [curve.compute_remaining_share(part.sum_by_class(table.demonstrations)) for part in parts]
    removable = tuple(size * left for size, left in zip(hazards.sizes[2::2], now, strict=True))
    errors = tuple(error * left for error, left in zip(hazards.errors[2::2], now, strict=True))
    lasting, seen = np.full(len(table), hazards.sizes[0][0]), np.zeros(len(table))
    for part, stays, falls in zip(parts, hazards.sizes[1::2], hazards.sizes[2::2], strict=True):
        lasting += part.spread_to_strata(stays)
        seen += part.spread_to_strata(falls * curve.compute_remaining_share(part.sum_by_class(table.learnt)))
    return Failing(removable, errors, lasting, curve, seen + lasting)


def _estimate_usual_removable_hazards(
    parts: Sequence[Part], rows: ObservedRows, strengths: Sequence[Floats], settings: Section
) -> list[float]:
    """Split the removable part of the usual hazard over levels, pairs and strata by the assumed transfer."""
    whole = _compute_pooled_hazard(rows, settings) * (1.0 - settings.number("lasting_share"))
    shares = {reach: settings.number(f"{reach}_share") for reach in {part.reach for part in parts}}
    total = sum(shares.values())
    hazards = []
    for part, strength in zip(parts, strengths, strict=True):
        alike = sum(other.reach is part.reach for other in parts)
        mean = float(np.average(strength, weights=rows.attempts)) if len(strength) else 1.0
        hazards.append(whole * shares[part.reach] / total / alike / mean)
    return hazards


def _compute_pooled_hazard(rows: ObservedRows, settings: Section) -> float:
    """Return the pooled hazard of production, shrunk towards a prior rate while attempts are few."""
    lean = settings.number("shrinkage_attempts")
    failed = rows.failures.sum() + lean * settings.number("prior_failure_rate")
    return -math.log1p(-failed / (rows.attempts.sum() + lean))


def _get_prior_spread(settings: Section, reach: str) -> float:
    return settings.number(f"{reach}_spread")

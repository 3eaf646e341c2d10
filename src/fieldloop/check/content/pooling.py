"""Lags from many episodes of one rig: pooled for the rig, and for each episode by what the others taught."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content.basis import Basis, Matrix, find_basis
from fieldloop.check.content.confidence import bias_floor, disagreement, estimate_from, half_width, row_blur
from fieldloop.check.content.estimate import LagEstimate, no_estimate
from fieldloop.check.content.evidence import Evidence, Sight, sight
from fieldloop.check.content.profile import Lobe, highest, likelihood, likelihood_under
from fieldloop.check.content.settings import Ranks, Settings
from fieldloop.check.content.timing import Belief, Fit, Model, Task, fit_timing

FOLDS = 5
GROUPS = 4
FEW = 3
"""From so many episodes on there is enough to fit the larger regression."""

NOTHING = "No pictures with joint motion around them."


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """What episodes of a rig taught: its axes, what its camera sees of its joints, and the lag they have in common."""

    basis: Basis
    model: Model
    lag: LagEstimate
    floor_s: float
    inflation: float
    drag: Belief
    readout: Belief


def pooled(kept: Iterable[Evidence], settings: Settings) -> LagEstimate:
    """Estimate the lag that episodes of one rig have in common; one episode is a pool of one."""
    sights = ready(kept, settings)
    return _pooled(sights, settings) if sights else no_estimate(NOTHING)


def single(kept: Evidence, rig: Rig, settings: Settings) -> LagEstimate:
    """Estimate the lag of one episode by a rig that other episodes taught."""
    found = sight(kept, settings)
    return _by_rig(found, rig, settings) if found is not None else no_estimate(NOTHING)


def each(kept: Sequence[Evidence], settings: Settings) -> tuple[LagEstimate, ...]:
    """Estimate the lag of each episode by what the others taught (in folds, so that none teaches itself).

    Where the pool gives no answer, no episode does: what was learnt from it cannot be trusted.
    """
    found = {k: one for k, one in enumerate(sight(one, settings) for one in kept) if one is not None}
    answers = dict.fromkeys(range(len(kept)), no_estimate(NOTHING))
    whole = _pooled(list(found.values()), settings) if found else no_estimate(NOTHING)
    if len(found) < FEW or whole.refused:
        return tuple(whole if k in found and len(found) == 1 else _refused(answers[k], _why(whole)) for k in answers)
    for fold in range(min(FOLDS, len(found))):
        own = list(found)[fold::FOLDS]
        rig = learn_rig([one for k, one in found.items() if k not in own], settings)
        answers |= {k: _by_rig(found[k], rig, settings) for k in own}
    return tuple(answers.values())


def learn_rig(sights: Sequence[Sight], settings: Settings) -> Rig:
    """Fit the rig's regression and its lag together."""
    basis = find_basis(sights, _ranks(len(sights), settings))
    lobe, fit = search(sights, basis, settings)
    floor = float(np.hypot(bias_floor(fit.explained, fit.pace, settings), row_blur(fit, settings)))
    variance = float(fit.spread.robust[0, 0])
    lag = estimate_from(fit, lobe, variance, fit.spread.blocks, floor, len(sights), settings)
    return Rig(
        basis=basis,
        model=fit.model,
        lag=lag,
        floor_s=floor,
        inflation=fit.spread.inflation,
        drag=_learnt(fit, -2),
        readout=_learnt(fit, -1),
    )


def task_for(
    sights: Sequence[Sight], basis: Basis, settings: Settings, shapes: Matrix | None = None, rig: Rig | None = None
) -> Task:
    """Set up a fit: one lag for all unless other shapes are given; what a rig taught is believed."""
    return Task(
        sights=sights,
        basis=basis,
        shapes=np.ones((sum(map(len, sights)), 1)) if shapes is None else shapes,
        blocks=blocks_of(sights, settings.block_s),
        drag=rig.drag if rig else Belief(0.0, settings.drag_sd_s),
        readout=rig.readout if rig else Belief(0.0, settings.readout_sd_s),
        drag_px_s=settings.drag_px_s,
        undragged_px_s=settings.undragged_px_s,
    )


def blocks_of(sights: Sequence[Sight], block_s: float) -> NDArray[np.int64]:
    """Number stretches of time that err together, through all episodes."""
    numbers, begin = [], 0
    for one in sights:
        own = ((one.begins - one.begins[0]) // block_s).astype(np.int64)
        numbers.append(begin + own)
        begin += int(own[-1]) + 1
    return np.concatenate(numbers)


def lags_searched(settings: Settings) -> NDArray[np.float64]:
    """Return the lags of the coarse search."""
    half = round(settings.search_s / settings.search_step_s)
    return np.arange(-half, half + 1, dtype=np.float64) * settings.search_step_s


def ready(kept: Iterable[Evidence], settings: Settings) -> list[Sight]:
    """Make every evidence ready that tells anything."""
    found = (sight(one, settings) for one in kept)
    return [one for one in found if one is not None]


def _pooled(sights: Sequence[Sight], settings: Settings) -> LagEstimate:
    rig = learn_rig(sights, settings)
    if rig.lag.refused:
        return rig.lag
    return _refused(rig.lag, _goes_round(sights, settings) or _parts_disagree(sights, rig, settings))


def _goes_round(sights: Sequence[Sight], settings: Settings) -> str:
    """Motion that repeats itself repeats what the model gets wrong: its errors do not average out."""
    alike = float(np.median([one.repeats for one in sights]))
    return f"The motion repeats itself ({alike:.0%} alike)." if alike > settings.most_repeating else ""


def _why(whole: LagEstimate) -> str:
    return whole.refused or "Too few episodes of this rig to tell one from the others."


def _ranks(episodes: int, settings: Settings) -> Ranks:
    return settings.many if episodes >= FEW else settings.one


def search(sights: Sequence[Sight], basis: Basis, settings: Settings) -> tuple[Lobe, Fit]:
    """Search all lags, then refine the best."""
    lags = lags_searched(settings)
    lobe = highest(lags, likelihood(sights, basis, lags), settings.lobe_apart_s)
    return lobe, fit_timing(task_for(sights, basis, settings), np.array([lobe.lag_s]))


def _by_rig(found: Sight, rig: Rig, settings: Settings) -> LagEstimate:
    if not rig.lag.answered:
        return _refused(rig.lag, f"The other episodes of this rig give no lag: {rig.lag.refused}")
    lags = lags_searched(settings)
    lobe = highest(
        lags, likelihood_under(found, rig.basis, rig.model.slopes, rig.model.whitening, lags), settings.lobe_apart_s
    )
    fit = fit_timing(task_for([found], rig.basis, settings, rig=rig), np.array([lobe.lag_s]), rig.model)
    own = (float(fit.spread.robust[0, 0]) + float(fit.spread.plain[0, 0]) * rig.inflation) / 2
    floor = float(np.hypot(bias_floor(fit.explained, fit.pace, settings), (rig.lag.high_s - rig.lag.low_s) / 4))
    told = estimate_from(fit, lobe, own, fit.spread.blocks, floor, 1, settings)
    if told.refused:
        return told
    return _refused(told, _goes_round([found], settings) or _halves_disagree(found, rig, told, floor, settings))


def _halves_disagree(found: Sight, rig: Rig, told: LagEstimate, floor_s: float, settings: Settings) -> str:
    """Ask both halves of an episode for their own lag, by what the rig taught."""
    parts = []
    for half in _halves(found):
        fit = fit_timing(task_for(half, rig.basis, settings, rig=rig), np.array([told.lag_s]), rig.model)
        variance = float(fit.spread.plain[0, 0]) * rig.inflation
        parts.append((float(fit.shifts[0]), half_width(variance, fit.spread.blocks, floor_s, settings)))
    return disagreement(parts, settings)


def _parts_disagree(sights: Sequence[Sight], rig: Rig, settings: Settings) -> str:
    """Ask groups of episodes for their own lag; a pool that only agrees when stirred together is no answer."""
    parts = []
    groups = [sights[k::GROUPS] for k in range(GROUPS)] if len(sights) > GROUPS else [[one] for one in sights]
    for group in groups if len(sights) > 1 else _halves(sights[0]):
        _, fit = search(group, rig.basis, settings)
        half = half_width(float(fit.spread.robust[0, 0]), fit.spread.blocks, rig.floor_s, settings)
        parts.append((float(fit.shifts[0]), half))
    return disagreement(parts, settings)


def _halves(one: Sight) -> list[list[Sight]]:
    middle = len(one) // 2
    return [[one.part(slice(None, middle))], [one.part(slice(middle, None))]]


def _learnt(fit: Fit, which: int) -> Belief:
    return Belief(float(fit.shifts[which]), float(np.sqrt(fit.spread.robust[which, which])))


def _refused(lag: LagEstimate, reason: str) -> LagEstimate:
    return replace(lag, refused=reason) if reason else lag

"""Lags from many episodes of one rig: pooled for the rig, and for each episode by a fit to the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.content_lag.basis import Basis, Matrix, find_basis
from fieldloop.check.content_lag.confidence import (
    compute_interval_half_width_s,
    estimate_readout_error_s,
    estimate_systematic_error_s,
    make_lag_estimate,
    note_lag_disagreement,
)
from fieldloop.check.content_lag.estimate import LagEstimate, refuse_lag_estimate
from fieldloop.check.content_lag.evidence import LagEvidence, Sight, prepare_sight
from fieldloop.check.content_lag.profile import (
    Lobe,
    compute_log_likelihood,
    compute_log_likelihood_under_model,
    find_highest_lobe,
)
from fieldloop.check.content_lag.settings import Ranks, Settings
from fieldloop.check.content_lag.timing import Belief, Fit, Model, Task, fit_timing
from fieldloop.model.note import Note, note

FOLDS = 5  # usual cross-validation: each fit uses four fifths of the episodes
GROUPS = 4  # groups whose lags must agree; more would leave few episodes in each
FEW = 3
"""Least number of episodes for the larger regression."""

NOTHING = note("check.no_pictures_with_motion")


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """A fit to episodes of a rig: its axes, the regression of flow on joint motion, and their common lag."""

    basis: Basis
    model: Model
    lag: LagEstimate
    floor_s: float
    inflation: float
    drag: Belief
    readout: Belief


def estimate_pooled_lag(evidence_of_episodes: Iterable[LagEvidence], settings: Settings) -> LagEstimate:
    """Estimate the common lag of episodes of one rig; one episode is a pool of one."""
    sights = prepare_sights(evidence_of_episodes, settings)
    return _estimate_lag_of_sights(sights, settings) if sights else refuse_lag_estimate(NOTHING)


def estimate_lag_with_rig(evidence_of_episode: LagEvidence, rig: Rig, settings: Settings) -> LagEstimate:
    """Estimate the lag of one episode by a rig fitted on other episodes."""
    prepared = prepare_sight(evidence_of_episode, settings)
    return (
        _estimate_sight_lag_with_rig(prepared, rig, settings) if prepared is not None else refuse_lag_estimate(NOTHING)
    )


def estimate_lags_by_cross_validation(
    evidence_of_episodes: Sequence[LagEvidence], settings: Settings
) -> tuple[LagEstimate, ...]:
    """Estimate the lag of each episode by a fit to the others (cross-validation in folds).

    Where the pool gives no estimate, no episode does: the fit cannot be trusted.
    """
    prepared = {
        k: one for k, one in enumerate(prepare_sight(one, settings) for one in evidence_of_episodes) if one is not None
    }
    answers = dict.fromkeys(range(len(evidence_of_episodes)), refuse_lag_estimate(NOTHING))
    whole = _estimate_lag_of_sights(list(prepared.values()), settings) if prepared else refuse_lag_estimate(NOTHING)
    if len(prepared) < FEW or whole.refused:
        return tuple(
            whole if k in prepared and len(prepared) == 1 else _add_refusal(answers[k], _note_refused_pooled_lag(whole))
            for k in answers
        )
    for fold in range(min(FOLDS, len(prepared))):
        held_out = list(prepared)[fold::FOLDS]
        rig = fit_rig([one for k, one in prepared.items() if k not in held_out], settings)
        answers |= {k: _estimate_sight_lag_with_rig(prepared[k], rig, settings) for k in held_out}
    return tuple(answers.values())


def fit_rig(sights: Sequence[Sight], settings: Settings) -> Rig:
    """Fit the rig's regression and its lag together."""
    basis = find_basis(sights, _choose_ranks(len(sights), settings))
    lobe, fit = search_lag(sights, basis, settings)
    floor = float(
        np.hypot(
            estimate_systematic_error_s(fit.explained, fit.pace, settings), estimate_readout_error_s(fit, settings)
        )
    )
    wider = settings.alone_inflation if len(sights) == 1 else 1.0
    variance = float(fit.spread.robust[0, 0]) * wider**2
    lag = make_lag_estimate(fit, lobe, variance, fit.spread.blocks, floor * wider, len(sights), settings)
    return Rig(
        basis=basis,
        model=fit.model,
        lag=lag,
        floor_s=floor,
        inflation=fit.spread.inflation,
        drag=_make_prior_from_fit(fit, -2),
        readout=_make_prior_from_fit(fit, -1),
    )


def make_fit_task(
    sights: Sequence[Sight], basis: Basis, settings: Settings, shapes: Matrix | None = None, rig: Rig | None = None
) -> Task:
    """Set up a fit: one lag for all unless other shapes are given; a fitted rig's values serve as priors."""
    return Task(
        sights=sights,
        basis=basis,
        shapes=np.ones((sum(map(len, sights)), 1)) if shapes is None else shapes,
        blocks=number_time_blocks(sights, settings.block_s),
        drag=rig.drag if rig else Belief(0.0, settings.drag_sd_s),
        readout=rig.readout if rig else Belief(0.0, settings.readout_sd_s),
        drag_px_s=settings.drag_px_s,
        undragged_px_s=settings.undragged_px_s,
    )


def number_time_blocks(sights: Sequence[Sight], block_s: float) -> NDArray[np.int64]:
    """Number the blocks of time with correlated errors, through all episodes."""
    numbers, begin = [], 0
    for one in sights:
        block_numbers = ((one.begins - one.begins[0]) // block_s).astype(np.int64)
        numbers.append(begin + block_numbers)
        begin += int(block_numbers[-1]) + 1
    return np.concatenate(numbers)


def list_searched_lags(settings: Settings) -> NDArray[np.float64]:
    """Return the lags of the coarse search."""
    half = round(settings.search_s / settings.search_step_s)
    return np.arange(-half, half + 1, dtype=np.float64) * settings.search_step_s


def prepare_sights(evidence_of_episodes: Iterable[LagEvidence], settings: Settings) -> list[Sight]:
    """Prepare all usable evidence for fitting."""
    prepared = (prepare_sight(one, settings) for one in evidence_of_episodes)
    return [one for one in prepared if one is not None]


def _estimate_lag_of_sights(sights: Sequence[Sight], settings: Settings) -> LagEstimate:
    rig = fit_rig(sights, settings)
    if rig.lag.refused:
        return rig.lag
    return _add_refusal(
        rig.lag, _note_periodic_motion(sights, settings) or _note_disagreeing_groups(sights, rig, settings)
    )


def _note_periodic_motion(sights: Sequence[Sight], settings: Settings) -> Note | None:
    """Refuse periodic motion: the model's errors repeat with it and do not average out."""
    alike = float(np.median([one.periodicity for one in sights]))
    return note("check.motion_repeats", alike=alike) if alike > settings.most_repeating else None


def _note_refused_pooled_lag(pooled_lag: LagEstimate) -> Note:
    return pooled_lag.refused or note("check.too_few_of_rig")


def _choose_ranks(episode_count: int, settings: Settings) -> Ranks:
    return settings.many if episode_count >= FEW else settings.one


def search_lag(sights: Sequence[Sight], basis: Basis, settings: Settings) -> tuple[Lobe, Fit]:
    """Search all lags, then refine the best."""
    lags = list_searched_lags(settings)
    lobe = find_highest_lobe(lags, compute_log_likelihood(sights, basis, lags), settings.lobe_apart_s)
    return lobe, fit_timing(make_fit_task(sights, basis, settings), np.array([lobe.lag_s]))


def _estimate_sight_lag_with_rig(episode: Sight, rig: Rig, settings: Settings) -> LagEstimate:
    if rig.lag.refused:
        return _add_refusal(rig.lag, note("check.rig_has_no_lag", rig.lag.refused))
    lags = list_searched_lags(settings)
    lobe = find_highest_lobe(
        lags,
        compute_log_likelihood_under_model(episode, rig.basis, rig.model.slopes, rig.model.whitening, lags),
        settings.lobe_apart_s,
    )
    fit = fit_timing(make_fit_task([episode], rig.basis, settings, rig=rig), np.array([lobe.lag_s]), rig.model)
    variance = (float(fit.spread.robust[0, 0]) + float(fit.spread.plain[0, 0]) * rig.inflation) / 2
    floor = float(
        np.hypot(estimate_systematic_error_s(fit.explained, fit.pace, settings), (rig.lag.high_s - rig.lag.low_s) / 4)
    )
    lag = make_lag_estimate(fit, lobe, variance, fit.spread.blocks, floor, 1, settings)
    if lag.refused:
        return lag
    return _add_refusal(
        lag, _note_periodic_motion([episode], settings) or _note_disagreeing_halves(episode, rig, lag, floor, settings)
    )


def _note_disagreeing_halves(
    episode: Sight, rig: Rig, lag: LagEstimate, systematic_error: float, settings: Settings
) -> Note | None:
    """Estimate the lag of each half of an episode, by the rig's fit."""
    parts = []
    for half in _split_into_halves(episode):
        fit = fit_timing(make_fit_task(half, rig.basis, settings, rig=rig), np.array([lag.lag_s]), rig.model)
        variance = float(fit.spread.plain[0, 0]) * rig.inflation
        parts.append(
            (
                float(fit.shifts[0]),
                compute_interval_half_width_s(variance, fit.spread.blocks, systematic_error, settings),
            )
        )
    return note_lag_disagreement(parts, settings)


def _note_disagreeing_groups(sights: Sequence[Sight], rig: Rig, settings: Settings) -> Note | None:
    """Estimate the lag of groups of episodes; if the groups disagree, the pooled lag is not an estimate."""
    parts = []
    groups = [sights[k::GROUPS] for k in range(GROUPS)] if len(sights) > GROUPS else [[one] for one in sights]
    for group in groups if len(sights) > 1 else _split_into_halves(sights[0]):
        _, fit = search_lag(group, rig.basis, settings)
        half = compute_interval_half_width_s(float(fit.spread.robust[0, 0]), fit.spread.blocks, rig.floor_s, settings)
        parts.append((float(fit.shifts[0]), half))
    return note_lag_disagreement(parts, settings)


def _split_into_halves(episode: Sight) -> list[list[Sight]]:
    middle = len(episode) // 2
    return [[episode.slice_rows(slice(None, middle))], [episode.slice_rows(slice(middle, None))]]


def _make_prior_from_fit(fit: Fit, shift_index: int) -> Belief:
    return Belief(float(fit.shifts[shift_index]), float(np.sqrt(fit.spread.robust[shift_index, shift_index])))


def _add_refusal(lag: LagEstimate, reason: Note | None) -> LagEstimate:
    return replace(lag, refused=reason) if reason else lag

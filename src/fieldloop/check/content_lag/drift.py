"""Lags that change: a clock that runs fast or slow, and frames lost without a gap in the timestamps."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fieldloop.check.content_lag.basis import Matrix, find_basis
from fieldloop.check.content_lag.confidence import (
    compute_interval_half_width_s,
    estimate_systematic_error_s,
    make_lag_estimate,
)
from fieldloop.check.content_lag.evidence import LagEvidence, prepare_sight
from fieldloop.check.content_lag.pooling import FEW, NOTHING, make_fit_task, prepare_sights, search_lag
from fieldloop.check.content_lag.profile import Lobe
from fieldloop.check.content_lag.settings import Settings
from fieldloop.check.content_lag.timing import Fit, fit_timing
from fieldloop.model.finding import UNKNOWN
from fieldloop.model.note import Note, note
from fieldloop.model.stream import MS_PER_S

PPM = 1e6  # parts per million of a whole
SPAN = 3.4641
"""The standard deviation of evenly spread times is their span over the root of twelve: it sets how well a slope is
known."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How much faster the joints' clock runs than the camera's, with its interval, in parts per million."""

    ppm: float
    low_ppm: float
    high_ppm: float
    refused: Note | None = None


@dataclass(frozen=True, slots=True)
class LagStep:
    """The largest sudden change of the lag, with its interval (s), and its moment counted from the first picture."""

    step_s: float
    low_s: float
    high_s: float
    at_s: float
    refused: Note | None = None


def estimate_lag_drift(evidence_of_episodes: Iterable[LagEvidence], settings: Settings) -> Drift:
    """Fit a lag that grows evenly with time, over one episode or a whole session of them."""
    sights = prepare_sights(evidence_of_episodes, settings)
    if not sights:
        return Drift(UNKNOWN, UNKNOWN, UNKNOWN, NOTHING)
    basis = find_basis(sights, settings.many if len(sights) >= FEW else settings.one)
    lobe, _ = search_lag(sights, basis, settings)
    at = np.concatenate([s.origin_s - sights[0].origin_s + s.get_interval_middles_s for s in sights])
    shapes = np.stack([np.ones_like(at), at - at.mean()], axis=1)
    fit = fit_timing(make_fit_task(sights, basis, settings, shapes), np.array([lobe.lag_s, 0.0]))
    floor = estimate_systematic_error_s(fit.explained, fit.pace, settings) * SPAN / max(float(np.ptp(at)), 1e-9)
    half = compute_interval_half_width_s(float(fit.spread.robust[1, 1]), fit.spread.blocks, floor, settings)
    rate = float(fit.shifts[1])
    return Drift(
        rate * PPM, (rate - half) * PPM, (rate + half) * PPM, _explain_missing_lag(fit, lobe, len(sights), settings)
    )


def estimate_lag_step(
    evidence_of_episode: LagEvidence, settings: Settings, excluded_edge_s: float, prior_sd_s: float
) -> LagStep:
    """Search every moment for a sudden change of the lag and fit the likeliest.

    The interval is `prior_sd_s` standard deviations: wider than for a moment known beforehand, because the largest of
    many was chosen.
    """
    prepared = prepare_sight(evidence_of_episode, settings)
    if prepared is None or prepared.ends[-1] - prepared.begins[0] < 3 * excluded_edge_s:
        return LagStep(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, NOTHING)
    basis = find_basis([prepared], settings.one)
    lobe, level = search_lag([prepared], basis, settings)
    at = _find_likeliest_step_time(level, prepared.get_interval_middles_s, excluded_edge_s)
    behind = (prepared.get_interval_middles_s > at).astype(np.float64)
    shapes = np.stack([np.ones_like(behind), behind - behind.mean()], axis=1)
    fit = fit_timing(make_fit_task([prepared], basis, settings, shapes), np.array([lobe.lag_s, 0.0]))
    floor = estimate_systematic_error_s(fit.explained, fit.pace, settings)
    half = prior_sd_s * float(np.hypot(settings.inflation * np.sqrt(fit.spread.robust[1, 1]), floor))
    step = float(fit.shifts[1])
    return LagStep(
        step,
        step - half,
        step + half,
        float(at),
        _explain_missing_lag(fit, lobe, 1, settings) or _explain_imprecise_step(half, settings),
    )


def _explain_imprecise_step(half_width_s: float, settings: Settings) -> Note | None:
    """Return a note if a step is known less precisely than a lag must be; None where it is precise enough."""
    return note("check.step_too_wide", half_ms=half_width_s * MS_PER_S) if half_width_s > settings.widest_s else None


def _find_likeliest_step_time(constant_lag_fit: Fit, pair_times: Matrix, excluded_edge_s: float) -> float:
    """Return the moment at which a step would explain most of the residual of a constant lag."""
    gains, scores = constant_lag_fit.gains[:, 0, 0], constant_lag_fit.scores[:, 0]
    behind, later = gains[::-1].cumsum()[::-1], scores[::-1].cumsum()[::-1]
    apart = behind - behind**2 / gains.sum()
    won = (later - behind / gains.sum() * scores.sum()) ** 2 / np.maximum(apart, 1e-12)
    inner = (pair_times > pair_times[0] + excluded_edge_s) & (pair_times < pair_times[-1] - excluded_edge_s)
    best = int(np.where(inner, won, -1.0).argmax())
    return float(pair_times[max(best - 1, 0)] + pair_times[best]) / 2


def _explain_missing_lag(fit: Fit, lobe: Lobe, episode_count: int, settings: Settings) -> Note | None:
    """Return why no change of the lag can be estimated where the lag itself cannot."""
    floor = estimate_systematic_error_s(fit.explained, fit.pace, settings)
    return make_lag_estimate(
        fit, lobe, float(fit.spread.robust[0, 0]), fit.spread.blocks, floor, episode_count, settings
    ).refused

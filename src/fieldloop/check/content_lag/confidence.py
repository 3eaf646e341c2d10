"""The interval of a lag, and the reasons to give no estimate.

A lag has two kinds of error. Random: rows of flow have errors, correlated between neighbours; blocks of rows show their
size. Systematic: unexplained flow can look like a shift of time, more so in slow motion, where a shift changes little.
More episodes do not reduce the second.
"""

from collections.abc import Sequence

import numpy as np

from fieldloop.check.content_lag.estimate import LagEstimate
from fieldloop.check.content_lag.profile import Lobe
from fieldloop.check.content_lag.settings import Settings
from fieldloop.check.content_lag.timing import Fit
from fieldloop.model.note import Note, note
from fieldloop.model.stream import MS_PER_S


def estimate_systematic_error_s(explained_share: float, pace: float, settings: Settings) -> float:
    """Return the standard deviation of the model's systematic error (s)."""
    return settings.bias_share * float(np.sqrt(max(1.0 - explained_share, 0.0))) / max(pace, 1e-3)


def estimate_readout_error_s(fit: Fit, settings: Settings) -> float:
    """Return the error that an uncertain readout adds (s).

    Flow is smoothed over rows, so the readout is estimated too small. How far that shifts the lag depends on how far
    from the centre things move.
    """
    by_readout = float(fit.spread.plain[0, -1] / max(fit.spread.plain[-1, -1], 1e-18))
    return abs(by_readout * float(fit.shifts[-1])) * settings.readout_blur


def compute_interval_half_width_s(
    variance: float, block_count: int, systematic_error: float, settings: Settings
) -> float:
    """Return half the interval: Student's t of the random error for this number of blocks, combined with the floor."""
    from scipy.stats import norm, t

    end = 0.5 + settings.confidence / 2
    by_chance = float(t.ppf(end, max(block_count - 1, 1))) * settings.inflation * np.sqrt(variance)
    return float(np.hypot(by_chance, norm.ppf(end) * systematic_error))


def make_lag_estimate(
    fit: Fit,
    lobe: Lobe,
    variance: float,
    block_count: int,
    systematic_error: float,
    episode_count: int,
    settings: Settings,
) -> LagEstimate:
    """Return the estimate, refused where one of the rules applies."""
    lag, half = float(fit.shifts[0]), compute_interval_half_width_s(variance, block_count, systematic_error, settings)
    lead = lobe.lead * float(fit.spread.plain[0, 0]) / max(variance, 1e-18)
    reason = _explain_refused_lag(fit, lobe, lead, half, settings)
    return LagEstimate(
        lag_s=lag,
        low_s=lag - half,
        high_s=lag + half,
        readout_s=float(fit.shifts[-1]),
        readout_sd_s=float(np.sqrt(fit.spread.robust[-1, -1])),
        drag_s=float(fit.shifts[-2]),
        lead=lead,
        explained=fit.explained,
        pace=fit.pace,
        episodes=episode_count,
        refused=reason,
    )


def note_lag_disagreement(lags_with_half_widths: Sequence[tuple[float, float]], settings: Settings) -> Note | None:
    """Return a note if parts of the data give different lags (lag, half interval of each); None where they agree."""
    lags, halves = np.array(lags_with_half_widths).T
    weights = halves**-2
    middle = float((lags * weights).sum() / weights.sum())
    worst = float(np.max(np.abs(lags - middle) / halves))
    if worst <= settings.disagreement:
        return None
    return note("check.lags_differ", lags_ms=tuple(float(lag * MS_PER_S) for lag in lags))


def _explain_refused_lag(
    fit: Fit, lobe: Lobe, lobe_lead: float, half_width_s: float, settings: Settings
) -> Note | None:
    lag = float(fit.shifts[0])
    if not lobe.inside or abs(lag) > settings.search_s:
        return note("check.lag_beyond_search", searched_ms=settings.search_s * MS_PER_S)
    if abs(lag - lobe.lag_s) > settings.lobe_apart_s:
        return note("check.lag_searches_differ")
    if fit.explained < settings.least_explained:
        return note("check.lag_little_explained", explained=fit.explained)
    if fit.pace < settings.least_pace:
        return note("check.lag_motion_too_slow", pace_per_s=fit.pace)
    if lobe_lead < settings.least_lead:
        return note("check.lag_ambiguous", lead=lobe_lead)
    if half_width_s > settings.widest_s:
        return note("check.lag_too_wide", lag_ms=lag * MS_PER_S, half_ms=half_width_s * MS_PER_S)
    return None

"""Lags that do not stay: a clock that runs fast or slow, and frames that were lost without a trace."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fieldloop.check.content.basis import Matrix, find_basis
from fieldloop.check.content.confidence import bias_floor, estimate_from, half_width
from fieldloop.check.content.evidence import Evidence, sight
from fieldloop.check.content.pooling import FEW, NOTHING, ready, search, task_for
from fieldloop.check.content.profile import Lobe
from fieldloop.check.content.settings import Settings
from fieldloop.check.content.timing import Fit, fit_timing

PPM = 1e6
NAN = float("nan")
SPAN = 3.4641
"""A line over a stretch of time is told as well as by a lever of its length over the root of twelve."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How much faster the joints' clock runs than the camera's, with its interval, in parts per million."""

    ppm: float
    low_ppm: float
    high_ppm: float
    refused: str = ""


@dataclass(frozen=True, slots=True)
class LagStep:
    """The largest sudden change of the lag, with its interval (s), and the moment from the first picture on."""

    step_s: float
    low_s: float
    high_s: float
    at_s: float
    refused: str = ""


def find_drift(kept: Iterable[Evidence], settings: Settings) -> Drift:
    """Fit a lag that grows evenly with time, over one episode or a whole session of them."""
    sights = ready(kept, settings)
    if not sights:
        return Drift(NAN, NAN, NAN, NOTHING)
    basis = find_basis(sights, settings.many if len(sights) >= FEW else settings.one)
    lobe, _ = search(sights, basis, settings)
    at = np.concatenate([s.origin_s - sights[0].origin_s + s.middles for s in sights])
    shapes = np.stack([np.ones_like(at), at - at.mean()], axis=1)
    fit = fit_timing(task_for(sights, basis, settings, shapes), np.array([lobe.lag_s, 0.0]))
    floor = bias_floor(fit.explained, fit.pace, settings) * SPAN / max(float(np.ptp(at)), 1e-9)
    half = half_width(float(fit.spread.robust[1, 1]), fit.spread.blocks, floor, settings)
    rate = float(fit.shifts[1])
    return Drift(rate * PPM, (rate - half) * PPM, (rate + half) * PPM, _untold(fit, lobe, len(sights), settings))


def find_step(kept: Evidence, settings: Settings, edge_s: float, reach_sd: float) -> LagStep:
    """Look at every moment for a sudden change of the lag and fit the likeliest.

    The interval reaches `reach_sd` standard deviations, more than for a moment known beforehand, because the largest of
    many was chosen.
    """
    found = sight(kept, settings)
    if found is None or found.ends[-1] - found.begins[0] < 3 * edge_s:
        return LagStep(NAN, NAN, NAN, NAN, NOTHING)
    basis = find_basis([found], settings.one)
    lobe, level = search([found], basis, settings)
    at = _likeliest(level, found.middles, edge_s)
    behind = (found.middles > at).astype(np.float64)
    shapes = np.stack([np.ones_like(behind), behind - behind.mean()], axis=1)
    fit = fit_timing(task_for([found], basis, settings, shapes), np.array([lobe.lag_s, 0.0]))
    floor = bias_floor(fit.explained, fit.pace, settings)
    half = reach_sd * float(np.hypot(settings.inflation * np.sqrt(fit.spread.robust[1, 1]), floor))
    step = float(fit.shifts[1])
    return LagStep(
        step, step - half, step + half, float(at), _untold(fit, lobe, 1, settings) or _too_wide(half, settings)
    )


def _too_wide(half_s: float, settings: Settings) -> str:
    """A step that is known no better than a lag may be is none that anybody should act on."""
    return f"The data place a step only within ±{half_s * 1e3:.0f} ms." if half_s > settings.widest_s else ""


def _likeliest(level: Fit, middles: Matrix, edge_s: float) -> float:
    """Return the moment at which a step would explain most of what one lag leaves over."""
    gains, scores = level.gains[:, 0, 0], level.scores[:, 0]
    behind, later = gains[::-1].cumsum()[::-1], scores[::-1].cumsum()[::-1]
    apart = behind - behind**2 / gains.sum()
    won = (later - behind / gains.sum() * scores.sum()) ** 2 / np.maximum(apart, 1e-12)
    inner = (middles > middles[0] + edge_s) & (middles < middles[-1] - edge_s)
    best = int(np.where(inner, won, -1.0).argmax())
    return float(middles[max(best - 1, 0)] + middles[best]) / 2


def _untold(fit: Fit, lobe: Lobe, episodes: int, settings: Settings) -> str:
    """Say why nothing can be said of changes where no lag can be told at all."""
    floor = bias_floor(fit.explained, fit.pace, settings)
    return estimate_from(
        fit, lobe, float(fit.spread.robust[0, 0]), fit.spread.blocks, floor, episodes, settings
    ).refused

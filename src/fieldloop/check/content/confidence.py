"""How far a lag may be trusted: its interval, and the reasons to refuse an answer.

Two things make a lag wrong. Chance: rows of flow err, neighbours together; blocks of rows tell how much. And the model:
what it leaves unexplained can look like a shift of time, the more so the slower the motion, for a shift of slow motion
changes little. The second is no smaller for having many episodes.
"""

from collections.abc import Sequence

import numpy as np

from fieldloop.check.content.estimate import LagEstimate
from fieldloop.check.content.profile import Lobe
from fieldloop.check.content.settings import Settings
from fieldloop.check.content.timing import Fit

COVERAGE = 0.975
MS = 1e3


def bias_floor(explained: float, pace: float, settings: Settings) -> float:
    """Return the standard deviation of what the model may get wrong (s)."""
    return settings.bias_share * float(np.sqrt(max(1.0 - explained, 0.0))) / max(pace, 1e-3)


def row_blur(fit: Fit, settings: Settings) -> float:
    """Return what an unsure readout adds (s).

    Flow is smeared over rows, so that a readout is told too small; how much that shifts the lag depends on how far from
    the centre things move.
    """
    by_readout = float(fit.spread.plain[0, -1] / max(fit.spread.plain[-1, -1], 1e-18))
    return abs(by_readout * float(fit.shifts[-1])) * settings.readout_blur


def half_width(variance: float, blocks: int, floor_s: float, settings: Settings) -> float:
    """Return half the interval: Student's t for so few blocks on what chance does, beside the floor."""
    from scipy.stats import norm, t

    by_chance = float(t.ppf(COVERAGE, max(blocks - 1, 1))) * settings.inflation * np.sqrt(variance)
    return float(np.hypot(by_chance, norm.ppf(COVERAGE) * floor_s))


def estimate_from(
    fit: Fit, lobe: Lobe, variance: float, blocks: int, floor_s: float, episodes: int, settings: Settings
) -> LagEstimate:
    """Put an answer together and refuse it where one of the rules says so."""
    lag, half = float(fit.shifts[0]), half_width(variance, blocks, floor_s, settings)
    lead = lobe.lead * float(fit.spread.plain[0, 0]) / max(variance, 1e-18)
    reason = _refusal(fit, lobe, lead, half, settings)
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
        episodes=episodes,
        refused=reason,
    )


def disagreement(parts: Sequence[tuple[float, float]], settings: Settings) -> str:
    """Say that parts of the data give different lags (lag, half interval of each); '' where they agree."""
    lags, halves = np.array(parts).T
    weights = halves**-2
    middle = float((lags * weights).sum() / weights.sum())
    worst = float(np.max(np.abs(lags - middle) / halves))
    if worst <= settings.disagreement:
        return ""
    told = ", ".join(f"{lag * MS:+.0f} ms" for lag in lags)
    return f"Parts of the data give different lags ({told}): no one lag explains them."


def _refusal(fit: Fit, lobe: Lobe, lead: float, half: float, settings: Settings) -> str:
    lag = float(fit.shifts[0])
    if not lobe.inside or abs(lag) > settings.search_s:
        return f"The best lag lies at or beyond the ±{settings.search_s * MS:.0f} ms searched."
    if abs(lag - lobe.lag_s) > settings.lobe_apart_s:
        return "Coarse and fine search give different lags."
    if fit.explained < settings.least_explained:
        return f"The joints explain only {fit.explained:.0%} of the motion seen."
    if fit.pace < settings.least_pace:
        return f"The motion seen is too slow and smooth to place in time ({fit.pace:.1f} per s)."
    if lead < settings.least_lead:
        return f"Another lag fits nearly as well (lead {lead:.0f})."
    if half > settings.widest_s:
        return f"The data place the lag only within ±{half * MS:.0f} ms of {lag * MS:+.0f} ms."
    return ""

"""How much a measured fault can cost: a lag, a latency or annotators apart, by what an ablation measured at that size.

The figures are one simulated floor's (docs/ablation.md); the prior of the effect allows `dose_spread` times as much.
A team with figures of its own states them in its operations file.
"""

import math

import numpy as np

from fieldloop.diagnose.explanations.explanation import Loss
from fieldloop.diagnose.inference.strengths import Strength
from fieldloop.diagnose.inference.table import Floats
from fieldloop.protocol import Section

LEAST_RATE = 0.02
"""No fault takes more than all: beyond this rate log-odds would only grow."""
LEAST_EFFECT = 1e-3  # an effect without any spread could not be fitted


def lag_points(lag_ms: float, settings: Section) -> float:
    """Return the points that a lag in demonstrations costs."""
    return _interpolate(abs(lag_ms), settings["lag_dose_ms"], settings["lag_dose_points"])


def label_points(frames: float, settings: Section) -> float:
    """Return the points that annotators this many frames apart cost."""
    apart_ms = frames * settings.number("label_frame_ms")
    return _interpolate(apart_ms, settings["label_dose_ms"], settings["label_dose_points"])


def latency_points(late_ms: float, settings: Section) -> float:
    """Return the points that answers this late cost."""
    return _interpolate(late_ms, settings["latency_dose_ms"], settings["latency_dose_points"])


def loss_of_points(points: float, settings: Section) -> Loss:
    """Return the prior effect of a fault that costs this much where it was measured, up to `dose_spread` times."""
    effect = max(log_odds_of_points(points, settings), LEAST_EFFECT)
    return Loss(effect, effect * (settings.number("dose_spread") - 1.0) / 2.0)


def log_odds_of_points(points: float, settings: Section) -> float:
    """Return points as a difference in log-odds, at the success rate at which they were measured."""
    rate = settings.number("dose_rate")
    left = max(rate - points / 100.0, LEAST_RATE)
    return math.log(rate / (1.0 - rate)) - math.log(left / (1.0 - left))


def bound_latency_loss(loss: Loss, late_ms: float, settings: Section) -> Loss:
    """Reduce the prior effect of late answers where they are hardly later than usual: little lateness costs little."""
    most = settings.number("dose_spread") * latency_points(late_ms, settings) / 100.0
    usual = settings.number("dose_rate") * (1.0 - math.exp(-loss.mean))
    part = min(max(most / usual, LEAST_EFFECT), 1.0)
    return Loss(part * loss.mean, part * loss.spread)


def _interpolate(dose: float, doses: list[float], points: list[float]) -> float:
    """Interpolate between measured doses from none at 0; beyond the last the last slope goes on."""
    at, cost = np.array([0.0, *doses]), np.array([0.0, *points])
    if dose <= at[-1]:
        return float(np.interp(dose, at, cost))
    slope = (cost[-1] - cost[-2]) / (at[-1] - at[-2])
    return float(cost[-1] + slope * (dose - at[-1]))


def lateness(values: Floats, past: Floats, inside: Strength, usual: float) -> float:
    """Return how much later than the baseline's middle the answers in these rows came, at their high end."""
    late = values[(inside > 0.0) & np.isfinite(values)]
    known = past[np.isfinite(past)]
    return float(np.quantile(late, usual) - np.median(known)) if len(late) and len(known) else math.inf

"""Priors: was it demonstrated, and how suspicious is a measurement?"""

import math

import numpy as np

from fieldloop.diagnose.explanations.demonstrated import Demonstrations
from fieldloop.diagnose.explanations.explanation import Loss
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Role
from fieldloop.protocol import Section


def loss_of(role: Role, settings: Section) -> Loss:
    """Return the prior effect of a fault where it holds: on the log-odds or, where it multiplies, on log success."""
    if role is Role.LATENCY:
        return Loss(settings.number("apart_loss"), settings.number("apart_spread"))
    if role is Role.WEAR:
        return Loss(settings.number("machinery_loss"), settings.number("machinery_spread"))
    return Loss(settings.number("fault_loss"), settings.number("fault_spread"))


def loss_without_reason(settings: Section) -> Loss:
    """Return the prior effect of a loss of everything that nothing explains."""
    return Loss(settings.number("machinery_loss"), settings.number("machinery_spread"))


def suspicion(severity: float, settings: Section) -> float:
    """Return the prior log-odds of a fault measured at `severity` times its limit: even at the limit itself."""
    most = settings.number("measured_odds")
    return float(np.clip(settings.number("severity_slope") * math.log(max(severity, 1e-9)), -2.0 * most, most))


def is_starved(stratum: Stratum, share: float, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Were there hardly any demonstrations, or far fewer than its share of production? None where unknown."""
    count = shown.shown(stratum) if shown is not None else None
    if shown is None or count is None:
        return None
    few = count < settings.number("covered_demonstrations")
    return few or count < settings.number("starved_ratio") * share * shown.total


def never_shown(stratum: Stratum, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Was it hardly ever demonstrated? None where unknown."""
    count = shown.shown(stratum) if shown is not None else None
    return None if count is None else count < settings.number("covered_demonstrations")

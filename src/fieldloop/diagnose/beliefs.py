"""What is known beforehand: was it demonstrated, and how suspicious is what was measured?"""

import math

import numpy as np

from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.explanation import Loss
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.protocol import Section

COVERABLE = (Gap.ENVIRONMENT, Gap.EDGE_CASES, Gap.CONDITIONS)
"""Gaps that demonstrations close: of these it counts whether there were any."""


def loss_of(gap: Gap, settings: Section) -> Loss:
    """What a fault takes off where it holds, if there is one: off the log-odds, or, apart, off the log of success."""
    if gap is Gap.INFRASTRUCTURE:
        return Loss(settings.number("apart_loss"), settings.number("apart_spread"))
    if gap in (Gap.HARDWARE, Gap.UNKNOWN):
        return Loss(settings.number("machinery_loss"), settings.number("machinery_spread"))
    return Loss(settings.number("fault_loss"), settings.number("fault_spread"))


def suspicion(severity: float, settings: Section) -> float:
    """Log-odds of a fault measured at so many times its limit: even at the limit, and sure at a few times."""
    most = settings.number("measured_odds")
    return float(np.clip(settings.number("severity_slope") * math.log(max(severity, 1e-9)), -2.0 * most, most))


def starved(stratum: Stratum, share: float, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Were there hardly any demonstrations, or far fewer than its share of production? None where nobody knows."""
    count = shown.shown(stratum) if shown is not None else None
    if shown is None or count is None:
        return None
    few = count < settings.number("covered_demonstrations")
    return few or count < settings.number("starved_ratio") * share * shown.total


def never_shown(stratum: Stratum, shown: Demonstrations | None, settings: Section) -> bool | None:
    """Was it hardly ever demonstrated? None where nobody knows."""
    count = shown.shown(stratum) if shown is not None else None
    return None if count is None else count < settings.number("covered_demonstrations")

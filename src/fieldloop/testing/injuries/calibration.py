"""Injuries that the checks of calibration must notice."""

from dataclasses import replace

from fieldloop.testing.injuries.injury import Injury

INJURIES: dict[str, Injury] = {
    "calibration.in_force": Injury(lambda case: replace(case, calibrations=(), _kept={})),
}

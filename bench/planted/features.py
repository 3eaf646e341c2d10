"""Outcomes as columns for the other methods, and which cause each column represents."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome

Numbers = dict[str, NDArray[np.float64]]
Words = dict[str, NDArray[np.str_]]

CAUSE_OF = {
    "site": Gap.ENVIRONMENT,
    "lighting": Gap.ENVIRONMENT,
    "lux": Gap.ENVIRONMENT,
    "bin": Gap.EDGE_CASES,
    "packaging": Gap.EDGE_CASES,
    "operator": Gap.CONDITIONS,
    "temperature_c": Gap.CONDITIONS,
    "humidity_percent": Gap.CONDITIONS,
    "film": Gap.CONDITIONS,
    "robot": Gap.HARDWARE,
    "gripper_cycles": Gap.HARDWARE,
    "latency_ms": Gap.INFRASTRUCTURE,
}
"""Cause that a column represents; no column represents timing, labels or simulation."""
COUNTERS = ("gripper_cycles",)
"""Columns that only grow, so that they always drift."""


def words(outcomes: Sequence[Outcome]) -> Words:
    """Return conditions and the robot, a column each."""
    rows = [{**outcome.stratum.levels, "robot": outcome.robot} for outcome in outcomes]
    return {name: np.array([row.get(name, "") for row in rows]) for name in rows[0] if name in CAUSE_OF}


def numbers(outcomes: Sequence[Outcome]) -> Numbers:
    """Return telemetry, a column each; NaN where it was not logged."""
    found: dict[str, list[float]] = {name: [] for name, _ in outcomes[0].facts}
    found["latency_ms"] = []
    for outcome in outcomes:
        facts = dict(outcome.facts)
        facts["latency_ms"] = np.nan if outcome.latency_ms is None else outcome.latency_ms
        for name, column in found.items():
            column.append(facts.get(name, np.nan))
    return {name: np.array(column) for name, column in found.items() if name in CAUSE_OF}

"""The drift of each sensor's clock against the arrival clock, and whether all sensors drift alike."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.signals.latency import Latency, measure_latencies
from fieldloop.model.stream import NS_PER_MS, NS_PER_S, Stream
from fieldloop.stats.quantile import compute_median

CHECK = "timing.clock_drift"


class Drift(NamedTuple):
    """The drift from the episode's start to its end, and half the width of its interval.

    `shared`: all sensors drift alike. `other_time`: the two clocks count another time, such as simulated time.
    """

    ms: float
    reach_ms: float
    shared: bool = False
    other_time: bool = False

    @property
    def may_be_due_to_arrival_clock(self) -> bool:
        """May the arrival clock be the one that differs?"""
        return self.shared or self.other_time


def estimate_clock_drifts(case: Case) -> Mapping[str, Drift | None]:
    """Return the drift of each stream with two clocks; None where it has too few samples. Computed once."""
    return case.compute_once("drifts", lambda: _compute_clock_drifts(case))


def _compute_clock_drifts(case: Case) -> dict[str, Drift | None]:
    found: dict[str, Drift | None] = {}
    for stream, latency in measure_latencies(case):
        drift = _fit_clock_drift(case, latency.took_ns)
        found[stream.name] = drift and drift._replace(other_time=_count_different_time(case, stream, latency, drift))
    known = [drift for drift in found.values() if drift]
    several = len(known) > 1
    alike = several and max(d.ms - d.reach_ms for d in known) <= min(d.ms + d.reach_ms for d in known)
    return {name: drift and drift._replace(shared=alike) for name, drift in found.items()}


def _count_different_time(case: Case, stream: Stream, latency: Latency, drift: Drift) -> bool:
    """Do the two clocks count from different origins, or at a pace that no two clocks of one time differ by?"""
    origins_ns = case.read_parameter("timing.stamped_ahead", "same_clock_s") * NS_PER_S
    took_ms = float(np.ptp(stream.clocks[latency.arrival])) / NS_PER_MS
    apart = abs(compute_median(latency.took_ns)) > origins_ns
    return apart or abs(drift.ms) > case.read_parameter(CHECK, "same_pace") * took_ms


def _fit_clock_drift(case: Case, latencies_ns: NDArray[np.int64]) -> Drift | None:
    parts = int(case.read_parameter(CHECK, "parts"))
    if len(latencies_ns) < parts * case.read_parameter(CHECK, "fewest_a_part"):
        return None
    shortest = np.asarray([part.min() for part in np.array_split(latencies_ns, parts)]) / NS_PER_MS
    along = (np.arange(parts) + 0.5) / parts - 0.5  # the middle of each part, as a share of the episode
    slope = float(along @ (shortest - shortest.mean()) / (along @ along))
    rest = shortest - shortest.mean() - slope * along
    error = float(np.sqrt(rest @ rest / (parts - 2) / (along @ along)))
    return Drift(slope, case.read_parameter(CHECK, "deviations") * error)

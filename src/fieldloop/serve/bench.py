"""How long does a policy take to answer? Warm-up first, then enough calls for a p99."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.decision import Latency
from fieldloop.model.identity import Clock
from fieldloop.model.policy import Observation, Policy
from fieldloop.model.stream import NS_PER_MS
from fieldloop.protocol import Section


def benchmark_latency(policy: Policy, observation: Observation, settings: Section, clock: Clock) -> Latency:
    """Call a policy `warm_up_calls` + `benchmark_calls` times, end to end, by the clock handed in.

    Settings: the section `serve`. Percentiles are calls that really happened, never an average of two.
    """
    calls = int(settings["benchmark_calls"])
    if calls < 1:
        raise BadInput(f"serve.benchmark_calls = {calls}: a latency needs at least one call.")
    for _ in range(int(settings["warm_up_calls"])):
        policy.act(observation)
    took = np.empty(calls)
    for n in range(calls):
        began = clock()
        policy.act(observation)
        took[n] = (clock() - began) / NS_PER_MS
    return summarise_latency(took)


def summarise_latency(answer_times_ms: NDArray[np.float64]) -> Latency:
    """Summarise answer times, at least one.

    >>> summarise_latency(np.asarray([3.0, 1.0, 2.0])).p50_ms
    2.0
    """
    p50, p95, p99 = np.percentile(answer_times_ms, (50, 95, 99), method="inverted_cdf")
    return Latency(len(answer_times_ms), float(p50), float(p95), float(p99), float(answer_times_ms.max()))

"""How long does a policy take to answer? Warm-up first, then enough calls for a p99."""

import math

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput
from fieldloop.model.decision import Latency
from fieldloop.model.identity import Clock
from fieldloop.model.policy import Observation, Policy
from fieldloop.model.stream import NS_PER_MS
from fieldloop.protocol import Section
from fieldloop.serve.engine import BatchEngine


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


def benchmark_under_load(
    policy: Policy, observation: Observation, settings: Section, clock: Clock, clients: int
) -> Latency:
    """Measure how long each of several robots waits that ask at the same moment: the worst case of production load.

    A policy that answers several robots in one pass does so; any other answers them one after the other. At least
    `benchmark_calls` calls are timed. Settings: the section `serve`.
    """
    if clients < 1:
        raise BadInput(f"{clients} clients: a latency needs at least one robot that asks.")
    if clients == 1:
        return benchmark_latency(policy, observation, settings, clock)
    calls, warm = int(settings["benchmark_calls"]), int(settings["warm_up_calls"])
    if calls < 1:
        raise BadInput(f"serve.benchmark_calls = {calls}: a latency needs at least one call.")
    for _ in range(math.ceil(warm / clients)):
        _measure_round(policy, observation, clients, clock)
    took = [_measure_round(policy, observation, clients, clock) for _ in range(math.ceil(calls / clients))]
    return summarise_latency(np.concatenate(took))


def _measure_round(policy: Policy, observation: Observation, clients: int, clock: Clock) -> NDArray[np.float64]:
    """Return how long each robot waited, in ms, when all asked at once."""
    began = clock()
    if isinstance(policy, BatchEngine):
        policy.act_together([observation] * clients)
        return np.full(clients, (clock() - began) / NS_PER_MS)
    waited = np.empty(clients)
    for n in range(clients):
        policy.act(observation)
        waited[n] = (clock() - began) / NS_PER_MS
    return waited


def summarise_latency(answer_times_ms: NDArray[np.float64]) -> Latency:
    """Summarise answer times, at least one.

    >>> summarise_latency(np.asarray([3.0, 1.0, 2.0])).p50_ms
    2.0
    """
    p50, p95, p99 = np.percentile(answer_times_ms, (50, 95, 99), method="inverted_cdf")
    return Latency(len(answer_times_ms), float(p50), float(p95), float(p99), float(answer_times_ms.max()))

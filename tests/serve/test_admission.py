"""A slow policy is kept out, and a p99 from a handful of calls convinces nobody."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.model.decision import Latency
from fieldloop.model.finding import Status
from fieldloop.model.policy import Action, Observation
from fieldloop.protocol import default_operations
from fieldloop.serve import benchmark_latency, benchmark_under_load, judge_latency_limit

GATE = default_operations()["gate"]


def latency(p99, calls=1000):
    return Latency(calls, 1.0, 2.0, p99, p99 + 1)


@pytest.mark.parametrize(
    ("p99", "hz", "status", "limit"),
    [
        (100.0, 5.0, Status.PASSED, 100.0),  # 0.8 × 200 ms is more than 100 ms
        (100.1, 5.0, Status.FAILED, 100.0),
        (80.0, 10.0, Status.PASSED, 80.0),  # 0.8 × 100 ms
        (80.1, 10.0, Status.FAILED, 80.0),
        (16.1, 50.0, Status.FAILED, 16.0),
        (float("nan"), 10.0, Status.CANNOT_TELL, 80.0),
    ],
)
def test_the_limit_is_the_smaller_of_100_ms_and_four_fifths_of_the_period(p99, hz, status, limit):
    finding = judge_latency_limit(latency(p99), hz, GATE)
    assert finding.status is status
    assert finding.maximum == pytest.approx(limit)


def test_what_was_not_measured_is_not_admitted():
    assert judge_latency_limit(None, 10.0, GATE).status is Status.CANNOT_TELL
    assert judge_latency_limit(latency(1.0), 0.0, GATE).status is Status.CANNOT_TELL
    assert judge_latency_limit(latency(1.0), float("nan"), GATE).status is Status.CANNOT_TELL


def test_few_calls_cannot_pass_but_can_fail():
    assert judge_latency_limit(latency(1.0, calls=298), 10.0, GATE).status is Status.CANNOT_TELL
    assert judge_latency_limit(latency(1.0, calls=299), 10.0, GATE).status is Status.PASSED
    assert judge_latency_limit(latency(500.0, calls=10), 10.0, GATE).status is Status.FAILED


def test_299_calls_are_the_fewest_that_show_the_slowest_hundredth():
    assert 0.99**299 < 0.05 < 0.99**298


class Timed:
    """A policy that takes the times it is told, by a clock of its own."""

    def __init__(self, times_ms):
        self.now, self.times, self.calls = 0, iter(times_ms), 0

    def act(self, _observation):
        self.now += round(next(self.times) * 1e6)
        self.calls += 1
        return Action((), np.zeros(0))


@given(st.lists(st.floats(0.1, 1000), min_size=60, max_size=80))
def test_percentiles_are_those_of_the_calls_after_warm_up(times):
    warm, calls = 50, len(times) - 50
    settings = default_operations()["serve"].replace_values(warm_up_calls=warm, benchmark_calls=calls)
    policy = Timed(times)
    found = benchmark_latency(policy, Observation(0, {}, {}), settings, lambda: policy.now)
    ordered = sorted(times[warm:])
    assert policy.calls == len(times)
    assert found.calls == calls
    assert found.max_ms == pytest.approx(ordered[-1], abs=1e-5)
    assert found.p50_ms == pytest.approx(ordered[int(np.ceil(calls * 0.5)) - 1], abs=1e-5)
    assert found.p99_ms == pytest.approx(ordered[int(np.ceil(calls * 0.99)) - 1], abs=1e-5)


class InOnePass(Timed):
    """The same for a policy that answers several robots in one pass."""

    bundle = None

    def act_together(self, observations):
        return [self.act(observations[0])] * len(observations)


def measure_load(policy, clients, calls):
    settings = default_operations()["serve"].replace_values(warm_up_calls=4, benchmark_calls=calls)
    return benchmark_under_load(policy, Observation(0, {}, {}), settings, lambda: policy.now, clients)


def test_under_load_each_robot_waits_for_those_before_it():
    found = measure_load(Timed([2.0] * 100), clients=4, calls=20)
    assert (found.calls, found.p50_ms, found.max_ms) == (20, 4.0, 8.0)  # 2, 4, 6, 8 ms in every round


def test_under_load_a_policy_that_batches_is_as_fast_for_four_as_for_one():
    policy = InOnePass([2.0] * 100)
    found = measure_load(policy, clients=4, calls=18)
    assert (found.calls, found.p50_ms, found.max_ms, policy.calls) == (20, 2.0, 2.0, 6)


def test_no_client_is_no_load():
    with pytest.raises(BadInput, match="at least one robot"):
        measure_load(Timed([]), clients=0, calls=1)


def test_no_calls_are_no_latency():
    with pytest.raises(BadInput, match="at least one call"):
        benchmark_latency(
            Timed([]),
            Observation(0, {}, {}),
            default_operations()["serve"].replace_values(benchmark_calls=0),
            lambda: 0,
        )

"""Before a policy is served it answers calls through a socket; robots refuse one that was too slow."""

import dataclasses

import numpy as np
import pytest
from tests.serve.running import CARD, SETTINGS, Numbered, run_app

from fieldloop.errors import BadInput, Refused
from fieldloop.model.decision import Latency
from fieldloop.model.finding import Status
from fieldloop.model.policy import Observation
from fieldloop.protocol import default_operations
from fieldloop.serve.admission import judge_policy_latency
from fieldloop.serve.rehearsal import measure_through_socket
from fieldloop.serve.server import make_app
from fieldloop.serve.versions import Roster
from fieldloop_robot.client import PolicyClient, PolicyRefused

GATE = default_operations()["gate"]
FEW = SETTINGS.replace_values(benchmark_calls=20, warm_up_calls=4)
CHUNKING = dataclasses.replace(CARD, control_hz=50.0, max_delay_steps=3)


def test_several_robots_ask_at_once_through_a_socket():
    engine = Numbered(1, think_s=0.005)
    found = measure_through_socket(engine, FEW, robots=2)
    assert found.calls == 20
    assert found.p50_ms >= 5.0
    assert found.p95_ms >= 10.0, "the second robot waits for the first"
    assert len(engine.seen) == 1 + 4 + 20  # the dummy inference, warm-up, calls


def test_a_policy_that_refuses_a_blank_observation_is_not_served():
    class Picky(Numbered):
        def act(self, _observation):
            raise BadInput("The gripper is closed.")

    with pytest.raises(Refused, match="failed its rehearsal: The gripper is closed"):
        measure_through_socket(Picky(1), FEW, robots=1)


@pytest.mark.parametrize(
    ("p99", "status", "limit"),
    [(40.0, Status.PASSED, 60.0), (60.0, Status.PASSED, 60.0), (60.1, Status.FAILED, 60.0)],
)
def test_a_policy_that_continues_chunks_is_judged_by_the_delay_it_was_trained_for(p99, status, limit):
    found = judge_policy_latency(Latency(1000, 1.0, 2.0, p99, p99), CHUNKING, GATE)
    assert (found.status, found.maximum) == (status, pytest.approx(limit))
    assert found.reason.code == ("serve.delay" if status is Status.FAILED else "serve.latency")


def test_the_delay_does_not_lift_the_limit_in_milliseconds():
    patient = dataclasses.replace(CHUNKING, max_delay_steps=12)
    assert judge_policy_latency(Latency(1000, 1.0, 2.0, 101.0, 101.0), patient, GATE).status is Status.FAILED
    assert judge_policy_latency(None, patient, GATE).status is Status.CANNOT_TELL


def test_a_policy_without_chunks_is_judged_by_the_share_of_its_period():
    card = dataclasses.replace(CARD, control_hz=50.0)
    assert judge_policy_latency(Latency(1000, 1.0, 2.0, 40.0, 40.0), card, GATE).maximum == pytest.approx(16.0)


@pytest.mark.parametrize(
    ("replan_steps", "limit", "code"),
    [
        (None, 80 / 3, "latency"),
        (1, 80 / 3, "latency"),
        (2, 160 / 3, "latency_of_chunks"),
        (4, 100.0, "latency_of_chunks"),
    ],
)
def test_the_period_that_counts_is_the_time_between_two_inferences(replan_steps, limit, code):
    card = dataclasses.replace(CARD, control_hz=30.0, replan_steps=replan_steps)
    for p99, status in ((limit - 0.01, Status.PASSED), (limit + 0.01, Status.FAILED)):
        found = judge_policy_latency(Latency(1000, 1.0, 2.0, p99, p99), card, GATE)
        assert (found.status, found.maximum) == (status, pytest.approx(limit))
        assert found.reason.code == f"serve.{code}"


def serve_measured(p99_ms):
    roster = Roster(SETTINGS, lambda: 0)
    roster.add(Numbered(1), Latency(1000, 1.0, 2.0, p99_ms, p99_ms), 80.0)
    return run_app(make_app(roster, SETTINGS))


SEEN = Observation(1, {"images/cam_high": np.zeros((4, 5, 3), np.uint8)}, {"state": np.zeros(3)}, "pick")


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_robot_refuses_a_policy_whose_p99_is_above_the_limit(scheme):
    with serve_measured(81.0) as port, PolicyClient(f"{scheme}://127.0.0.1:{port}", timeout_s=10) as client:
        for _ in range(2):
            with pytest.raises(PolicyRefused, match=r"latency is 81\.0 ms, above the gate's limit of 80 ms"):
                client.act(SEEN)


def test_a_robot_gets_the_whole_chunk_and_measures_the_way_itself():
    with serve_measured(20.0) as port, PolicyClient(f"ws://127.0.0.1:{port}", timeout_s=10, robot="arm-1") as client:
        client.begin_episode("e1")
        answer = client.act(SEEN, deadline_ms=5000)
        assert (answer.chunk.shape, answer.values.tolist()) == ((4, 2), [1.0, 1.0])
        assert client.check_latency(calls=10) > 0

"""A robot's client and a policy server on a real port."""

import socket

import numpy as np
import pytest
from tests.serve.hand_made_policy import NAMES, expected
from tests.serve.running import run_engine
from websockets.sync.client import connect

from fieldloop.model.policy import Observation
from fieldloop_robot import wire
from fieldloop_robot.client import PolicyClient, PolicyRefused, PolicyUnavailable


@pytest.fixture(scope="module")
def port(engine):
    with run_engine(engine) as opened:
        yield opened


def observation(seed=3):
    rng = np.random.default_rng(seed)
    pictures = {
        "camera/overhead": rng.integers(0, 256, (8, 10, 3), dtype=np.uint8),
        "depth/overhead": rng.random((8, 10), dtype=np.float32),
    }
    return Observation(5, pictures, {"joints": rng.normal(size=6)})


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_the_client_answers_what_the_policy_answers(port, engine, scheme):
    with PolicyClient(f"{scheme}://127.0.0.1:{port}", timeout_s=10) as client:
        for seed in range(3):
            seen = observation(seed)
            action = client.act(seen)
            values, confidence = expected(*seen.pictures.values(), seen.signals["joints"])
            np.testing.assert_allclose(action.values, values, rtol=1e-4, atol=1e-5)
            assert action.names == NAMES
            assert action.confidence == pytest.approx(confidence, abs=1e-6)
            assert action.latency_ms > 0
        assert client.metadata()["policy"] == engine.bundle.policy
        assert client.act(observation()).policy == engine.bundle.policy


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_a_refused_observation_does_not_end_the_connection(port, scheme):
    with PolicyClient(f"{scheme}://127.0.0.1:{port}", timeout_s=10) as client:
        with pytest.raises(PolicyRefused, match="lacks camera/overhead"):
            client.act(Observation(0, {}, {"joints": np.zeros(6)}))
        assert client.act(observation()).names == NAMES


def test_metadata_over_a_fresh_socket(port, engine):
    with PolicyClient(f"ws://127.0.0.1:{port}", timeout_s=10) as client:
        assert client.metadata()["policy"] == engine.bundle.policy


def test_a_client_that_speaks_openpis_framing_at_the_root_path(port):
    with connect(f"ws://127.0.0.1:{port}", compression=None, max_size=None, proxy=None) as line:
        assert "action_names" in wire.unpack(line.recv())
        seen = observation()
        line.send(wire.pack({**seen.pictures, **seen.signals, "prompt": "pick the box"}))
        assert wire.unpack(line.recv())["actions"].shape == (1, 6)


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_no_listener_is_unavailable(scheme):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        free = closed.getsockname()[1]
    with PolicyClient(f"{scheme}://127.0.0.1:{free}", timeout_s=5) as client:
        with pytest.raises(PolicyUnavailable, match=r"127\.0\.0\.1"):
            client.act(observation())
        with pytest.raises(PolicyUnavailable):
            client.metadata()


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_silence_is_unavailable_after_the_timeout(scheme):
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        PolicyClient(f"{scheme}://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.1) as client,
        pytest.raises(PolicyUnavailable, match=r"timeout 0\.1 s"),
    ):
        client.act(observation())


@pytest.mark.parametrize("url", ["ftp://host", "host:80", "http://"])
def test_a_url_that_is_none_is_refused(url):
    with pytest.raises(PolicyUnavailable, match="neither http"):
        PolicyClient(url)

"""kill -9 of the server in mid-episode: the robot notices in time, holds, and goes on when the server is back."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fieldloop.model.policy import Observation
from fieldloop_robot.client import PolicyClient, PolicyUnavailable

pytestmark = pytest.mark.soak

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


def start(port):
    return subprocess.Popen([sys.executable, "-m", "tests.serve.serve_alone", str(port)], cwd=ROOT)


def step(client):
    """What a robot does in one control period: act, or hold."""
    seen = Observation(1, {"images/cam_high": np.zeros((4, 5, 3), np.uint8)}, {"state": np.zeros(3)}, "pick")
    try:
        return client.act(seen).values.tolist()
    except PolicyUnavailable:
        return "hold"


def step_until(client, wanted):
    until = time.monotonic() + PATIENCE_S
    done = []
    while time.monotonic() < until:
        done.append(step(client))
        if done[-1] == wanted:
            return done
        time.sleep(0.05)
    raise AssertionError(f"never {wanted}: {done[-3:]}")


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_a_robot_holds_while_its_server_is_gone_and_goes_on_when_it_is_back(scheme):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with PolicyClient(f"{scheme}://127.0.0.1:{port}", timeout_s=1.0, robot="arm-1") as client:
        client.begin_episode("e1")
        assert step(client) == "hold", "no server yet"
        for _ in range(2):
            server = start(port)
            try:
                step_until(client, [1.0, 1.0])
                assert [step(client) for _ in range(5)] == [[1.0, 1.0]] * 5
            finally:
                server.send_signal(signal.SIGKILL)
                server.wait(PATIENCE_S)
            began = time.monotonic()
            assert step(client) == "hold"
            assert time.monotonic() - began < 5, "the robot must not wait for a server that is gone"


def test_a_robot_holds_while_its_server_hangs():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    server = start(port)
    try:
        with PolicyClient(f"ws://127.0.0.1:{port}", timeout_s=0.5) as client:
            step_until(client, [1.0, 1.0])
            server.send_signal(signal.SIGSTOP)
            assert [step(client) for _ in range(3)] == ["hold"] * 3
            server.send_signal(signal.SIGCONT)
            step_until(client, [1.0, 1.0])
    finally:
        server.kill()
        server.wait(PATIENCE_S)

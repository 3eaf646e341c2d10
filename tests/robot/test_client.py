"""A client never takes a late answer for the next one, and finds its way back after the line drops."""

import contextlib
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from fieldloop_robot import wire
from fieldloop_robot.client import PolicyClient, PolicyRefused, PolicyUnavailable

SEEN = SimpleNamespace(at_ns=1, pictures={}, signals={"joints": np.zeros(3)})


@contextlib.contextmanager
def serving(handler):
    with serve(handler, "127.0.0.1", 0, compression=None) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


def reply(value, **more):
    return wire.pack({"actions": np.array([[value]]), **more})


def test_a_late_answer_is_not_taken_for_the_next_one():
    late, connections = threading.Event(), []

    def handler(line):
        connections.append(line)
        line.send(wire.pack({"action_names": ["x"]}))
        with contextlib.suppress(ConnectionClosed):
            line.recv()
            if len(connections) == 1:
                late.wait()
                line.send(reply(-1.0))
            line.send(reply(2.0))
            line.recv()

    with serving(handler) as url, PolicyClient(url, timeout_s=0.2) as client:
        with pytest.raises(PolicyUnavailable, match="no answer in time"):
            client.act(SEEN)
        late.set()
        assert client.act(SEEN).values == [2.0]
    assert len(connections) == 2


def test_a_line_that_dropped_is_opened_again_within_the_same_call():
    def handler(line):
        line.send(wire.pack({}))
        line.recv()
        line.send(reply(1.0, action_names=["x"], confidence=0.8, policy="p", server_timing={"infer_ms": 3.0}))
        line.close()

    with serving(handler) as url, PolicyClient(url, timeout_s=5) as client:
        for _ in range(3):
            answer = client.act(SEEN)
            assert (answer.names, answer.confidence, answer.policy, answer.server_ms) == (("x",), 0.8, "p", 3.0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("Traceback: out of memory", "out of memory"),
        (b"\xc1", "cannot be read"),
        (wire.pack({"other": 1}), "holds no actions, only other"),
        (wire.pack({"actions": np.zeros((0, 2))}), "holds no actions"),
        (wire.pack({"actions": "up"}), "holds no actions"),
        (wire.pack({"actions": np.zeros((1, 2)), "action_names": ["x"]}), "2 values came for 1 action names"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer, message):
    def handler(line):
        line.send(wire.pack({}))
        with contextlib.suppress(ConnectionClosed):
            line.recv()
            line.send(answer)
            line.recv()

    with serving(handler) as url, PolicyClient(url, timeout_s=5) as client, pytest.raises(PolicyRefused, match=message):
        client.act(SEEN)

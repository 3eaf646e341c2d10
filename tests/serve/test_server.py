"""The server answers what the engine answers, and no bad request takes it down."""

import threading

import msgpack
import numpy as np
import pytest
from tests.serve.hand_made_policy import NAMES, expected

from fieldloop.model.policy import Action
from fieldloop_robot import wire

MSGPACK = {"content-type": "application/msgpack"}


def message(**changes):
    rng = np.random.default_rng(7)
    return {
        "camera/overhead": rng.integers(0, 256, (8, 10, 3), dtype=np.uint8),
        "depth/overhead": rng.random((8, 10), dtype=np.float32),
        "joints": rng.normal(size=6),
    } | changes


def truth():
    seen = message()
    return expected(*seen.values())


@pytest.fixture
def client(engine, served):
    with served(engine) as opened:
        yield opened


def test_act_answers_msgpack_with_msgpack(client, engine):
    response = client.post("/act", content=wire.pack(message()), headers=MSGPACK)
    reply = wire.unpack(response.content)
    np.testing.assert_allclose(reply["actions"], truth()[0][np.newaxis], rtol=1e-4, atol=1e-5)
    assert reply["action_names"] == list(NAMES)
    assert reply["confidence"] == pytest.approx(truth()[1], abs=1e-6)
    assert reply["policy"] == engine.bundle.policy
    assert reply["server_timing"]["infer_ms"] > 0


def test_act_answers_json_with_json(client):
    asked = {name: value.tolist() for name, value in message().items()}
    reply = client.post("/act", json=asked).json()
    np.testing.assert_allclose(reply["actions"][0], truth()[0], rtol=1e-4, atol=1e-5)


def test_what_the_policy_does_not_want_is_left_aside(client):
    assert client.post("/act", content=wire.pack(message(prompt="pick")), headers=MSGPACK).status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "title", "detail"),
    [
        (wire.pack({"joints": np.zeros(6)}), 422, "BadInput", "lacks camera/overhead, depth/overhead; it holds joints"),
        (wire.pack(message(joints=np.zeros(5))), 422, "BadInput", "'joints' has the shape"),
        (wire.pack(message(at_ns="now")), 422, "BadInput", "not a valid time in nanoseconds"),
        (b"\xc1\xc1", 400, "WireError", "not a msgpack message"),
        (b"", 400, "WireError", "not a msgpack message"),
        (msgpack.packb({"a": {b"__ndarray__": True, b"dtype": "|O"}}), 400, "WireError", "cannot be sent"),
    ],
)
def test_a_bad_request_is_explained_and_the_next_one_served(client, body, status, title, detail):
    response = client.post("/act", content=body, headers=MSGPACK)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["title"] == title
    assert detail in response.json()["detail"]
    assert client.post("/act", content=wire.pack(message()), headers=MSGPACK).status_code == 200


@pytest.mark.parametrize(
    ("value", "detail"),
    [([1.5] * 240, "not uint8"), ([[300]], "not uint8"), ("no", "not an array"), ([[1], [1, 2]], "not an array")],
)
def test_json_numbers_are_never_rounded_or_wrapped(client, value, detail):
    asked = {name: v.tolist() for name, v in message().items()} | {"camera/overhead": value}
    response = client.post("/act", json=asked)
    assert response.status_code == 422
    assert detail in response.json()["detail"]


@pytest.mark.parametrize("body", ["{", "[1]", "3"])
def test_json_that_is_no_object_is_refused(client, body):
    assert client.post("/act", content=body, headers={"content-type": "application/json"}).status_code == 422


def test_a_request_that_is_too_large_is_refused(engine, settings, served):
    with served(engine, settings.replace_values(max_request_mb=0.001)) as client:
        response = client.post("/act", content=bytes(2000), headers=MSGPACK)
        assert response.status_code == 413
        assert "more than 1048 bytes" in response.json()["detail"]


def test_metadata_says_which_policy_this_is(client, engine):
    card = client.get("/metadata").json()
    assert card["policy"] == engine.bundle.policy
    assert [i["name"] for i in card["inputs"]] == ["camera/overhead", "depth/overhead", "joints"]
    assert (card["action_names"], card["control_hz"]) == (list(NAMES), 10.0)


def test_the_socket_greets_with_metadata_and_answers_until_the_client_leaves(client, engine):
    for path in ("/ws", "/"):
        with client.websocket_connect(path) as socket:
            assert wire.unpack(socket.receive_bytes())["policy"] == engine.bundle.policy
            socket.send_bytes(b"\xc1")
            assert "not a msgpack message" in socket.receive_text()
            socket.send_text("hello")
            assert "not as text" in socket.receive_text()
            socket.send_bytes(wire.pack({}))
            assert "lacks camera/overhead" in socket.receive_text()
            for _ in range(3):
                socket.send_bytes(wire.pack(message()))
                reply = wire.unpack(socket.receive_bytes())
                np.testing.assert_allclose(reply["actions"][0], truth()[0], rtol=1e-4, atol=1e-5)


class Scripted:
    """An engine that does what the test says."""

    def __init__(self, bundle, act):
        self.bundle, self._act = bundle, act

    def act(self, observation):
        return self._act(observation)


def answer(values=(0.0,) * 6):
    return Action(NAMES, np.array(values), 0.9, None)


def test_health_is_cached_and_follows_the_policy(engine, served):
    calls, now = [], [0]

    def act(_observation):
        now[0] += 2_000_000
        calls.append(1)
        if len(calls) == 2:
            raise RuntimeError("out of memory")
        return answer()

    with served(Scripted(engine.bundle, act), clock=lambda: now[0]) as client:
        assert client.get("/readyz").status_code == 200
        first = client.get("/health")
        assert (first.status_code, first.json()["status"], first.json()["latency_ms"]) == (200, "passed", 2.0)
        assert client.get("/health").json() == first.json()
        assert len(calls) == 1  # five seconds are not over
        now[0] += 6_000_000_000
        second = client.get("/health")
        assert (second.status_code, second.json()["status"]) == (503, "errored")
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200
        now[0] += 6_000_000_000
        assert client.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("act", "detail"),
    [
        (lambda _: answer((0, 0, np.nan, 0, 0, 0)), "not finite"),
        (lambda _: 1 / 0, "The policy raised an error: ZeroDivisionError"),
    ],
)
def test_a_policy_that_breaks_gives_an_error_answer_without_its_traceback(engine, served, act, detail):
    with served(Scripted(engine.bundle, act)) as client:
        response = client.post("/act", content=wire.pack(message()), headers=MSGPACK)
        assert (response.status_code, response.json()["title"]) == (500, "PolicyFault")
        assert detail in response.json()["detail"]
        assert "Traceback" not in response.text
        with client.websocket_connect("/ws") as socket:
            socket.receive_bytes()
            socket.send_bytes(wire.pack(message()))
            assert detail in socket.receive_text()


def test_a_number_that_is_not_finite_in_the_observation_is_not_blamed_on_the_policy(engine, served):
    with served(Scripted(engine.bundle, lambda seen: answer(seen.signals["joints"]))) as client:
        torn = message(joints=np.array([0.0, np.nan, 0, 0, 0, 0]))
        response = client.post("/act", content=wire.pack(torn), headers=MSGPACK)
        assert (response.status_code, response.json()["title"]) == (422, "BadInput")
        assert "joints of the observation holds numbers that are not finite" in response.json()["detail"]
        assert client.post("/act", content=wire.pack(message()), headers=MSGPACK).status_code == 200


def test_a_stuck_policy_is_reported_and_later_requests_are_reported_at_once(engine, settings, served):
    release = threading.Event()
    first = [True]

    def act(_observation):
        if not first[0]:
            release.wait()
        first[0] = False
        return answer()

    quick = settings.replace_values(answer_timeout_s=0.05, max_waiting=1)
    with served(Scripted(engine.bundle, act), quick) as client:
        stuck = client.post("/act", content=wire.pack(message()), headers=MSGPACK)
        busy = client.post("/act", content=wire.pack(message()), headers=MSGPACK)
        assert (stuck.status_code, busy.status_code) == (500, 503)
        assert "did not answer within" in stuck.json()["detail"]
        assert client.get("/livez").status_code == 200
        text = client.get("/metrics").text
        release.set()
    assert 'door="http",result="busy"} 1' in text
    assert 'door="http",result="failed"} 1' in text


def test_inference_runs_in_one_thread_of_its_own(engine, served):
    threads = set()

    def act(_observation):
        threads.add(threading.current_thread().name)
        return answer()

    with served(Scripted(engine.bundle, act)) as client:
        for _ in range(5):
            client.post("/act", content=wire.pack(message()), headers=MSGPACK)
    assert len(threads) == 1
    assert threads.pop().startswith("policy")


def test_metrics_count_what_happened(client):
    for body in (wire.pack(message()), wire.pack(message()), b""):
        client.post("/act", content=body, headers=MSGPACK)
    with client.websocket_connect("/ws") as socket:
        socket.receive_bytes()
        socket.send_bytes(wire.pack(message()))
        socket.receive_bytes()
    text = client.get("/metrics").text
    assert 'door="http",result="answered"} 2' in text
    assert 'door="http",result="refused"} 1' in text
    assert 'door="ws",result="answered"} 1' in text
    assert "fieldloop_policy_inference_ms_count" in text
    assert 'quantile="0.99"' in text
    assert client.get("/health").json()["real_calls"]["calls"] == 3

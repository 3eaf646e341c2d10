"""Who is served: this machine, holders of tokens, and no page of another site; large and stalled bodies are refused."""

import asyncio
import contextlib
import socket
import threading
import time
from contextlib import ExitStack

import pytest
from starlette.testclient import WebSocketDenialResponse
from tests.serve.conftest import LoopbackClient
from tests.serve.running import SETTINGS, Loads, Numbered, run_engine, see
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from fieldloop.errors import Refused
from fieldloop.model.person import Actor, Role
from fieldloop.serve.access import Access
from fieldloop.serve.doors.parts import House
from fieldloop.serve.refusals import Busy, NoToken
from fieldloop.serve.server import make_app, make_roster
from fieldloop_robot import wire

MSGPACK = {"content-type": "application/msgpack"}
ROLES = {"robots": Role.ROBOT, "engineers": Role.ENGINEER, "annotators": Role.ANNOTATOR}
ABROAD = ("192.0.2.7", 4000)


def find_actor(secret):
    if secret not in ROLES:
        raise Refused("This token is unknown or was revoked.")
    return Actor(f"who-{secret}", ROLES[secret])


@pytest.fixture
def abroad():
    app = make_app(make_roster(Numbered(1), SETTINGS), SETTINGS, Access(find_actor), Loads(Numbered(2)))
    with LoopbackClient(app, client=ABROAD) as client:
        yield client


def bearer(secret, scheme="Bearer"):
    return {"authorization": f"{scheme} {secret}"}


def test_beyond_loopback_every_request_needs_a_token(abroad):
    for path in ("/metadata", "/health", "/metrics", "/v1/policies"):
        assert abroad.get(path).status_code == 401
        assert abroad.get(path, headers=bearer("robots")).status_code == 200
    assert abroad.get("/livez").status_code == abroad.get("/healthz").status_code == 200
    body = wire.pack(see())
    assert abroad.post("/act", content=body, headers=MSGPACK).status_code == 401
    assert abroad.post("/act", content=body, headers=MSGPACK | bearer("robots", "Api-Key")).status_code == 200
    assert abroad.post("/act", content=body, headers=MSGPACK | bearer("annotators")).status_code == 403
    assert abroad.post("/act", content=body, headers=MSGPACK | bearer("guessed")).status_code == 401


@pytest.mark.parametrize(("headers", "status"), [({}, 401), (bearer("guessed"), 401), (bearer("annotators"), 403)])
def test_a_socket_without_a_valid_token_is_denied(abroad, headers, status):
    with pytest.raises(WebSocketDenialResponse) as denied, abroad.websocket_connect("/", headers=headers):
        pass
    assert denied.value.status_code == status
    with abroad.websocket_connect("/", headers=bearer("robots", "Api-Key")) as line:
        assert wire.unpack(line.receive_bytes())["policy"] == "1" * 64


def test_a_token_that_is_revoked_ends_on_an_open_socket():
    known = {"robots"}

    def find(secret):
        if secret not in known:
            raise Refused("This token is unknown or was revoked.")
        return Actor("arm-1", Role.ROBOT)

    app = make_app(make_roster(Numbered(1), SETTINGS), SETTINGS.replace_values(token_cache_s=0.0), Access(find))
    with LoopbackClient(app, client=ABROAD) as client, client.websocket_connect("/", headers=bearer("robots")) as line:
        line.receive_bytes()
        line.send_bytes(wire.pack(see()))
        assert line.receive_bytes()
        known.clear()
        line.send_bytes(wire.pack(see()))
        assert "revoked" in line.receive_text()


def test_a_robot_may_act_but_not_change_versions(abroad):
    load = {"policy": "p2", "on_behalf_of": "somebody-else"}
    assert abroad.post("/v1/policies", json=load, headers=bearer("robots")).status_code == 403
    assert abroad.post("/v1/policies", json=load, headers=bearer("engineers")).status_code == 200
    assert abroad.post("/v1/policies/p2/activate", json={}, headers=bearer("robots")).status_code == 403
    assert abroad.post("/v1/policies/p2/activate", json={}, headers=bearer("engineers")).status_code == 200


def test_only_a_user_of_this_machine_states_on_whose_behalf():
    for client, actor in ((("127.0.0.1", 1), "ana"), (ABROAD, "who-engineers")):
        control = Loads(Numbered(2))
        app = make_app(make_roster(Numbered(1), SETTINGS), SETTINGS, Access(find_actor), control)
        with LoopbackClient(app, client=client) as line:
            headers = bearer("engineers") if client == ABROAD else {}
            line.post("/v1/policies", json={"policy": "p2", "on_behalf_of": "ana"}, headers=headers)
        assert control.changes[0][2] == actor


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_a_page_of_another_site_reaches_no_policy(served, headers):
    with served(Numbered(1)) as client:
        assert client.post("/act", content=wire.pack(see()), headers=MSGPACK | headers).status_code == 403
        with pytest.raises(WebSocketDenialResponse), client.websocket_connect("/", headers=headers):
            pass
        with client.websocket_connect("/", headers={"origin": "http://127.0.0.1", "host": "127.0.0.1"}) as line:
            assert line.receive_bytes()


def test_a_name_that_points_to_this_machine_is_not_local(served):
    with served(Numbered(1)) as client:
        assert client.get("/metadata", headers={"host": "evil.example"}).status_code == 401
        assert client.get("/metadata", headers={"x-forwarded-for": "192.0.2.7"}).status_code == 401


def test_a_body_that_is_too_large_is_refused_before_it_is_sent():
    small = SETTINGS.replace_values(max_request_mb=0.01)
    with run_engine(Numbered(1), small) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 104858\r\n\r\n")
        assert line.recv(200).startswith(b"HTTP/1.1 413 ")


def test_a_body_that_stops_half_way_is_refused():
    quick = SETTINGS.replace_values(read_timeout_s=0.05)
    with run_engine(Numbered(1), quick) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"POST /act HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf")
        assert line.recv(200).startswith(b"HTTP/1.1 408 ")


def test_a_socket_that_stops_in_mid_message_is_closed_and_frees_its_episode():
    quick = SETTINGS.replace_values(ping_s=0.05)
    with run_engine(Numbered(1), quick) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(
            b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        line.sendall(b"\x82\xfe\x10\x00\x00\x00\x00\x00half")  # 4,096 bytes are announced
        while line.recv(4096):
            pass  # greeting, ping, close


def test_a_client_that_stops_within_its_headers_is_closed_and_others_are_served():
    quick = SETTINGS.replace_values(read_timeout_s=0.3)
    head = b"GET /livez HTTP/1.1\r\nhost: localhost\r\n"
    with ExitStack() as opened:
        port = opened.enter_context(run_engine(Numbered(1), quick))
        silent, halved, twice = (
            opened.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(3)
        )
        halved.sendall(head)
        twice.sendall(head + b"\r\n")
        answered = b""
        while not answered.endswith(b"alive\n"):
            answered += twice.recv(4096)
        twice.sendall(head)  # a second request over the same connection
        for stalled in (silent, halved, twice):
            assert stalled.recv(4096).startswith(b"HTTP/1.1 408")
            assert stalled.recv(4096) == b""
        robot = opened.enter_context(connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None))
        robot.recv()
        time.sleep(0.5)  # longer than headers may take: a socket stays open
        robot.send(wire.pack(see()))
        assert isinstance(robot.recv(timeout=20), bytes)
    quick = SETTINGS.replace_values(ping_s=0.1)
    with run_engine(Numbered(1), quick) as port:
        first, second = (connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None) for _ in range(2))
        with first, second:
            for line in (first, second):
                line.recv(timeout=20)
            first.send(wire.pack(see(robot="arm-1", episode="e1")))
            assert "actions" in wire.unpack(first.recv(timeout=20))
            first.socket.sendall(b"\x82\xfe\x10\x00\x00\x00\x00\x00half")  # 4,096 bytes are announced
            with pytest.raises(ConnectionClosed):
                first.recv(timeout=20)
            second.send(wire.pack(see(robot="arm-2", episode="e1")))
            assert "actions" in wire.unpack(second.recv(timeout=20))


def test_an_episode_of_a_live_socket_is_not_free():
    with run_engine(Numbered(1)) as port, contextlib.ExitStack() as lines:
        answers = []
        for robot in ("arm-1", "arm-2"):
            line = lines.enter_context(connect(f"ws://127.0.0.1:{port}/", compression=None, proxy=None))
            line.recv()
            line.send(wire.pack(see(robot=robot, episode="e1")))
            answers.append(line.recv(timeout=20))
    assert isinstance(answers[0], bytes)
    assert "is run by arm-1" in answers[1]


def test_guessed_tokens_neither_reach_the_store_twice_nor_fill_the_memory():
    asked = []

    def find(secret):
        asked.append(secret)
        return find_actor(secret)

    access = Access(find, 60.0, 60.0, 2)
    for secret in ("robots", "a", "a", "b", "robots", "c", "c"):
        with contextlib.suppress(NoToken):
            access.identify(bearer(secret), ABROAD[0])
    assert asked == ["robots", "a", "b", "c"]
    assert len(access._unknown) == 2
    assert access.recall(bearer("robots"), ABROAD[0]).id == "who-robots"
    assert access.recall(bearer("d"), ABROAD[0]) is None
    with pytest.raises(NoToken, match="unknown or was revoked"):
        access.recall(bearer("c"), ABROAD[0])


def test_a_robot_is_answered_while_guessed_tokens_are_looked_up():
    asked, go = threading.Semaphore(0), threading.Event()

    def find(secret):
        if secret.startswith("guess"):
            asked.release()
            assert go.wait(30)
        return find_actor(secret)

    settings, access = SETTINGS.replace_values(max_waiting=4), Access(find, 0.0, 60.0, 9)

    async def flood():
        house = House(make_roster(Numbered(1), settings), settings, access, Loads())
        assert (await house.identify(bearer("robots"), ABROAD[0])).id == "who-robots"
        guesses = [asyncio.create_task(house.identify(bearer(f"guess-{n}"), ABROAD[0])) for n in range(6)]
        await asyncio.sleep(0)
        assert (await house.identify(bearer("robots"), ABROAD[0])).id == "who-robots"  # looked up again meanwhile
        go.set()
        found = await asyncio.gather(*guesses, return_exceptions=True)
        house.lookups.close()
        return [type(one) for one in found]

    assert asyncio.run(flood()) == [NoToken] * 4 + [Busy] * 2

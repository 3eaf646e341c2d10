"""Versions are loaded, activated and rolled back on a running server by commands, buttons and the rollout."""

import contextlib
import http.client
import json
import time

import pytest
from tests.serve.hand_made_policy import write
from tests.serve.running import run_app

from fieldloop.api.app import build_app
from fieldloop.errors import BadInput, Refused
from fieldloop.loop.run import serve, served
from fieldloop.loop.run.serving_record import ServingRecord, keep_to_rollout
from fieldloop.loop.ship.policy import add_policy
from fieldloop.loop.workspace import create_workspace, open_workspace
from fieldloop.model.decision import Decision, Latency
from fieldloop.model.event import PolicyGated, RolloutMoved
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.person import Actor, Role
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.model.serving import Moved, Serving, ServingMoved
from fieldloop.serve import access
from fieldloop.serve.access import Access
from fieldloop.serve.doors.parts import Change
from fieldloop.serve.server import make_app
from fieldloop.serve.versions import Roster
from fieldloop.ui.mounting import mount_pages

FAST = Latency(1000, 1.0, 2.0, 3.0, 4.0), Finding("serve.latency", NO_SUBJECT, Status.PASSED, 3.0, None, 80.0, "ms")


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A workspace with two versions, of which p1 passed its gate."""
    create_workspace(tmp_path / "w", name="leipzig")
    opened = open_workspace(tmp_path / "w")
    for number, name in enumerate(("p1", "p2")):
        add_policy(opened, name, write(tmp_path / name, name=name, seed=number))
    pass_gate(opened, "p1")
    monkeypatch.setattr(serve, "measure_admission", lambda *_: FAST)
    yield opened
    opened.close()


def id_of(workspace, name):
    return serve.find_policy(workspace, name).id


def pass_gate(workspace, name):
    decision = Decision(
        workspace.ids.new("decision"), id_of(workspace, name), Status.PASSED, (), "f", workspace.clock()
    )
    workspace.write(PolicyGated(decision))


@contextlib.contextmanager
def run_server(workspace, *beside, who=None):
    """Run a server of p1 as `fieldloop serve` does, on a free port."""
    settings = workspace.operations["serve"].replace_values(follow_s=0.01)
    roster = Roster(settings, workspace.clock)
    record = ServingRecord(workspace, "", serve.make_loader(workspace))
    version = record.load(roster, "p1", "", workspace.actor)()
    made = [lambda parts, run=run: run(workspace, record, parts) for run in beside]
    with run_app(make_app(roster, settings, who or Access(), record, made), settings) as port:
        record._address = f"http://127.0.0.1:{port}"
        record.record(roster, Change(Moved.STARTED, version, workspace.actor))
        yield roster, port
    record.record(roster, Change(Moved.STOPPED, roster.in_force, workspace.actor))


def list_changes(workspace):
    recorded = [r for r in workspace.store.read_tail() if type(r.event).__name__ == "ServingMoved"]
    return [(r.actor, r.event.serving.moved.value, r.event.serving.reason, r.event.serving.overrode) for r in recorded]


def test_commands_change_a_running_server_and_each_change_is_on_record(house):
    ana = house.acting_as(Actor("ana", Role.ENGINEER))
    with run_server(house):
        (shown,) = served.list_served_policies(house)
        assert (shown.answers, shown.last_change, [v.name for v in shown.versions]) == (True, Moved.STARTED, ["p1"])
        with pytest.raises(Refused, match="p2 is not served: it was never gated"):
            served.load_served_policy(ana, "p2")
        served.load_served_policy(ana, "p2", override="on the bench")
        changed = served.put_policy_in_force(ana, "p2", reason="a trial")
        assert [(v.name, v.in_force, v.limit_ms) for v in changed.versions] == [("p1", False, 80.0), ("p2", True, 80.0)]
        with pytest.raises(Refused, match="too short as a reason"):
            served.roll_back_served_policy(ana, override="x")
        back = served.roll_back_served_policy(ana, override="it crushes boxes")
        assert [v.suspended for v in back.versions] == ["", "it crushes boxes"]
        assert back.reason == "it crushes boxes"
        with pytest.raises(Refused, match="No version was in force before p1"):
            served.roll_back_served_policy(ana)
    assert list_changes(house) == [
        ("local", "started", "", False), ("ana", "loaded", "on the bench", True),
        ("ana", "activated", "a trial", False),
        ("ana", "rolled back", "it crushes boxes", True), ("local", "stopped", "", False),
    ]  # fmt: skip
    assert served.list_served_policies(house) == ()


def test_without_a_server_there_is_nothing_to_change(house):
    with pytest.raises(Refused, match="No policy server runs"):
        served.roll_back_served_policy(house)
    with pytest.raises(BadInput, match="no policy is named"):
        serve.serve_policies(house)
    with pytest.raises(BadInput, match="no version is in production"):
        serve.serve_policies(house, follow=True)


def test_a_server_that_was_killed_is_shown_as_silent(house):
    with run_server(house):
        pass
    killed = Serving("serving_x", "http://127.0.0.1:9", Moved.STARTED, "a", "a", ("a",), house.clock())
    house.write(ServingMoved(killed))
    (shown,) = served.list_served_policies(house)
    assert (shown.address, shown.answers) == ("http://127.0.0.1:9", False)
    with pytest.raises(Refused, match="does not answer"):
        served.roll_back_served_policy(house)


def test_a_server_that_was_killed_does_not_hide_the_one_that_runs(house):
    killed = Serving("serving_x", "http://127.0.0.1:9", Moved.STARTED, "a", "a", ("a",), house.clock())
    house.write(ServingMoved(killed))
    with run_server(house):
        shown = served.load_served_policy(house, "p2", override="on the bench")
        assert [v.name for v in shown.versions] == ["p1", "p2"]
        with pytest.raises(BadInput, match=r"No policy server called 'http://x'\. Known: "):
            served.roll_back_served_policy(house, server="http://x")


def test_a_server_beyond_loopback_gets_the_token_that_is_set(house, monkeypatch):
    monkeypatch.setattr(access, "is_local", lambda *_: False)
    known = Access(lambda secret: Actor("ana", Role.ENGINEER) if secret == "right" else refuse(secret))
    pages = build_app(lambda: house)
    mount_pages(pages, lambda: house)
    with run_server(house, who=known):
        for secret, why in ((None, "Send a token"), ("wrong", "no such token")):
            if secret:
                monkeypatch.setenv("FIELDLOOP_TOKEN", secret)
            (shown,) = served.list_served_policies(house)
            assert (shown.answers, shown.versions) == (True, ())
            assert why in shown.refused
            assert "Set it as FIELDLOOP_TOKEN" in shown.refused
            with run_app(pages) as port:
                assert "It runs, and does not show its versions" in ask(port, "GET", "/policies")
        monkeypatch.setenv("FIELDLOOP_TOKEN", "right")
        (shown,) = served.list_served_policies(house)
        assert ([v.name for v in shown.versions], shown.refused) == (["p1"], "")
        served.load_served_policy(house, "p2", override="on the bench")


def refuse(secret):
    raise Refused(f"There is no such token as {secret!r}.")


def test_beyond_loopback_a_token_must_have_been_issued(house):
    with pytest.raises(Refused, match="no token was issued"):
        serve.serve_policies(house, ("p1",), host="0.0.0.0")


def test_the_page_and_its_buttons(house):
    pages = build_app(lambda: house)
    mount_pages(pages, lambda: house)
    with run_server(house), run_app(pages) as port:
        page = ask(port, "GET", "/policies")
        assert "Roll back" in page
        assert "in force" in page
        assert "3 ms" in page
        ask(port, "POST", "/api/serve/load", {"policy": "p2", "override": "on the bench"})
        assert "Activate" in ask(port, "GET", "/policies")
        ask(port, "POST", "/api/serve/activate", {"policy": "p2"})
        assert [v["in_force"] for v in json.loads(ask(port, "GET", "/api/serve/list"))[0]["versions"]] == [False, True]


def ask(port, method, path, body=None):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as line:
        line.request(method, path, None if body is None else json.dumps(body), {"content-type": "application/json"})
        response = line.getresponse()
        text = response.read().decode()
        assert response.status == 200, text
        return text


def move(workspace, candidate, rung, share, incumbent="p1"):
    rollout = Rollout(
        f"rollout_{candidate}", id_of(workspace, candidate), id_of(workspace, incumbent), rung, share,
        workspace.clock(), Status.PASSED, note("rollout.gate_passed"), "f",
    )  # fmt: skip
    workspace.write(RolloutMoved(rollout))


def wait_until(holds):
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_server_follows_the_rollout(house):
    first, second = id_of(house, "p1"), id_of(house, "p2")
    move(house, "p1", Rung.FLEET, 1.0)
    pass_gate(house, "p2")
    with run_server(house, keep_to_rollout) as (roster, _):
        move(house, "p2", Rung.HALF, 0.5)
        wait_until(lambda: roster.route is not None)
        arms = [roster.choose(f"arm-{n}").name for n in range(60)]
        assert 15 <= arms.count("p2") <= 45
        assert roster.in_force.id == first
        move(house, "p2", Rung.FLEET, 1.0)
        wait_until(lambda: roster.in_force.id == second and roster.route is None)
        served.roll_back_served_policy(house, reason="by hand")
        time.sleep(0.2)
        assert roster.in_force.id == first, "what a person changed stays until the rollout moves"
        served.put_policy_in_force(house, "p2")
        move(house, "p2", Rung.BACK, 0.0)
        wait_until(lambda: roster.in_force.id == first)
    reasons = [change[1:3] for change in list_changes(house)]
    assert ("loaded", "follows the rollout") in reasons
    assert reasons.count(("activated", "follows the rollout")) == 2


def test_a_version_that_a_person_suspended_is_not_brought_back_by_the_rollout(house):
    move(house, "p1", Rung.FLEET, 1.0)
    pass_gate(house, "p2")
    with run_server(house, keep_to_rollout) as (roster, _):
        move(house, "p2", Rung.FLEET, 1.0)
        wait_until(lambda: roster.in_force.name == "p2")
        served.roll_back_served_policy(house, override="it crushes boxes")
        move(house, "p2", Rung.HALF, 0.5)
        wait_until(lambda: any(change[1] == "refused" for change in list_changes(house)))
        assert {roster.choose(f"arm-{n}").name for n in range(60)} == {"p1"}
    assert ("local", "refused", "suspended on this server: it crushes boxes", False) in list_changes(house)


def test_a_candidate_that_is_refused_stays_away_on_the_record(house):
    move(house, "p1", Rung.FLEET, 1.0)
    with run_server(house, keep_to_rollout) as (roster, _):
        move(house, "p2", Rung.TRIAL, 0.05)  # its gate did not pass
        wait_until(lambda: any(change[1] == "refused" for change in list_changes(house)))
        assert {roster.choose(f"arm-{n}").name for n in range(60)} == {"p1"}
    refused = [change for change in list_changes(house) if change[1] == "refused"]
    assert [reason for _, _, reason, _ in refused] == [
        "p2 is not served: it was never gated. To serve it anyway, give a reason: --override"
    ]

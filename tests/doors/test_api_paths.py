"""Paths from the network: what is written stays in the outbox, what is read is an ordinary file or folder."""

import json
import re
from pathlib import Path

import pytest
from tests.doors.story import story_workspace
from tests.doors.visitor import AWAY, Visitor

from fieldloop.api.app import build_app
from fieldloop.api.outbox import move_into_outbox
from fieldloop.doors.parameters import read_parameters
from fieldloop.doors.signatures import read_parameters_from_source
from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import USE_CASES, find_use_case
from fieldloop.loop.house.tokens import issue_token
from fieldloop.model.person import Role

WORDS_OF_WRITING = ("write", "a new folder", "does not exist yet", "is written", "store measurements")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = story_workspace(tmp_path_factory.mktemp("paths") / "w")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(workspace):
    return build_app(lambda: workspace)


def test_every_path_that_a_use_case_writes_is_declared():
    for case in USE_CASES:
        if case.no_route:
            continue
        paths = {
            p.name: p.help
            for p in read_parameters_from_source(case).parameters
            if p.kind.__name__ in ("Path", "PosixPath")
        }
        assert set(case.writes) <= set(paths), case.command
        writing = {name for name, text in paths.items() if any(word in text for word in WORDS_OF_WRITING)}
        inputs = {
            name for name, text in paths.items() if re.search("` (wrote|writes)", text)
        }  # what another command wrote
        assert writing - inputs <= set(case.writes), case.command


def test_a_report_is_written_to_the_outbox(workspace, app):
    answer = Visitor(app).post("/api/plan/page", json={"file": "why.html"})
    assert answer.status_code == 200, answer.text
    assert (workspace.root / "outbox" / "why.html").is_file()


@pytest.mark.parametrize(
    "given", ["/tmp/x.html", "../protocols/pick.toml", "a/../../x.html", ".fieldloop/ledger.db", "", "n" * 300, "a\0b"]
)
def test_a_path_out_of_the_outbox_is_refused(workspace, app, given):
    before = sorted(p.name for p in workspace.root.iterdir() if p.name != "outbox")
    answer = Visitor(app).post("/api/plan/page", json={"file": given})
    assert answer.status_code == 422, answer.text
    assert answer.json()["title"] == "BadInput"
    assert sorted(p.name for p in workspace.root.iterdir() if p.name != "outbox") == before


def test_a_link_in_the_outbox_leads_nowhere_else(workspace, app):
    (workspace.root / "outbox").mkdir(exist_ok=True)
    link = workspace.root / "outbox" / "link.html"
    link.symlink_to(workspace.root / "operations.toml")
    answer = Visitor(app).post("/api/plan/page", json={"file": "link.html"})
    assert answer.status_code == 422


def test_a_file_in_the_outbox_is_never_replaced(workspace, app):
    secret = issue_token(workspace, "engineer-8", role=Role.ENGINEER).secret
    visitor = Visitor(app, AWAY, Authorization=f"Bearer {secret}")
    assert visitor.post("/api/plan/page", json={"file": "mine.html"}).status_code == 200
    (workspace.root / "outbox" / "mine.html").write_text("kept")
    answer = Visitor(app).post("/api/plan/page", json={"file": "mine.html"})
    assert (answer.status_code, answer.json()["title"]) == (422, "BadInput")
    assert "already exists" in answer.text
    assert (workspace.root / "outbox" / "mine.html").read_text() == "kept"


@pytest.mark.parametrize("given", ["taken/x.html", "taken/deeper/x.html"])
def test_a_file_in_place_of_a_folder_is_refused(workspace, app, given):
    (workspace.root / "outbox").mkdir(exist_ok=True)
    (workspace.root / "outbox" / "taken").write_text("kept")
    answer = Visitor(app).post("/api/plan/page", json={"file": given})
    assert (answer.status_code, answer.json()["title"]) == (422, "BadInput")


def test_a_file_in_place_of_the_outbox_is_refused(tmp_path):
    (tmp_path / "outbox").write_text("kept")
    with pytest.raises(BadInput):
        move_into_outbox(tmp_path, find_use_case("plan page"), {"file": Path("x.html")})
    assert (tmp_path / "outbox").read_text() == "kept"


@pytest.mark.parametrize("given", ["/dev/zero", "/dev/null", "n" * 300, "a\0b"])
def test_a_path_to_read_is_an_ordinary_file(app, given):
    for route, name in (("monitor/record", "file"), ("plan/templates", "file"), ("calibrate", "points")):
        body = {name: given, **({"camera": "c", "robot": "r"} if route == "calibrate" else {})}
        answer = Visitor(app).post(f"/api/{route}", json=body)
        assert answer.status_code == 422, (route, answer.text)


def reading_routes():
    """Routes with a path to read, beside the values that they need besides."""
    for case in USE_CASES:
        ask = read_parameters_from_source(case)
        paths = [p for p in ask.parameters if p.kind.__name__ == "Path" and p.name not in case.writes]
        if paths and not case.no_route:
            others = {p.name: _plain_value(p) for p in ask.parameters if p.required and p not in paths}
            yield pytest.param(case, paths, others, id=case.command)


def _plain_value(parameter):
    if parameter.choices:
        return parameter.choices[0]
    return {"int": 1, "float": 1.0, "bool": True, "Path": "written"}.get(parameter.kind.__name__, "x")


AWKWARD = ("", "missing", "n" * 300, "a\0b", "/dev/zero", "latin1", "junk", "empty", "folder", "\ud800")


@pytest.mark.parametrize(("case", "paths", "others"), list(reading_routes()))
def test_no_awkward_path_is_a_bug(app, tmp_path, monkeypatch, case, paths, others):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "latin1").write_bytes("größe = 1\n".encode("latin-1"))
    (tmp_path / "junk").write_bytes(bytes(range(256)))
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    for value in AWKWARD:
        given = {p.name: [value] if p.repeatable else value for p in paths}
        body = json.dumps(others | given).encode()
        answer = Visitor(app).post(f"/api/{case.path}", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code < 500, (value[:20], answer.text)


@pytest.mark.parametrize("body", [{"seed": -1}, {"seed": 2**70}, {"budget": 10**30}])
def test_numbers_out_of_range_are_refused(app, body):
    answer = Visitor(app).post("/api/plan", json=body)
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    ("route", "body", "says"),
    [
        ("supply/provider", {"provider": ""}, "provider is empty"),
        ("supply/provider", {"provider": " "}, "provider is empty"),
        ("supply/provider", {"provider": "acme", "cost": False}, "cost: must be a number, not false"),
        ("plan", {"seed": True}, "seed: must be a number, not true"),
        ("monitor/add", {"policy": "p1", "result": "success", "outcome": "x" * 10_001}, "outcome has 10001 characters"),
        ("policy/register", {"name": "p" * 201}, "name has 201 characters; at most 200 are allowed"),
        ("ingest/relabel", {"episode": ["04" * 32], "set": ["operator=" + "x" * 10_000]}, "set has 10009 characters"),
        ("ingest/again", {"set": ["site=\0"]}, "set contains a null byte"),
        ("protocol/lock", {"task": "n" * 300}, "No task called"),
        ("protocol/lock", {"task": "../../secret"}, "No task called"),
        ("protocol/lock", {"task": "pikc"}, "Did you mean 'pick'?"),
    ],
)
def test_values_that_nothing_can_be_made_of_are_refused(workspace, app, route, body, says):
    before = workspace.store.get_last_seq()
    answer = Visitor(app).post(f"/api/{route}", json=body)
    assert (answer.status_code // 100, says in answer.json()["detail"]) == (4, True), answer.text
    assert workspace.store.get_last_seq() == before


def test_a_task_leads_to_no_file_outside_the_protocols(workspace, app):
    (workspace.root / "secret.toml").write_text('[db]\npassword = "x"\n')
    for task in ("../secret", f"{workspace.root}/secret", "%2e%2e/secret"):
        answer = Visitor(app).get("/api/protocol", params={"task": task})
        assert answer.status_code == 404, answer.text
        assert "password" not in answer.text


def test_permission_is_asked_before_parameters(workspace, app):
    secret = issue_token(workspace, "robot-9", role=Role.ROBOT).secret
    visitor = Visitor(app, AWAY, Authorization=f"Bearer {secret}")
    assert visitor.post("/api/plan", json={"no such": 1}).status_code == 403


def test_a_role_that_may_plan_may_also_write_its_page(workspace, app):
    """Only paths that are read need an admin: what is written stays in the outbox."""
    case = next(case for case in USE_CASES if case.command == "plan page")
    assert all(p.name in case.writes for p in read_parameters(case.load()).parameters if p.kind.__name__ == "Path")
    secret = issue_token(workspace, "engineer-9", role=Role.ENGINEER).secret
    visitor = Visitor(app, AWAY, Authorization=f"Bearer {secret}")
    assert visitor.post("/api/plan/page", json={"file": "engineer.html"}).status_code == 200

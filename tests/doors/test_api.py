"""The HTTP door: problems with names, roles enforced, and loopback that nobody else can borrow."""

import json

import pytest
from tests.doors.story import story_workspace
from tests.doors.visitor import AWAY, LOCAL, Visitor

from fieldloop import errors
from fieldloop.api.app import build_app
from fieldloop.api.problems import convert_error_to_problem
from fieldloop.loop.catalogue import USE_CASES
from fieldloop.loop.house.tokens import issue_token, revoke_token
from fieldloop.model.note import note
from fieldloop.model.person import Role
from fieldloop.say import write_sentence

CASES = tuple(
    case for case in USE_CASES if case.command.split()[0] in ("home", "token", "rollout", "incident", "plan", "monitor")
)
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    opened = story_workspace(tmp_path_factory.mktemp("api") / "w")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def app(workspace):
    return build_app(lambda: workspace, CASES)


def bearer(workspace, role):
    return f"Bearer {issue_token(workspace, f'{role}-1', role=role).secret}"


def detail(answer, status, title):
    assert answer.status_code == status
    assert answer.headers["content-type"] == PROBLEM
    body = answer.json()
    assert (body["title"], body["status"]) == (title, status)
    assert body["type"].startswith("urn:fieldloop:problem:")
    return body["detail"]


def test_reads_are_get_with_query_parameters(app):
    shown = Visitor(app).get("/api/monitor/outcomes", params={"limit": 3, "stage": "production"}).json()
    assert [o["stage"] for o in shown] == ["production"] * 3
    assert shown[0]["at"].endswith("Z")
    assert Visitor(app).get("/api/home").json()["schema"] == "home/1"


def test_openapi_has_every_route_with_its_summary_and_stage(app):
    paths = Visitor(app).get("/api/openapi.json").json()["paths"]
    for case in CASES:
        operation = next(iter(paths[f"/api/{case.path}"].values()))
        assert operation["summary"] == case.summary
        assert operation["tags"]


def test_markdown_comes_as_markdown(app):
    answer = Visitor(app).get("/api/incident/report", params={"incident": "incident_01"})
    assert answer.headers["content-type"].startswith("text/markdown")
    assert "Night shift drops items" in answer.text


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "title", "said"),
    [
        ("get", "/api/monitor/outcomes?limti=3", None, 422, "BadInput", "Did you mean 'limit'?"),
        ("get", "/api/monitor/outcomes?limit=many", None, 422, "BadInput", "limit"),
        ("get", "/api/incident/report?incident=nothing", None, 404, "UnknownName", "nothing"),
        ("get", "/api/incident/report", None, 422, "BadInput", "incident is missing"),
        ("get", "/api/hoem", None, 404, "UnknownName", "Did you mean '/api/home'?"),
        ("get", "/api/token", None, 405, "WrongMethod", "method"),
        ("post", "/api/token", {"name": "x", "role": "king"}, 422, "BadInput", "role"),
        ("post", "/api/token", {"name": "x", "rolle": "admin"}, 422, "BadInput", "Did you mean 'role'?"),
        ("post", "/api/token", {"name": " "}, 422, "BadInput", "name is empty"),
    ],
)
def test_bad_input_is_a_problem_document(app, method, path, body, status, title, said):
    answer = Visitor(app).request(method, path, json=body)
    assert said in detail(answer, status, title)


def test_a_body_that_is_no_json_is_reported(app):
    answer = Visitor(app).post("/api/token", content=b"{", headers={"content-type": "application/json"})
    assert "JSON" in detail(answer, 422, "BadInput")


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        (errors.UnknownName("x", "y", ()), 404),
        (errors.BadInput(""), 422),
        (errors.ProtocolError(""), 422),
        (errors.Refused(""), 403),
        (errors.StoreBusy(""), 503),
        (errors.StoreFull(""), 507),
        (errors.WorkspaceError(""), 409),
        (errors.MissingExtra("a", "b"), 501),
    ],
)
def test_each_error_has_its_status(wrong, status):
    assert convert_error_to_problem(wrong).status_code == status


def test_a_refusal_carries_its_reasons_as_facts():
    wrong = errors.Refused("No session.", (note("collect.item_not_done", item="light"),))
    (reason,) = json.loads(convert_error_to_problem(wrong).body)["reasons"]
    assert (reason["code"], reason["numbers"]) == ("collect.item_not_done", {"item": "light"})
    assert reason["message"] == write_sentence(wrong.reasons[0])
    assert "reasons" not in json.loads(convert_error_to_problem(errors.Refused("No.")).body)


def test_over_loopback_one_is_the_local_admin(app):
    assert Visitor(app).get("/api/home").status_code == 200
    assert Visitor(app, ("::1", 1), "[::1]:8080").get("/api/home").status_code == 200
    assert Visitor(app, ("::ffff:127.0.0.1", 1), "localhost").get("/api/home").status_code == 200


@pytest.mark.parametrize(
    ("address", "host", "headers"),
    [
        (AWAY, "127.0.0.1:8080", {}),
        (LOCAL, "evil.example:8080", {}),  # DNS rebinding: the browser believes it talks to its own site
        (LOCAL, "127.0.0.1.evil.example", {}),
        (LOCAL, "127.0.0.1:8080", {"X-Forwarded-For": "127.0.0.1"}),
        (LOCAL, "127.0.0.1:8080", {"Forwarded": "for=127.0.0.1"}),
        (LOCAL, "127.0.0.1:8080", {"X-Real-IP": "127.0.0.1"}),
        (AWAY, "127.0.0.1:8080", {"Authorization": "Bearer made-up"}),
        (LOCAL, "127.0.0.1:8080", {"Authorization": "Bearer made-up"}),  # a token counts, also where none is needed
    ],
)
def test_no_other_machine_can_borrow_loopback(app, address, host, headers):
    answer = Visitor(app, address, host, **headers).get("/api/home")
    detail(answer, 401, "Unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_roles_are_enforced(app, workspace):
    operator = Visitor(app, AWAY, "fieldloop.example", Authorization=bearer(workspace, Role.OPERATOR))
    assert operator.get("/api/home").status_code == 200
    assert "needs the role admin" in detail(operator.post("/api/token", json={"name": "x"}), 403, "Refused")
    provider = Visitor(app, AWAY, "fieldloop.example", Authorization=bearer(workspace, Role.PROVIDER))
    detail(provider.get("/api/home"), 403, "Refused")
    detail(provider.get("/api/events"), 403, "Refused")
    engineer = Visitor(app, AWAY, "fieldloop.example", Authorization=bearer(workspace, Role.ENGINEER))
    assert engineer.get("/api/plan/show").status_code == 200


def test_events_name_who_asked(app, workspace):
    before = workspace.store.get_last_seq()
    operator = Visitor(app, AWAY, "fieldloop.example", Authorization=bearer(workspace, Role.OPERATOR))
    moved = operator.post(
        "/api/incident/move", json={"incident": "incident_01", "step": "classified", "note": "clips seen"}
    )
    assert moved.status_code == 200
    tail = Visitor(app).get("/api/events", params={"after": before}).json()
    assert [e["kind"] for e in tail] == ["TokenIssued", "IncidentMoved"]
    assert tail[-1]["actor"] == "operator-1"
    assert Visitor(app).get("/api/events", params={"after": tail[-1]["seq"]}).json() == []
    assert Visitor(app).get("/api/events", params={"limit": 0}).status_code == 422


def test_a_revoked_token_is_refused(app, workspace):
    given = issue_token(workspace, "op-9", role=Role.OPERATOR)
    headers = {"Authorization": f"Bearer {given.secret}"}
    assert Visitor(app, AWAY, "x", **headers).get("/api/home").status_code == 200
    revoke_token(workspace, given.id)
    detail(Visitor(app, AWAY, "x", **headers).get("/api/home"), 401, "Unauthenticated")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_foreign_page_cannot_send_for_the_local_admin(app, headers):
    detail(Visitor(app, **headers).post("/api/token", json={"name": "thief", "role": "admin"}), 403, "Refused")
    detail(Visitor(app, **headers).get("/api/home"), 403, "Refused")


def test_its_own_page_can(app):
    answer = Visitor(app, Origin="http://127.0.0.1:8080").post("/api/token", json={"name": "op-3"})
    assert answer.status_code == 200
    assert answer.json()["secret"]


def test_a_socket_passes_the_same_door(app):
    assert Visitor(app, AWAY).socket() == "websocket.close"
    assert Visitor(app, Origin="https://evil.example").socket() == "websocket.close"
    assert Visitor(app, host="evil.example", Origin="http://evil.example").socket() == "websocket.close"


def test_pages_send_the_unknown_to_sign_in(app):
    answer = Visitor(app, AWAY).get("/plan")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?to=/plan")


def test_signing_in_gives_a_cookie_that_stands_for_the_token(app, workspace):
    away = Visitor(app, AWAY, "fieldloop.example")
    given = issue_token(workspace, "eng-1", role=Role.ENGINEER)
    wrong = away.post("/api/session", data={"token": "made-up", "to": "/plan"})
    assert wrong.headers["location"].startswith("/login?wrong=1")
    entered = away.post("/api/session", data={"token": given.secret, "to": "/plan"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/plan")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert given.secret not in cookie
    assert away.get("/api/home").status_code == 200
    assert away.post("/api/session/end").status_code == 303
    assert away.get("/api/home").status_code == 401


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_signing_in_never_leads_elsewhere(app, workspace, to):
    given = issue_token(workspace, "eng-2", role=Role.ENGINEER)
    assert Visitor(app, AWAY).post("/api/session", data={"token": given.secret, "to": to}).headers["location"] == "/"


def test_answers_say_how_to_treat_them(app):
    headers = Visitor(app).get("/api/home").headers
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")


@pytest.mark.parametrize("path", ["/loginx", "/favicon.icox", "/api/sessionx", "/assets/x", "/assets/a/b/c"])
def test_a_path_that_begins_like_an_open_one_is_not_open(workspace, path):
    answer = Visitor(build_app(lambda: workspace), AWAY).get(path)
    assert answer.status_code in (303, 401, 404)
    assert "bug" not in answer.text


def test_a_sign_in_is_short(workspace):
    answer = Visitor(build_app(lambda: workspace), AWAY).post("/api/session", content=b"token=" + b"a" * 20_000)
    assert answer.status_code == 413

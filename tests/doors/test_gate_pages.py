"""Trials over HTTP and on pages: planned, taken by robots, typed in, corrected, printed, reported."""

import re

import pytest
from tests.doors.story import story_workspace
from tests.doors.visitor import Visitor

from fieldloop.api.app import build_app
from fieldloop.report.gate.scene_drawing import describe_setup, draw_scene
from fieldloop.report.gate.words import join_scenarios
from fieldloop.ui.mounting import mount_pages

POLICY = "c" * 64
PARTS = (
    "Verdict", "What was tested", "Results and their uncertainty", "Statement of conformity", "Method",
    "Deviations from the plan", "Opinions and interpretations", "Authorisation", "End of report",
)  # fmt: skip
"""What an assessor looks for in a test report."""
SMALL = "".join(
    f"[gate.{name}_trials]\nvalue = {value}\n"
    for name, value in {"base": 2, "distractor": 1, "lighting": 1, "position": 1, "consecutive": 2, "edge": 1}.items()
)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    root = tmp_path_factory.mktemp("gate") / "w"
    told = story_workspace(root)
    (root / "operations.toml").write_text(SMALL)
    app = build_app(lambda: told)
    mount_pages(app, lambda: told)
    yield Visitor(app)
    told.close()


def page(visitor, path):
    answer = visitor.get(f"/policies/{POLICY}/{path}")
    assert answer.status_code == 200
    return answer.text


def test_trials_are_planned_made_and_corrected_without_a_terminal(visitor):
    assert "No trials are planned yet" in page(visitor, "trials")
    made = visitor.post("/api/gate/plan", json={"policy": POLICY})
    assert made.status_code == 200
    plan, rows = made.json()["plan"], made.json()["rows"]
    assert len(rows) == 2 + 1 + 3 + 5 + 2 + 4
    begun = page(visitor, "trials")
    assert "Trial 1, arm A" in begun
    assert "Plan the trials" not in begun

    robot = visitor.post("/api/gate/next", json={"plan": plan, "taker": "arm-7", "for_robot": True}).json()
    assert (robot["order"], robot["policy"]) == (1, POLICY)
    assert "Trial 2, arm A" in page(visitor, "trials"), "the robot makes the first"
    sent = {"plan": plan, "order": 1, "robot": "arm-7", "result": "failure", "steps_done": 2, "failure": "grasp"}
    assert visitor.post("/api/gate/result", json=sent).status_code == 200
    again = visitor.post("/api/gate/result", json=sent)
    assert again.status_code == 403
    assert "has a result already" in again.json()["detail"]
    wrong = visitor.post("/api/gate/result", json={**sent, "order": 2, "steps_done": 9})
    assert wrong.status_code == 422
    assert "not on the rubric" in wrong.json()["detail"]
    assert visitor.post("/api/gate/next", json={"plan": plan, "order": 2}).status_code == 200
    mine = page(visitor, "trials")
    assert "yours now" in mine
    assert "Trial 2, arm A" in mine
    typed = {"plan": plan, "order": 2, "result": "success", "remark": "<b>fell & rolled</b>"}
    assert visitor.post("/api/gate/result", json=typed).status_code == 200

    later = page(visitor, "trials")
    assert "2 done, 15 left" in later
    assert "Ask the gate" not in later, "trials are left"
    assert "&lt;b&gt;fell &amp; rolled" in later
    assert "<b>fell" not in later
    corrected = {"plan": plan, "order": 1, "result": "success", "reason": "the wrong row"}
    assert visitor.post("/api/gate/correct", json=corrected).status_code == 200
    assert "corrected: the wrong row" in page(visitor, "trials")

    sheet = page(visitor, "trials/sheet")
    assert sheet.count('class="card"') == 17
    assert sheet.count("box yes") == 10, "two successes, five steps each"


def test_the_report_has_every_part_and_an_end(visitor):
    shown = page(visitor, "report")
    for part in PARTS:
        assert part in shown
    assert POLICY in shown
    assert "p1 meets every requirement" in shown


def test_a_failure_is_kept_by_one_press_and_named_on_the_page(visitor):
    before = visitor.get("/incidents").text
    body = re.search(r'data-post="/api/gate/keep" data-body="(.*?)"', before)
    assert body is not None
    incident = body[1].split("&#34;")[3]
    kept = visitor.post("/api/gate/keep", json={"incident": incident})
    assert kept.status_code == 200
    assert kept.json()["name"] in visitor.get("/incidents").text
    assert visitor.post("/api/gate/keep", json={"incident": incident}).status_code == 403


def test_a_drawing_is_the_same_for_both_arms_and_says_what_it_shows():
    setup = (("u", 0.5), ("v", -0.2), ("distractors", 10.0), ("camera_hidden", 0.1))
    one = draw_scene(setup, "side", 77)
    assert one == draw_scene(setup, "side", 77)
    assert one != draw_scene((), "side", 77)
    assert str(one).count("<circle") == 10
    assert "Add 10 foreign objects" in one
    assert describe_setup((("turn", -1.25),), "") == ["Turn the item 125 % of the usual turn, to the right"]


def test_requirements_of_a_kind_are_named_together():
    names = ["lighting:cool", "lighting:warm", "edge:pose", "incident:2", "consecutive"]
    assert join_scenarios(names) == (
        "novel light (cool, warm), edge case (pose outside nominal), kept failure (2) and consecutive trials"
    )

"""Home says what is so: stages, the next step, production over time, what changed."""

import dataclasses

import pytest
from tests.doors.story import DAY, NOW, S, empty_workspace, story_workspace
from tests.doors.story_setting import written

from fieldloop.loop.home.home import show_home
from fieldloop.loop.home.next_steps import _propose_data_steps, _propose_ship_steps
from fieldloop.loop.home.now import read_workspace_state
from fieldloop.loop.home.pages import count_open_work, list_last_reports, read_ledger_tail, read_success_rates
from fieldloop.loop.home.success import compute_success_over_time
from fieldloop.loop.plan.known import compute_workspace_coverage, find_good_demonstrations
from fieldloop.model import event as happened
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.deployment import Audit, AuditAnswer
from fieldloop.model.episode import Episode
from fieldloop.model.finding import Status
from fieldloop.model.fix import Fix, FixKind
from fieldloop.model.incident import Incident, Step, StepDone
from fieldloop.model.note import note
from fieldloop.model.plan import Plan
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.model.response_event import IncidentMoved
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import write_sentence


@pytest.fixture(scope="module")
def full_site(tmp_path_factory):
    workspace = story_workspace(tmp_path_factory.mktemp("home") / "w")
    yield workspace
    workspace.close()


@pytest.fixture
def empty(tmp_path):
    workspace = empty_workspace(tmp_path / "w")
    yield workspace
    workspace.close()


def test_an_empty_workspace_begins_with_the_map(empty):
    now = show_home(empty)
    assert now.next.command == "fieldloop audit --example"
    assert [stage.mark for stage in now.stages] == ["idle"] * 10
    assert (now.success.points, now.changes, now.coverage, now.seq) == ((), (), (), 0)


def test_gaps_in_the_map_come_before_the_plan(empty):
    empty.write(
        happened.DeploymentAudited(
            Audit("x", (AuditAnswer(note("audit.asks_environment"), 0.2, ("light", "floor")),), 0.2, False)
        )
    )
    assert write_sentence(show_home(empty).next.sentence) == "The deployment map lacks 2 items"
    over = Audit("x", (), 0.2, False, overridden_by="local", override_reason="a pilot")
    empty.write(happened.DeploymentAudited(over))
    now = show_home(empty)
    assert now.next.command == "fieldloop plan"
    assert now.stages[0].mark == "warn"


def test_the_stages_say_what_is_in_them(full_site):
    stages = {stage.key: stage for stage in show_home(full_site).stages}
    assert (stages["check"].count, write_sentence(stages["check"].fact), stages["check"].mark) == (
        "36",
        "passed, 4 held back",
        "warn",
    )
    assert (stages["release"].count, write_sentence(stages["release"].fact)) == ("r1", "36 episodes")
    assert (stages["gate"].count, write_sentence(stages["gate"].fact), stages["gate"].mark) == (
        "100",
        "trials; the gate passed",
        "good",
    )
    assert stages["monitor"].mark == "bad"
    assert write_sentence(stages["diagnose"].fact) == "environment mismatch"
    assert write_sentence(stages["annotate"].fact) == "annotated, 0 queued"


def test_an_open_incident_comes_first_and_then_what_it_asked_for(tmp_path):
    workspace = story_workspace(tmp_path / "w")
    assert show_home(workspace).next.command == 'fieldloop incident move incident_01 classified --note "what was done"'
    incident = workspace.store.get(Incident, "incident_01")
    done = tuple(StepDone(step, NOW, "local", "done") for step in Step)
    workspace.write(IncidentMoved(dataclasses.replace(incident, steps=done)))
    after = show_home(workspace)
    assert write_sentence(after.next.sentence) == "Production problems call for 24 demonstrations"
    assert after.next.command == "fieldloop plan"
    assert (after.way_back.code, after.way_back["demonstrations"]) == ("home.back_demands", 24)
    assert count_open_work(workspace) == {"/episodes": 4, "/incidents": 0}
    workspace.close()


@pytest.mark.parametrize(
    ("status", "said", "command"),
    [
        (Status.FAILED, "p2 failed the gate", "fieldloop plan"),
        (Status.CANNOT_TELL, "The gate needs 35 more trials of p2", "fieldloop gate trials p2"),
        (Status.PASSED, "Roll p2 out", "fieldloop rollout start p2"),
    ],
)
def test_the_gates_answer_decides_what_is_next(empty, status, said, command):
    policy = PolicyVersion("d" * 64, "p2", "e" * 64, "mlp", "f" * 64, 10, 0, 0.01, 10.0)
    test = GateTest(
        "consecutive",
        written("85 %"),
        status,
        60,
        100,
        0.5,
        0.7,
        35 if status is Status.CANNOT_TELL else 0,
        written("60 of 100."),
    )
    empty.write(
        happened.DeploymentAudited(Audit("x", (), 1.0, True)),
        happened.PlanDrawn(Plan("plan_1", 0, "marginal", (), (), 0.0, NOW, "f")),
        happened.PolicyTrained(policy),
        happened.PolicyGated(Decision("decision_1", policy.id, status, (test,), "f", NOW)),
    )
    step = show_home(empty).next
    assert (write_sentence(step.sentence), step.command) == (said, command)


def test_the_last_point_is_the_window_that_ends_now(full_site):
    shown = compute_success_over_time(full_site)
    first_ns = full_site.clock() + 1 - 7 * DAY
    outcomes = [o for o in full_site.store.find(Outcome, {"stage": Stage.PRODUCTION}) if o.at_ns >= first_ns]
    last = shown.points[-1]
    assert (last.successes, last.episodes) == (sum(o.succeeded for o in outcomes), len(outcomes))
    assert last.low < last.rate < last.high
    (here,) = read_success_rates(full_site)
    assert (here.successes, here.episodes) == (last.successes, last.episodes)
    assert shown.baseline == pytest.approx(0.9)
    assert shown.alarm == pytest.approx(0.85)
    assert [m.text.code for m in shown.moments] == ["home.alarm", "home.diagnosis"]
    assert all(point.episodes >= 30 for point in shown.points)  # fewer say nothing
    assert [p.end_ns for p in shown.points] == sorted(p.end_ns for p in shown.points)


def test_a_short_history_has_points_too(empty):
    outcomes = [
        happened.OutcomeRecorded(
            Outcome(f"o{n}", "p" * 64, happened_in(), Stage.PRODUCTION, "a", "r", NOW + n * 60 * S, n % 2 == 0, "x")
        )
        for n in range(120)
    ]
    empty.write(*outcomes)
    points = compute_success_over_time(empty).points
    assert points[-1].episodes == 120
    assert points[-1].rate == pytest.approx(0.5)
    assert 30 < len(points) <= 60


def test_another_policys_outcomes_do_not_enter_the_chart(tmp_path):
    workspace = story_workspace(tmp_path / "w")
    before = compute_success_over_time(workspace)
    other = [
        Outcome(f"x{n}", "d" * 64, happened_in(), Stage.PRODUCTION, "elsewhere", "r", NOW - n * 60 * S, False, "x")
        for n in range(200)
    ]
    workspace.write(*(happened.OutcomeRecorded(outcome) for outcome in other))
    after = compute_success_over_time(workspace)
    assert after == before
    assert after.policy == "p1"
    assert len({rate.policy for rate in read_success_rates(workspace)}) == 2
    workspace.close()


def test_both_versions_of_a_rollout_are_drawn(tmp_path):
    workspace = story_workspace(tmp_path / "w")
    shown = compute_success_over_time(workspace)
    assert shown.rival is None
    first, incumbent = shown.points[0].start_ns, shown.points[0].policy
    climb = Rollout("rollout_x", "d" * 64, incumbent, Rung.TRIAL, 0.1, first, Status.CANNOT_TELL, written("x"), "f")
    tried = [
        Outcome(f"y{n}", "d" * 64, happened_in(), Stage.PRODUCTION, "a", "r", NOW - n * 3600 * S, True, "x")
        for n in range(100)
    ]
    workspace.write(happened.RolloutMoved(climb), *(happened.OutcomeRecorded(outcome) for outcome in tried))
    shown = compute_success_over_time(workspace)
    assert shown.policy == "p1"
    assert shown.rival.policy == "d" * 64
    assert shown.rival.points[-1].rate == pytest.approx(1.0)
    workspace.close()


def happened_in():
    from fieldloop.model.condition import Stratum

    return Stratum.of(lighting="dim")


def test_what_comes_by_the_hundred_is_summed_up(full_site):
    texts = [write_sentence(change.text) for change in show_home(full_site).changes]
    assert texts[:2] == ["Demand placed", "Incident moved: leipzig-b"]
    assert any(text.endswith("outcomes recorded") for text in texts)
    (summed,) = (
        change.text["events"] for change in show_home(full_site).changes if change.text.code == "home.outcomes_recorded"
    )
    assert summed == sum(1 for _ in full_site.store.events(happened.OutcomeRecorded))  # all were recorded at once
    assert len(texts) <= 8


def test_episodes_released_with_fixes_are_not_called_held_back(tmp_path):
    workspace = story_workspace(tmp_path / "w")
    (r1,), (p1,) = workspace.store.find(Release), workspace.store.find(PolicyVersion)
    episodes = workspace.store.find(Episode, {"status": Status.FAILED})
    held, good = tuple(e.id for e in episodes), sum(e.succeeded is not False for e in episodes)
    in_hand = len(find_good_demonstrations(workspace))
    fix = Fix(FixKind.TRIM, written("x"))
    before = sum(one.demonstrations for one in compute_workspace_coverage(workspace))
    repaired = dataclasses.replace(r1, id="7" * 64, name="r2", episodes=held, fixes=tuple((e, fix) for e in held))
    workspace.write(happened.ReleaseFrozen(repaired))
    now = dataclasses.replace(read_workspace_state(workspace), passed=0, annotated=0)
    assert (now.held, now.repaired, now.release_trained) == (4, 4, False)
    codes = {step.sentence.code for step in (*_propose_data_steps(now), *_propose_ship_steps(now))}
    assert "home.train" in codes
    assert not codes & {"home.all_held", "home.held_out"}
    assert [s.sentence.code for s in _propose_data_steps(dataclasses.replace(now, held=5))][-1] == "home.held_out"
    assert len(find_good_demonstrations(workspace)) == in_hand + good > in_hand
    assert sum(one.demonstrations for one in compute_workspace_coverage(workspace)) == before + good
    workspace.write(
        happened.PolicyAdded(dataclasses.replace(p1, id="8" * 64, name="p8", release=repaired.id)),
        happened.PolicyAdded(dataclasses.replace(p1, id="9" * 64, name="p9", release="")),
    )
    after = read_workspace_state(workspace)
    assert "home.train" not in {step.sentence.code for step in _propose_ship_steps(after)}
    workspace.close()


def test_a_status_among_the_changes_is_in_words(empty):
    empty.write(happened.PolicyGated(Decision("decision_1", "d" * 64, Status.CANNOT_TELL, (), "f", NOW)))
    assert [change.text["which"] for change in show_home(empty).changes] == ["cannot tell"]


def test_the_tail_follows_the_ledger(full_site):
    first = read_ledger_tail(full_site, 0, 2)
    assert [entry["seq"] for entry in first] == [1, 2]
    assert first[0]["kind"] == "WorkspaceCreated"
    assert read_ledger_tail(full_site, full_site.store.get_last_seq()) == ()


def test_each_episode_has_its_last_verdict(full_site):
    verdicts = list_last_reports(full_site)
    assert len(verdicts) == 40
    assert sum(r.status is Status.FAILED for r in verdicts) == 4

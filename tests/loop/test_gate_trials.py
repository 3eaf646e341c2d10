"""Planned trials: taken by one at a time, recorded once, corrected on the record, and blind until the gate decides."""

import dataclasses
from types import SimpleNamespace

import pytest

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.evaluate.results import make_trial_outcome
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.run import incident
from fieldloop.loop.ship import gate, gate_kept, gate_plan, gate_report, gate_trials
from fieldloop.model.codec import format_iso_time
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.event import DeploymentMapped, PolicyAdded
from fieldloop.model.finding import Finding, Status
from fieldloop.model.gate_event import TrialCorrected
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.person import Actor, Role
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.trial import TrialPlan, TrialResult
from fieldloop.protocol import parse_operations

FAST = Finding("serve.latency", NO_SUBJECT, Status.PASSED, 12.0, None, 80.0, "ms")
SMALL = {
    "base_trials": 3, "distractor_trials": 2, "lighting_trials": 1, "position_trials": 1, "consecutive_trials": 3,
    "edge_trials": 1,
}  # fmt: skip
P1 = "c" * 64
P0 = PolicyVersion("a" * 64, "p0", "", "elsewhere", "", 0, 0, None, 10.0)


@pytest.fixture
def here(told, monkeypatch):
    text = "".join(f"[gate.{name}]\nvalue = {value}\n" for name, value in SMALL.items())
    told.__dict__["operations"] = parse_operations(text, "operations.toml")
    levels = {"site": "leipzig-b", "tier": "high", "bin": "front", "lighting": "bright"}
    mapped = dataclasses.replace(require_latest_deployment(told), measured=(Exposure(Stratum.of(**levels), 1.0),))
    told.write(DeploymentMapped(mapped), PolicyAdded(P0))
    monkeypatch.setattr(gate, "load_engine", lambda *_: SimpleNamespace(bundle=SimpleNamespace(horizon=1)))
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, FAST))
    return told


def make_all(workspace, plan, succeeds=lambda _trial: True):
    for _ in range(200):
        todo = gate_trials.take_next_trial(workspace, plan, for_robot=True)
        if not todo.order:
            return
        gate_trials.record_trial(
            workspace, plan, todo.order, "success" if succeeds(todo) else "failure", robot="arm-1", cycle_s=6.0
        )


def test_a_plan_is_made_once_and_goes_on_after_a_pause(here):
    sheet = gate_plan.plan_gate(here, "p1")
    assert (sheet.done, sheet.left) == (0, 3 + 3 + 5 + 2 + 4 + 3)
    first = gate_trials.take_next_trial(here, sheet.plan)
    assert gate_trials.take_next_trial(here, "p1").order == first.order, "who holds a trial gets it again"
    gate_trials.record_trial(here, "p1", first.order, "success")
    assert gate_plan.show_trials(here, "p1").done == 1
    with pytest.raises(Refused, match="still has trials to make"):
        gate_plan.plan_gate(here, "p1")
    make_all(here, "p1")
    done = gate_plan.show_trials(here, "p1")
    assert (done.left, done.deviations) == (0, ())
    decision = gate.decide_gate(here, "p1")
    assert {t.name: t.status for t in decision.tests}["edge:pose"] is Status.CANNOT_TELL
    assert gate_plan.plan_gate(here, "p1").plan != sheet.plan


def test_a_complete_plan_asks_for_the_gate(here):
    make_all(here, gate_plan.plan_gate(here, "p1").plan)
    with pytest.raises(Refused, match="Ask the gate: fieldloop gate p1"):
        gate_plan.plan_gate(here, "p1")


def test_a_plan_made_by_mistake_is_closed_with_a_reason(here):
    first = gate_plan.plan_gate(here, "p1", control="p0").plan
    empty = gate_plan.plan_gate(here, "p1", control="p0", replace="wrong control").plan
    with pytest.raises(Refused, match="closed: wrong control"):
        gate_trials.record_trial(here, first, 1, "success")
    before = here.store.count(Outcome, {"stage": Stage.GATE})
    gate_trials.record_trial(here, empty, 1, "success")
    last = gate_plan.plan_gate(here, "p1", replace="wrong site").plan
    assert here.store.count(Outcome, {"stage": Stage.GATE}) == before + 1, "its results count"
    assert gate_plan.show_trials(here, empty).arms
    assert "evaluate.plan_closed" in {n.code for n in gate_plan.show_trials(here, empty).deviations}
    assert gate_plan.show_trials(here, "p1").plan == last
    assert [p.closed for p in here.store.find(TrialPlan)] == ["wrong control", "wrong site", ""]


def test_simulation_leaves_the_plan_of_people_alone(here, monkeypatch):
    def simulated(_workspace, _engines, plan, _trials, *, seed):
        return [make_trial_outcome(plan, TrialResult(plan.id, 1, True, 5, here.clock() - seed, "simulated floor"))]

    monkeypatch.setattr(gate, "run_trials", simulated)
    plan = gate_plan.plan_gate(here, "p1").plan
    gate.decide_gate(here, "p1", simulate=True)
    assert gate_plan.show_trials(here, plan).done == 0
    assert len(here.store.find(TrialPlan)) == 2
    todo = gate_trials.take_next_trial(here, plan)
    with pytest.raises(Refused, match="People are making"):
        gate.decide_gate(here, "p1", simulate=True)
    gate_trials.record_trial(here, plan, todo.order, "success")
    here.clock.pass_days(1)
    with pytest.raises(Refused, match="People are making"):
        gate.decide_gate(here, "p1", simulate=True)


def test_a_sheet_typed_in_later_keeps_both_times(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    made_ns = here.clock()
    here.clock.pass_days(1)
    typed = gate_trials.record_trial(here, plan, 1, "success", at=format_iso_time(made_ns + 1_000_000_000))
    assert typed.at_ns < typed.typed_ns
    for wrong in ("2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"):
        with pytest.raises(BadInput, match="before the plan was made or in the future"):
            gate_trials.record_trial(here, plan, 2, "success", at=wrong)


def test_two_robots_do_not_make_the_same_trial(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    one = gate_trials.take_next_trial(here, plan, taker="arm-1")
    two = gate_trials.take_next_trial(here, plan, taker="arm-2")
    assert one.order != two.order
    with pytest.raises(Refused, match=f"arm-2 is making trial {two.order}"):
        gate_trials.take_next_trial(here, plan, taker="arm-1", order=two.order)
    with pytest.raises(Refused, match="arm-2 is making trial"):
        gate_trials.record_trial(here, plan, two.order, "success", robot="arm-1")
    gate_trials.give_trial_back(here, plan, two.order, taker="arm-2")
    with pytest.raises(Refused, match="not held by arm-2"):
        gate_trials.give_trial_back(here, plan, two.order, taker="arm-2")
    assert gate_trials.take_next_trial(here, plan, taker="arm-3").order == two.order
    gate_trials.record_trial(here, plan, two.order, "success", robot="arm-3")


def test_a_lease_that_ends_frees_the_trial(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    one = gate_trials.take_next_trial(here, plan, taker="arm-1")
    here.clock.pass_days(1)
    assert gate_trials.take_next_trial(here, plan, taker="arm-2").order == one.order


def test_a_mistyped_result_is_corrected_on_the_record(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    gate_trials.record_trial(here, plan, 1, "failure", steps_done=2, failure=FailureClass.GRASP, cycle_s=4.0)
    with pytest.raises(Refused, match="has a result already"):
        gate_trials.record_trial(here, plan, 1, "success")
    with pytest.raises(BadInput, match="State why"):
        gate_trials.correct_trial(here, plan, 1, "success", reason=" ")
    with pytest.raises(Refused, match="no result to correct"):
        gate_trials.correct_trial(here, plan, 2, "success", reason="typed the wrong row")
    after = gate_trials.correct_trial(here, plan, 1, "success", reason="typed the wrong row")
    assert (after.succeeded, after.steps_done, after.failure, after.cycle_s) == (True, 5, None, 4.0)
    shown = gate_plan.show_trials(here, plan)
    assert shown.rows[0].result == after
    assert shown.done == 1
    (kept,) = [recorded.event for recorded in here.store.events(TrialCorrected)]
    assert (kept.before.succeeded, kept.before.failure) == (False, FailureClass.GRASP)
    assert [n.code for n in shown.deviations] == ["evaluate.trials_not_made", "evaluate.trials_corrected"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"order": 99}, "and no trial 99"),
        ({"order": 0}, "and no trial 0"),
        ({"steps_done": 6}, r"steps_done = 6 is not on the rubric .* 0 to 5"),
        ({"steps_done": -1}, "not on the rubric"),
        ({"steps_done": 3}, "A success does all 5 steps"),
        ({"result": "failure", "steps_done": 5}, "A failure cannot have done all 5"),
        ({"cycle_s": float("nan")}, "cycle_s = nan"),
        ({"failure": FailureClass.GRASP}, "succeeded cannot have failed by grasp"),
        ({"chunks": "[[[0]]]"}, "at least two commands"),
        ({"facts": ("grip_n",)}, "not a number with its name"),
        ({"facts": ("grip_n=inf",)}, "not a number with its name"),
    ],
)
def test_impossible_results_are_refused_and_nothing_is_kept(here, given, said):
    plan = gate_plan.plan_gate(here, "p1").plan
    with pytest.raises(BadInput, match=said):
        gate_trials.record_trial(here, plan, **{"order": 1, "result": "success"} | given)
    assert gate_plan.show_trials(here, plan).done == 0


def test_a_plan_that_does_not_exist_is_named(here):
    with pytest.raises(UnknownName, match="trials_01"):
        gate_trials.record_trial(here, "trials_01", 1, "success")
    with pytest.raises(UnknownName, match="gate plan p1"):
        gate_trials.take_next_trial(here, "p1")
    assert gate_plan.show_trials(here, "p1").plan == "", "what a plan would contain"


def test_the_version_stays_hidden_until_the_gate_decides(here):
    with pytest.raises(BadInput, match="its own control"):
        gate_plan.plan_gate(here, "p1", control="p1")
    sheet = gate_plan.plan_gate(here, "p1", control="p0")
    assert {row.arm for row in sheet.rows} == {"A", "B"}
    assert sheet.arms == ()
    assert P0.id not in repr(sheet)
    operator = here.acting_as(Actor("op-1", Role.OPERATOR))
    todo = gate_trials.take_next_trial(operator, sheet.plan)
    assert todo.policy == ""
    with pytest.raises(Refused, match="without knowing the version"):
        gate_trials.take_next_trial(operator, sheet.plan, for_robot=True)
    gate_trials.give_trial_back(operator, sheet.plan, todo.order)
    make_all(here, sheet.plan, lambda todo: todo.policy == P1)
    assert not here.store.count(Outcome, {"policy": P0.id}), "no door shows whose result it is"
    assert gate_plan.show_trials(here, sheet.plan).arms == ()

    gate.decide_gate(here, "p1")
    told = gate_plan.show_trials(here, sheet.plan)
    assert {policy for _, policy in told.arms} == {P0.id, P1}
    mine, other = (here.store.find(Outcome, {"policy": p, "stage": Stage.GATE}) for p in (P1, P0.id))
    assert not any(o.succeeded for o in other)
    assert len(other) == 20
    assert sum(o.judged_by == "local" for o in mine) == 20
    (plan,) = here.store.find(TrialPlan)
    report = gate.collect_report(here, gate.decide_gate(here, "p1"))
    (used,) = report.plans
    assert {(a.letter, a.successes, a.trials) for a in used.arms} == {
        (plan.get_arm(plan.trials[0]), *((17, 17) if plan.trials[0].policy == P1 else (0, 17))),
        *{(letter, 17, 17) if policy == P1 else (letter, 0, 17) for letter, policy in plan.arms},
    }


def test_asking_before_a_plan_with_a_control_is_complete_reveals_nothing(here):
    plan = gate_plan.plan_gate(here, "p1", control="p0").plan
    before = here.store.count(Outcome, {"stage": Stage.GATE})
    decision = gate.decide_gate(here, "p1")
    for _ in range(6):
        todo = gate_trials.take_next_trial(here, plan)
        gate_trials.record_trial(here, plan, todo.order, "success")
        assert gate.decide_gate(here, "p1").id == decision.id, "a result that counted would name its arm"
        assert gate.decide_gate(here, "p0").trials == 0
    assert decision.status is Status.CANNOT_TELL
    assert decision.trials == before
    waits = {d.code for t in decision.tests for d in t.message.details}
    assert "evaluate.blind_plan" in waits
    assert here.store.count(Outcome, {"stage": Stage.GATE}) == before
    assert gate_plan.show_trials(here, plan).arms == ()
    report = gate_report.show_gate_report(here, "p1")
    assert len(report.outcomes) == before
    assert report.plans[0].arms == ()
    assert [n.code for n in report.plans[0].deviations] == ["evaluate.trials_not_made"]


def test_a_blind_plan_stays_blind_when_the_gate_fails_for_another_reason(here, monkeypatch):
    plan = gate_plan.plan_gate(here, "p1", control="p0").plan
    gate_trials.record_trial(here, plan, 1, "success")
    slow = dataclasses.replace(FAST, status=Status.FAILED)
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, slow))
    assert gate.decide_gate(here, "p1").status is Status.FAILED
    assert gate_plan.show_trials(here, plan).arms == ()
    assert gate_report.show_gate_report(here, "p1").plans[0].arms == ()
    gate_trials.record_trial(here, plan, 2, "success")


def test_the_report_states_what_the_decision_used(here):
    decision = gate.decide_gate(here, "p1")
    plan = gate_plan.plan_gate(here, "p1").plan
    gate_trials.record_trial(here, plan, 1, "success")
    used = gate_report.collect_report(here, decision)
    here.__dict__["operations"] = parse_operations("[gate.base_trials]\nvalue = 7\n", "operations.toml")
    later = gate_report.collect_report(here, decision)
    assert (later.outcomes, later.limits, later.remarks) == (used.outcomes, used.limits, ())
    assert len(used.outcomes) == decision.trials
    older = gate_report.collect_report(here, dataclasses.replace(decision, basis=None))
    assert [n.code for n in older.remarks] == ["evaluate.limits_changed"]


def test_what_is_typed_in_without_a_control_counts_at_once(here):
    before = here.store.count(Outcome, {"stage": Stage.GATE})
    plan = gate_plan.plan_gate(here, "p1").plan
    gate_trials.record_trial(here, plan, 1, "success")
    assert gate.decide_gate(here, "p1").trials == before + 1
    assert len(gate_report.show_gate_report(here, "p1").outcomes) == before + 1


def test_a_corrected_trial_is_another_question_to_the_gate(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    make_all(here, plan)
    first = gate.decide_gate(here, "p1")
    assert gate.decide_gate(here, "p1").id == first.id
    gate_trials.correct_trial(here, plan, 1, "failure", reason="it fell later", failure=FailureClass.PLACEMENT)
    assert gate.decide_gate(here, "p1").id != first.id


def test_a_plan_that_has_decided_takes_no_further_trials(here, monkeypatch):
    plan = gate_plan.plan_gate(here, "p1").plan
    gate_trials.record_trial(here, plan, 1, "failure")
    slow = dataclasses.replace(FAST, status=Status.FAILED)
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, slow))
    assert gate.decide_gate(here, "p1").status is Status.FAILED
    with pytest.raises(Refused, match="has decided"):
        gate_trials.record_trial(here, plan, 19, "success")
    with pytest.raises(Refused, match="has decided"):
        gate_trials.take_next_trial(here, plan)
    assert gate_plan.plan_gate(here, "p1").plan != plan


def test_an_operator_may_report_planned_trials_and_no_others(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    robot = here.acting_as(Actor("arm-1", Role.ROBOT))
    todo = gate_trials.take_next_trial(robot, plan, for_robot=True)
    assert todo.policy == P1
    made = gate_trials.record_trial(robot, plan, todo.order, "failure", steps_done=1, facts=("grip_n=1.5",))
    assert (made.judged_by, made.facts) == ("arm-1", (("grip_n", 1.5),))


def test_executed_chunks_become_facts_of_the_trial(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    made = gate_trials.record_trial(here, plan, 1, "success", chunks="[[[0],[1],[2]],[[3],[4],[5]]]")
    assert dict(made.facts) == {"boundary_jump_steps": 1.0, "boundary_cosine": 1.0, "jitter_steps": 0.0}
    lines = {t.name: t for t in gate.decide_gate(here, "p1").tests}
    assert lines["chunk jitter"].status is Status.CANNOT_TELL
    assert lines["chunk jitter"].trials == 1


def test_a_failure_in_production_becomes_a_scenario_of_every_gate(here):
    opened = incident.open_incident(here, "Drops in the dark.", policy="p1", site="leipzig-b", stratum="lighting=dim")
    kept = gate_kept.keep_scenario(here, incident=opened.incident.id)
    assert (kept.name, str(kept.stratum)) == ("incident:1", "lighting=dim,site=leipzig-b")
    with pytest.raises(Refused, match="kept already, as the scenario incident:1"):
        gate_kept.keep_scenario(here, incident=opened.incident.id)
    for policy in ("p1", "p0"):
        sheet = gate_plan.show_trials(here, policy)
        (row,) = [row for row in sheet.rows if row.scenario == "incident:1"]
        assert row.stratum.level("lighting") == "dim"
        assert row.stratum.level("tier") == "high", "what the failure leaves open follows the deployment"
    (test,) = [t for t in gate.decide_gate(here, "p0").tests if t.name == "incident:1"]
    assert test.status is Status.CANNOT_TELL
    assert gate_kept.list_kept_scenarios(here) == (kept,)


def test_a_newly_kept_failure_asks_the_gate_again(here):
    before = gate.decide_gate(here, "p1")
    opened = incident.open_incident(here, "Drops in the dark.", policy="p1", stratum="lighting=dim")
    gate_kept.keep_scenario(here, incident=opened.incident.id)
    after = gate.decide_gate(here, "p1")
    assert after.id != before.id
    assert "incident:1" in {t.name for t in after.tests}
    assert gate.decide_gate(here, "p1").id == after.id


def test_a_failure_kept_at_one_site_is_no_matter_of_a_gate_of_another(here):
    mapped = require_latest_deployment(here)
    (first,) = mapped.measured
    other = dataclasses.replace(first, stratum=Stratum.of(**{**first.stratum.levels, "site": "gdansk"}))
    halves = tuple(dataclasses.replace(e, share=0.5) for e in (first, other))
    here.write(DeploymentMapped(dataclasses.replace(mapped, measured=halves)))
    elsewhere = gate.decide_gate(here, "p1", site="gdansk")
    for site, light in (("leipzig-b", "dim"), ("", "dark")):
        opened = incident.open_incident(here, "Drops.", policy="p1", site=site, stratum=f"lighting={light}")
        gate_kept.keep_scenario(here, incident=opened.incident.id)

    def planned_and_required(site):
        rows = gate_plan.show_trials(here, "p1", site=site).rows
        tests = gate.decide_gate(here, "p1", site=site).tests
        return {r.scenario for r in rows if "incident" in r.scenario}, {t.name for t in tests if "incident" in t.name}

    assert planned_and_required("gdansk") == ({"incident:2"}, {"incident:2"})
    assert planned_and_required("leipzig-b") == planned_and_required("") == ({"incident:1", "incident:2"},) * 2
    decided = gate.decide_gate(here, "p1", site="gdansk")
    assert decided.id != elsewhere.id
    assert {kept.name for kept in gate_report.collect_report(here, decided).kept} == {"incident:2"}


def test_only_a_failure_with_conditions_is_kept(here):
    with pytest.raises(BadInput, match="either the incident"):
        gate_kept.keep_scenario(here)
    good = next(o for o in here.store.find(Outcome, {"stage": Stage.PRODUCTION}) if o.succeeded)
    bad = next(o for o in here.store.find(Outcome, {"stage": Stage.PRODUCTION}) if o.succeeded is False)
    with pytest.raises(Refused, match="only a failure becomes a scenario"):
        gate_kept.keep_scenario(here, outcome=good.id)
    assert gate_kept.keep_scenario(here, outcome=bad.id).stratum == bad.stratum
    everywhere = incident.open_incident(here, "It stops.", policy="p1").incident
    with pytest.raises(BadInput, match="conditions of this failure are not known"):
        gate_kept.keep_scenario(here, incident=everywhere.id)


def test_a_pause_in_the_block_and_another_order_are_deviations(here):
    plan = gate_plan.plan_gate(here, "p1").plan
    block = [row.order for row in gate_plan.show_trials(here, plan).rows if row.scenario == "consecutive"]
    gate_trials.record_trial(here, plan, block[0], "success")
    here.clock.pass_days(0.05)
    gate_trials.record_trial(here, plan, block[1], "unknown")
    gate_trials.record_trial(here, plan, 1, "success")
    codes = {n.code for n in gate_plan.show_trials(here, plan).deviations}
    assert {"evaluate.block_paused", "evaluate.trials_unknown"} <= codes

"""Every look at a policy draws fresh trials, asking again is no look, and a site is judged by its own trials."""

import dataclasses
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from tests.doors.story import NOW, S
from tests.serve.hand_made_policy import GUARD, NAMES

from fieldloop.errors import Refused, StoreBusy, UnknownName
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.run import rollout, serve
from fieldloop.loop.ship import gate, gate_plan
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.decision import Decision
from fieldloop.model.event import DeploymentMapped, OutcomeRecorded, PolicyGated
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT, note
from fieldloop.model.policy import Action, Outcome, Stage
from fieldloop.model.serving import Moved
from fieldloop.protocol import parse_operations
from fieldloop.simulate.arm.floor import Floor
from fieldloop_robot.guard import fingerprint_limits

FAST = Finding("serve.latency", NO_SUBJECT, Status.PASSED, 12.0, None, 80.0, "ms")
SMALL = {
    "base_trials": 4, "distractor_trials": 2, "lighting_trials": 1, "position_trials": 1, "consecutive_trials": 4,
}  # fmt: skip
EVERYTHING = {"tier": "high", "bin": "front", "lighting": "bright"}


class Fixed:
    """Grasps at the same place whatever it sees."""

    bundle = SimpleNamespace(
        guard=GUARD, guard_fingerprint=fingerprint_limits(GUARD), policy="c" * 64, name="p1", horizon=1
    )

    def act(self, _observation):
        return Action(NAMES, np.array([0.5, 0.1, 0.2, 0.0, 0.08, 15.0]), 0.9, 1.0)


@pytest.fixture
def floor(told, monkeypatch):
    """The told workspace, deployed at two sites of the simulated floor, with a gate of few trials."""
    text = "".join(f"[gate.{name}]\nvalue = {value}\n" for name, value in SMALL.items())
    told.__dict__["operations"] = parse_operations(text, "operations.toml")
    sites = [Exposure(Stratum.of(site=site, **EVERYTHING), share) for site, share in (("gdansk", 0.7), ("lab", 0.3))]
    told.write(DeploymentMapped(dataclasses.replace(require_latest_deployment(told), measured=tuple(sites))))
    monkeypatch.setattr(gate, "load_engine", lambda *_: Fixed())
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, FAST))
    return told


def trials_of(workspace, **where):
    return workspace.store.find(Outcome, {"policy": "c" * 64, "stage": Stage.GATE} | where)


def record(workspace, amount, *, begin=0, **changes):
    (first, *_) = trials_of(workspace)
    made = [
        dataclasses.replace(first, id=f"more_{n:04d}", at_ns=NOW - S + n, **changes)
        for n in range(begin, begin + amount)
    ]
    workspace.write(*map(OutcomeRecorded, made))


def test_the_same_seed_draws_fresh_trials_at_every_look_but_keeps_the_positions(floor):
    listed = gate_plan.list_trials(floor, "p1", seed=5)
    gate.decide_gate(floor, "p1", simulate=True, seed=5)
    again = gate_plan.list_trials(floor, "p1", seed=5)
    gate.decide_gate(floor, "p1", simulate=True, seed=5)
    assert Counter(t.scenario for t in listed) == Counter(t.scenario for t in again)
    assert [t.scenario for t in listed] != [t.scenario for t in again]
    assert {t.parameters for t in listed} == {t.parameters for t in again}

    made = [o for o in trials_of(floor) if o.judged_by == "simulated floor"]
    assert len(made) == 2 * len(listed)
    assert len({o.id for o in made}) == len(made)


def test_no_scene_is_drawn_twice(floor, monkeypatch):
    drawn, chance = [], Floor.make_random_generator

    def noted(self, *words):
        drawn.append(words)
        return chance(self, *words)

    monkeypatch.setattr(Floor, "make_random_generator", noted)
    for _ in range(2):
        gate.decide_gate(floor, "p1", simulate=True, seed=5)
    scenes = [words for words in drawn if words[0] == "gate"]
    assert len(scenes) == len(set(scenes)) > 0
    assert {look for _, _, look, _ in scenes} == {2, 3}, "the story holds one decision already"


def test_asking_again_is_no_new_look(floor):
    first = gate.decide_gate(floor, "p1")
    before = floor.store.get_last_seq()
    assert gate.decide_gate(floor, "p1").id == first.id
    assert floor.store.get_last_seq() == before

    record(floor, 10)
    second = gate.decide_gate(floor, "p1")
    assert second.id != first.id
    # somebody corrects what was recorded: as many outcomes, other evidence
    record(floor, 10, succeeded=True)
    assert gate.decide_gate(floor, "p1").id not in (first.id, second.id)


def test_other_limits_are_another_question(floor):
    first = gate.decide_gate(floor, "p1")
    floor.__dict__["operations"] = parse_operations("[gate.base_trials]\nvalue = 7\n", "operations.toml")
    assert gate.decide_gate(floor, "p1").id != first.id


def test_an_unknown_scenario_does_not_brick_the_gate(floor):
    record(floor, 2, scenario="lightning:warm")
    decision = gate.decide_gate(floor, "p1")
    (message,) = (t.message for t in decision.tests if t.name == "consecutive")
    (unknown,) = (d for d in message.details if d.code == "evaluate.unknown_scenarios")
    assert unknown["outcomes"] == 2


def test_a_site_is_judged_by_its_own_trials_and_a_misspelt_one_is_named(floor):
    record(floor, 3, site="gdansk", scenario="base")
    decision = gate.decide_gate(floor, "p1", site="gdansk")
    assert decision.site == "gdansk"
    assert next(t for t in decision.tests if t.name == "consecutive").trials == 0
    assert next(t for t in gate.decide_gate(floor, "p1").tests if t.name == "consecutive").trials == 100
    assert gate.decide_gate(floor, "p1", site="gdansk").id == decision.id
    assert {t.stratum.level("site") for t in gate_plan.list_trials(floor, "p1", site="gdansk")} == {"gdansk"}
    assert gate_plan.list_trials(floor, "p1", site="leipzig-b"), "not deployed, but in the release"
    for ask in (gate_plan.list_trials, gate.decide_gate):
        with pytest.raises(UnknownName, match=r"'gdanks'. Did you mean 'gdansk'"):
            ask(floor, "p1", site="gdanks")


def test_missing_novel_lightings_are_reported(floor):
    text = '[gate.lighting_levels]\nvalue = ["warm", "bright", "dim"]\n'
    floor.__dict__["operations"] = parse_operations(text, "operations.toml")
    few = note("evaluate.few_novel_lightings", left=1, wanted=3)
    names = [t.name for t in gate.decide_gate(floor, "p1").tests if few in t.message.details]
    assert names == [f"lighting:untried {n}" for n in (1, 2, 3)]


def test_two_gates_at_once_do_not_both_count(floor, monkeypatch):
    def meanwhile(*_):
        floor.write(PolicyGated(Decision("decision_x", "c" * 64, Status.FAILED, (), "f", NOW)))
        return None, FAST

    monkeypatch.setattr(gate, "measure_latency", meanwhile)
    with pytest.raises(StoreBusy, match="changed meanwhile"):
        gate.decide_gate(floor, "p1", simulate=True)
    assert len(trials_of(floor)) == 100, "all or nothing"


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.PASSED])
def test_only_a_latency_that_passed_is_served(told, monkeypatch, status):
    monkeypatch.setattr(serve, "load_engine", lambda *_: Fixed())
    monkeypatch.setattr(serve, "measure_admission", lambda *_: (None, dataclasses.replace(FAST, status=status)))
    with pytest.raises(Refused, match=rf"latency \({status}\)"):
        serve.serve_policies(told, ("p1",))


def test_a_version_whose_last_gate_did_not_pass_is_served_only_with_a_reason(told, monkeypatch):
    served = []
    monkeypatch.setattr(serve, "load_engine", lambda *_: Fixed())
    monkeypatch.setattr(serve, "measure_admission", lambda *_: (None, FAST))
    monkeypatch.setattr(serve, "make_app", lambda *_: "app")
    monkeypatch.setattr(serve, "run_server", lambda *a: served.append(a[0]))
    serve.serve_policies(told, ("p1",))
    told.write(PolicyGated(Decision("decision_2", "c" * 64, Status.CANNOT_TELL, (), "f", NOW)))
    with pytest.raises(Refused, match="last gate is cannot_tell"):
        serve.serve_policies(told, ("p1",))
    # one site that passed says nothing of the others
    told.write(PolicyGated(Decision("decision_3", "c" * 64, Status.PASSED, (), "f", NOW, site="leipzig-b")))
    assert rollout.find_last_gate_decision(told, "c" * 64).id == "decision_2"
    with pytest.raises(Refused, match="last gate is cannot_tell"):
        serve.serve_policies(told, ("p1",), override=" ")
    before = told.store.get_last_seq()
    serve.serve_policies(told, ("p1",), override="On the bench.")
    assert served == ["app", "app"]
    started, stopped = (r.event.serving for r in told.store.read_tail(after=before))
    assert (started.moved, started.reason, started.overrode) == (Moved.STARTED, "On the bench.", True)
    assert (stopped.moved, stopped.overrode, stopped.id) == (Moved.STOPPED, False, started.id)
    assert told.store.get_last_seq() == before + 2

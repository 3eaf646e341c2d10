"""Outcomes come in once each, from those who may say so, and only if they can have happened."""

import dataclasses
import json

import pytest

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.house import setup
from fieldloop.loop.plan import known as plan_known
from fieldloop.loop.run import monitor
from fieldloop.loop.workspace import open_workspace
from fieldloop.model.codec import to_plain
from fieldloop.model.condition import Stratum
from fieldloop.model.event import DemandPlaced, PlanDrawn, PolicyTrained
from fieldloop.model.note import note
from fieldloop.model.person import Actor, Role
from fieldloop.model.plan import Demand, Plan
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.store import open_shelf, open_store

NOW_NS = 1_760_000_000 * 10**9
POLICY = PolicyVersion("a" * 64, "p1", "r", "reference", "b", 10, 0, 0.01, 5.0)


@pytest.fixture
def here(tmp_path):
    setup.init(tmp_path)
    opened = open_workspace(
        tmp_path, store=open_store("sqlite://"), shelf=open_shelf("memory://"), clock=lambda: NOW_NS
    )
    opened.write(PolicyTrained(POLICY))
    yield opened
    opened.close()


def told(**changed):
    usual = Outcome(
        "o1", POLICY.id, Stratum.of(site="x"), Stage.PRODUCTION, "x", "r", NOW_NS, succeeded=True, judged_by="arm"
    )
    return dataclasses.replace(usual, **changed)


def written(folder, *outcomes):
    file = folder / "spool.jsonl"
    file.write_text("\n".join(json.dumps(to_plain(o)) for o in outcomes))
    return file


def test_an_outcome_counts_once_however_often_it_is_delivered(here, tmp_path):
    file = written(tmp_path, told(), told(id="o2", succeeded=False))
    assert monitor.record(here, file) == monitor.RecordedOutcomes(2, 0)
    assert monitor.record(here, file) == monitor.RecordedOutcomes(0, 2)
    assert monitor.add(here, "p1", "failure", outcome="o2", site="x").succeeded is False
    assert here.store.count(Outcome) == 2


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"policy": "unknown"}, "No policy"),
        ({"interventions": -3}, "not a valid count"),
        ({"cycle_s": -1.0}, "not a valid measurement"),
        ({"at_ns": NOW_NS + 3600 * 10**9}, "from the future"),
        ({"stage": Stage.GATE, "scenario": "whatever"}, "not a scenario of a gate"),
    ],
)
def test_what_cannot_have_happened_is_refused_and_nothing_is_written(here, tmp_path, changed, says):
    with pytest.raises(BadInput, match=says):
        monitor.record(here, written(tmp_path, told(id="fine"), told(**changed)))
    assert here.store.count(Outcome) == 0


def test_a_robot_does_not_gate_itself(here):
    robot = here.acting_as(Actor("arm-1", Role.ROBOT))
    assert monitor.add(robot, "p1", "success", site="x").judged_by == "arm-1"
    with pytest.raises(Refused, match="Only engineers may record"):
        monitor.add(robot, "p1", "success", stage=Stage.GATE, scenario="consecutive")


def test_a_demand_waits_until_a_plan_has_answered_all_of_it(here):
    why = note("respond.reported", what="cold")
    here.write(DemandPlaced(Demand("d1", Stratum.of(site="x"), 30, why, "incident_1", NOW_NS)))
    drawn = Plan("plan_1", 40, "marginal", (), (), 0.0, NOW_NS, "", answered=(("d1", 20),))
    assert [d.demonstrations for d in plan_known.open_demands(here)] == [30]
    here.write(PlanDrawn(drawn))
    assert [d.demonstrations for d in plan_known.open_demands(here)] == [10]
    here.write(PlanDrawn(dataclasses.replace(drawn, id="plan_2", answered=(("d1", 10),))))
    assert plan_known.open_demands(here) == []

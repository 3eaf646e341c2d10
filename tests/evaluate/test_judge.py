"""Only a gate in which every test passed admits a policy."""

import dataclasses

import numpy as np
import pytest

from fieldloop.errors import BadInput
from fieldloop.evaluate import GateCase, judge_gate, note_missing_lightings, plan_gate_trials
from fieldloop.evaluate.trial import EDGES
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.finding import Finding, Status
from fieldloop.model.note import NO_SUBJECT
from fieldloop.model.policy import Outcome, Stage
from fieldloop.protocol import default_operations

GATE = default_operations()["gate"]
FAST = Finding("serve.latency", NO_SUBJECT, Status.PASSED, 12.0, None, 80.0, "ms")
EXPOSURES = [Exposure(Stratum.of(lighting="bright"), 0.7), Exposure(Stratum.of(lighting="dim"), 0.3)]


def outcomes(rate=1.0, cycle_s=7.0, seed=0, **rates):
    """Run the planned trials with a policy that succeeds at a rate, by scenario where given."""
    rng = np.random.default_rng(seed)
    made = []
    for t in plan_gate_trials("p1", EXPOSURES, GATE, rng):
        chance = rates.get(t.scenario.partition(":")[0], rate)
        took = cycle_s + rng.normal(0, 0.3)
        made.append(
            Outcome(f"o{t.order}", "p1", t.stratum, Stage.GATE, "s", "r", t.order, bool(rng.random() < chance), "floor",
                    scenario=t.scenario, cycle_s=took)
        )  # fmt: skip
    return made


def decided(made, latency=FAST, target=8.0, **more):
    return judge_gate(made, latency, GATE, target, policy="p1", decision_id="decision_1", at_ns=9, **more)


def statuses(decision):
    return {t.name: t.status for t in decision.tests}


def test_a_good_policy_is_admitted_with_its_evidence():
    decision = decided(outcomes(0.99))
    assert decision.status is Status.PASSED
    assert decision.operations == GATE.fingerprint
    assert (decision.id, decision.policy, decision.at_ns) == ("decision_1", "p1", 9)
    assert set(statuses(decision)) == {
        "lighting:cool", "lighting:side", "lighting:warm", *(f"position:{n}" for n in range(1, 6)), "distractors",
        "edge:pose", "edge:gripper", "edge:joint", "edge:camera",
        "consecutive", "consecutive pattern", "latency", "cycle time",
    }  # fmt: skip


def test_nothing_tried_admits_nothing():
    decision = decided([], latency=None, target=None)
    assert decision.status is Status.CANNOT_TELL
    assert set(statuses(decision).values()) == {Status.CANNOT_TELL}
    assert sum(t.more_trials for t in decision.tests if t.name.startswith("lighting:")) == 120


@pytest.mark.parametrize(
    ("rates", "test"),
    [
        ({"lighting": 0.3}, "lighting:warm"),
        ({"position": 0.3}, "position:1"),
        ({"edge": 0.0}, "edge:camera"),
        ({"distractors": 0.4}, "distractors"),
        ({"consecutive": 0.6}, "consecutive"),
    ],
)
def test_one_failed_requirement_keeps_a_policy_out(rates, test):
    decision = decided(outcomes(0.99, **rates))
    assert decision.status is Status.FAILED
    assert statuses(decision)[test] is Status.FAILED


def test_a_middling_policy_is_asked_for_more():
    decision = decided(outcomes(0.87))
    assert decision.status is Status.CANNOT_TELL
    assert any(t.more_trials for t in decision.tests)


def test_accurate_but_slow_fails():
    decision = decided(outcomes(0.99, cycle_s=9.0))
    assert (decision.status, statuses(decision)["cycle time"]) == (Status.FAILED, Status.FAILED)
    assert statuses(decided(outcomes(0.99, cycle_s=8.0)))["cycle time"] is Status.CANNOT_TELL
    assert statuses(decided(outcomes(0.99), target=None))["cycle time"] is Status.CANNOT_TELL


def test_untimed_cycles_cannot_tell():
    untimed = [dataclasses.replace(o, cycle_s=None) for o in outcomes(0.99)]
    assert statuses(decided(untimed))["cycle time"] is Status.CANNOT_TELL


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANNOT_TELL])
def test_latency_is_part_of_the_gate(status):
    assert decided(outcomes(0.99), dataclasses.replace(FAST, status=status)).status is status


def test_an_intervention_is_no_autonomous_success():
    helped = [dataclasses.replace(o, interventions=int(o.scenario == "consecutive")) for o in outcomes(1.0)]
    assert statuses(decided(helped))["consecutive"] is Status.FAILED


def test_order_follows_time_not_the_list():
    worn = sorted(outcomes(1.0), key=lambda o: o.at_ns)
    worn = [dataclasses.replace(o, succeeded=n < len(worn) - 8) for n, o in enumerate(worn)]
    shuffled = [worn[i] for i in np.random.default_rng(0).permutation(len(worn))]
    assert statuses(decided(shuffled))["consecutive pattern"] is Status.FAILED


def test_a_missing_lighting_is_not_forgotten():
    partial = [o for o in outcomes(1.0) if o.scenario != "lighting:side"]
    found = statuses(decided(partial))
    assert found["lighting:untried 3"] is Status.CANNOT_TELL
    assert decided(partial).status is Status.CANNOT_TELL


def test_a_production_failure_stays_a_scenario():
    more = [
        Outcome(f"x{n}", "p1", Stratum(), Stage.GATE, "s", "r", n, False, "floor", scenario="incident:17")
        for n in range(15)
    ]
    assert statuses(decided([*outcomes(1.0), *more]))["incident:17"] is Status.FAILED


def test_one_bad_position_is_not_hidden_by_four_good_ones():
    made = [
        dataclasses.replace(o, succeeded=n % 2 == 0) if o.scenario == "position:4" else o
        for n, o in enumerate(outcomes(1.0))
    ]
    found = statuses(decided(made))
    assert found["position:4"] is not Status.PASSED
    assert {found[f"position:{n}"] for n in (1, 2, 3, 5)} == {Status.PASSED}
    assert decided(made).status is not Status.PASSED


@pytest.mark.parametrize("edge", EDGES)
def test_an_edge_case_that_was_not_tried_keeps_the_gate_from_passing(edge):
    decision = decided([o for o in outcomes(1.0) if o.scenario != edge])
    assert decision.status is Status.CANNOT_TELL
    assert [(t.name, t.more_trials) for t in decision.tests if t.status is not Status.PASSED] == [(edge, 15)]


def test_a_kept_scenario_that_was_not_tried_keeps_every_policy_from_passing():
    decision = decided(outcomes(1.0), case=GateCase(("incident:3",)))
    assert decision.status is Status.CANNOT_TELL
    assert [t.name for t in decision.tests if t.status is not Status.PASSED] == ["incident:3"]


def test_the_same_outcome_twice_counts_once():
    made = outcomes(0.99)
    assert decided(made * 2).tests == decided(made).tests


def test_an_outcome_of_no_known_scenario_is_left_out_and_reported():
    made = outcomes(0.99)
    odd = [dataclasses.replace(made[0], id=f"odd{n}", scenario="lightning:warm", succeeded=False) for n in range(3)]
    with_odd, without = decided([*made, *odd]), decided(made)
    assert (with_odd.status, statuses(with_odd)) == (without.status, statuses(without))
    (message,) = (t.message for t in with_odd.tests if t.name == "consecutive")
    (unknown,) = [d for d in message.details if d.code == "evaluate.unknown_scenarios"]
    assert (unknown["outcomes"], unknown["scenarios"]) == (3, ("'lightning:warm'",))
    assert "not counted" not in str(without.tests)


def test_missing_novel_lightings_are_reported():
    untried = decided([])
    assert note_missing_lightings(untried, 3, GATE) == untried
    left = note_missing_lightings(decided([o for o in outcomes(1.0) if o.scenario != "lighting:side"]), 2, GATE)
    few = "evaluate.few_novel_lightings"
    assert [t.name for t in left.tests if few in {d.code for d in t.message.details}] == ["lighting:untried 3"]
    assert next(d["left"] for t in left.tests for d in t.message.details if d.code == few) == 2


def test_results_of_another_policy_are_refused():
    made = outcomes(1.0)
    with pytest.raises(BadInput, match="is of policy p2"):
        decided([dataclasses.replace(made[0], policy="p2")])


def repeated(made, sets):
    return [dataclasses.replace(o, id=f"{o.id}-{n}", at_ns=o.at_ns + n * 10_000) for n in range(sets) for o in made]


def test_a_later_look_must_be_surer():
    made = outcomes(1.0)
    lows = [next(t.low for t in decided(repeated(made, n)).tests if t.name == "consecutive") for n in (1, 2, 3)]
    assert lows == pytest.approx([0.025**0.01, (0.05 / 6) ** 0.005, (0.05 / 12) ** (1 / 300)])


def test_asking_between_complete_sets_changes_nothing():
    made = sorted(outcomes(0.99), key=lambda o: o.at_ns)
    more = [dataclasses.replace(o, id=f"{o.id}-2", at_ns=o.at_ns + 10_000, succeeded=False) for o in made[::3]]
    first, again = decided(made), decided([*made, *more])
    by_rate = [t for t in first.tests if t.name not in ("consecutive pattern", "latency")]
    assert [t.low for t in again.tests if t.name not in ("consecutive pattern", "latency")] == [t.low for t in by_rate]


def test_cycle_time_waits_for_the_planned_trials():
    few = [o for o in outcomes(0.99) if o.scenario != "consecutive"]
    (cycle,) = [t for t in decided(few).tests if t.name == "cycle time"]
    assert (cycle.status, cycle.message.code, cycle.more_trials) == (
        Status.CANNOT_TELL, "evaluate.cycle_too_early", 100,
    )  # fmt: skip

"""The ladder: the button takes one version off once, shadow is no dead end, and who came back starts anew."""

import dataclasses

import pytest

from fieldloop.errors import Refused, StoreBusy
from fieldloop.loop.run import rollout
from fieldloop.model.condition import Stratum
from fieldloop.model.decision import Decision
from fieldloop.model.event import OutcomeRecorded, PolicyGated, PolicyTrained, RolloutMoved
from fieldloop.model.finding import Status
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.rollout import Rollout, Rung
from fieldloop.say import write_sentence

OLD, NEW = "c" * 64, "d" * 64


@pytest.fixture
def floor(told):
    """p1 is in production; p2 passed its gate."""
    (first,) = rollout.list_rollouts(told)
    told.write(RolloutMoved(dataclasses.replace(first, rung=Rung.FLEET, share=1.0)))
    (p1,) = told.store.find(PolicyVersion)
    told.write(PolicyTrained(dataclasses.replace(p1, id=NEW, name="p2")))
    pass_gate(told, "decision_2")
    return told


def pass_gate(workspace, name, **more):
    workspace.write(PolicyGated(Decision(name, NEW, Status.PASSED, (), "f", workspace.clock(), **more)))


def record(workspace, policy, stage, successes, trials):
    now = workspace.clock()
    made = [
        Outcome(f"{policy[0]}_{stage}_{now}_{n}", policy, Stratum(), stage, "s", "r", now - n, n < successes, "floor")
        for n in range(trials)
    ]
    workspace.write(*map(OutcomeRecorded, made))


def test_the_button_pressed_twice_takes_one_version_off(floor):
    rollout.start_policy_rollout(floor, "p2")
    assert rollout.roll_back_candidate(floor, reason="smoke").candidate == NEW
    with pytest.raises(Refused, match=r"no rollout is in progress.*--production"):
        rollout.roll_back_candidate(floor)
    assert rollout.find_version_in_production(floor) == OLD

    assert rollout.roll_back_candidate(floor, production=True).candidate == OLD
    assert rollout.find_version_in_production(floor) is None
    with pytest.raises(Refused, match="no version is in production"):
        rollout.roll_back_candidate(floor, production=True)


def test_the_version_in_production_may_be_taken_off_while_another_climbs(floor):
    rollout.start_policy_rollout(floor, "p2")
    assert rollout.roll_back_candidate(floor, production=True).candidate == OLD
    assert rollout.find_rollout_in_progress(floor).candidate == NEW


def test_shadow_climbs_on_what_it_showed_in_shadow(floor):
    assert rollout.start_policy_rollout(floor, "p2", shadow=True).rung is Rung.SHADOW
    floor.clock.pass_days(8)
    record(floor, OLD, Stage.PRODUCTION, 900, 1000)
    assert rollout.advance_current_rollout(floor).rung is Rung.SHADOW
    record(floor, NEW, Stage.SHADOW, 930, 1000)
    climbed = rollout.advance_current_rollout(floor)
    assert (climbed.rung, climbed.candidate_episodes, climbed.incumbent_episodes) == (Rung.TRIAL, 1000, 1000)
    # what it showed without being obeyed does not count on the next rung
    assert rollout.advance_current_rollout(floor).candidate_episodes == 0


def test_there_is_no_shadow_of_nothing(floor):
    rollout.roll_back_candidate(floor, production=True)
    with pytest.raises(Refused, match="nothing to shadow"):
        rollout.start_policy_rollout(floor, "p2", shadow=True)


def test_who_came_back_needs_a_new_gate(floor):
    rollout.start_policy_rollout(floor, "p2")
    rollout.roll_back_candidate(floor)
    for override in ("", "We like it."):
        with pytest.raises(Refused, match="was rolled back after its last gate"):
            rollout.start_policy_rollout(floor, "p2", override=override)
    pass_gate(floor, "decision_3")
    assert rollout.start_policy_rollout(floor, "p2").rung is Rung.TRIAL


def test_a_gate_of_one_site_does_not_count_for_all(floor):
    floor.write(PolicyGated(Decision("decision_3", NEW, Status.FAILED, (), "f", floor.clock())))
    pass_gate(floor, "decision_4", site="leipzig-b")
    with pytest.raises(Refused, match="is: failed"):
        rollout.start_policy_rollout(floor, "p2")


@pytest.mark.parametrize(
    "step",
    [
        rollout.advance_current_rollout,
        rollout.roll_back_candidate,
        lambda w: rollout.start_policy_rollout(w, "p1", override="a trial"),
    ],
)
def test_what_someone_else_moved_meanwhile_is_not_written_over(floor, step, monkeypatch):
    if step in (rollout.advance_current_rollout, rollout.roll_back_candidate):
        rollout.start_policy_rollout(floor, "p2")
    else:
        rollout.roll_back_candidate(floor, production=True)
        floor.write(PolicyGated(Decision("decision_9", OLD, Status.PASSED, (), "f", floor.clock())))
    other = dataclasses.replace(rollout.list_rollouts(floor)[0], id="rollout_other", rung=Rung.BACK)
    told = type(floor).write

    def late(self, *events, **more):
        self.store.append([RolloutMoved(other)], actor="eva", at_ns=0)
        return told(self, *events, **more)

    monkeypatch.setattr(type(floor), "write", late)
    before = {r.id: r for r in floor.store.find(Rollout)}
    with pytest.raises(StoreBusy, match="The rollout changed meanwhile; reload it and try again"):
        step(floor)
    assert {r.id: r for r in floor.store.find(Rollout)} == before | {other.id: other}


def test_a_gate_that_did_not_pass_names_the_option_to_override_it(floor):
    floor.write(PolicyGated(Decision("decision_3", NEW, Status.CANNOT_TELL, (), "f", floor.clock())))
    with pytest.raises(Refused, match="--override") as refused:
        rollout.start_policy_rollout(floor, "p2")
    assert "cannot_tell" not in str(refused.value)
    begun = rollout.start_policy_rollout(floor, "p2", override="a pilot")
    assert "cannot_tell" not in write_sentence(begun.reason)

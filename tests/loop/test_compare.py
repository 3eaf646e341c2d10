"""Two policy versions are compared by what the ledger holds; simulated scenes are drawn on, and never met twice."""

import dataclasses
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from tests.doors.story import NOW, S
from tests.doors.visitor import Visitor
from tests.loop.test_gate_trials import FAST, SMALL, make_all
from tests.serve.hand_made_policy import GUARD, NAMES

from fieldloop.api.app import build_app
from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.audit.audit import require_latest_deployment
from fieldloop.loop.ship import compare, gate, gate_plan
from fieldloop.model.comparison import Question, Verdict
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.event import DeploymentMapped, OutcomeRecorded, PolicyTrained
from fieldloop.model.finding import Status
from fieldloop.model.policy import Action, Outcome, PolicyVersion, Stage
from fieldloop.model.trial import TrialPlan
from fieldloop.ui import mount_ui
from fieldloop_robot.guard import fingerprint_limits

EVERYTHING = {"tier": "high", "bin": "front", "lighting": "bright"}
OLD, NEW = "c" * 64, "d" * 64


class Fixed:
    """Grasps at the same place whatever it sees, with one force."""

    bundle = SimpleNamespace(guard=GUARD, guard_fingerprint=fingerprint_limits(GUARD))

    def __init__(self, force):
        self.force = force

    def act(self, _observation):
        return Action(NAMES, np.array([0.5, 0.1, 0.2, 0.0, 0.08, self.force]), 0.9, 1.0)


@pytest.fixture
def two(told, monkeypatch):
    """The told workspace with a second version, and a map of two sites of the simulated floor."""
    (first,) = told.store.find(PolicyVersion)
    told.write(PolicyTrained(dataclasses.replace(first, id=NEW, name="p2")))
    sites = [Exposure(Stratum.of(site=site, **EVERYTHING), share) for site, share in (("gdansk", 0.7), ("lab", 0.3))]
    told.write(DeploymentMapped(dataclasses.replace(require_latest_deployment(told), measured=tuple(sites))))
    monkeypatch.setattr(compare, "load_engine", lambda _, version: Fixed(15.0 if version.id == OLD else 0.5))
    set_most_pairs(told, 50)
    return told


def set_most_pairs(workspace, pairs):
    sections = dict(workspace.operations.sections)
    sections["gate"] = sections["gate"].replace_values(compare_max_pairs=pairs)
    workspace.__dict__["operations"] = dataclasses.replace(workspace.operations, sections=sections)


def record(workspace, policy, results, *, begin=0, **changes):
    first = Outcome("", policy, Stratum.of(**EVERYTHING), Stage.LAB, "gdansk", "arm-1", 0, True, "anna")
    turn = 0 if policy == NEW else 1
    made = [
        dataclasses.replace(
            first, id=f"{policy[:4]}_{begin + n:04d}", at_ns=NOW - 9000 * S + (2 * (begin + n) + turn) * S,
            succeeded=won, **changes,
        )
        for n, won in enumerate(results)
    ]  # fmt: skip
    workspace.write(*map(OutcomeRecorded, made))


def test_recorded_trials_are_compared_and_a_longer_record_goes_on(two):
    assert compare.compare_policy_versions(two, "p2", "p1").verdict is Verdict.UNDECIDED
    record(two, NEW, [True] * 5)
    record(two, OLD, [False] * 5)
    early = compare.compare_policy_versions(two, "p2", "p1")
    assert (early.verdict, early.pairs) == (Verdict.UNDECIDED, 5)
    record(two, NEW, [True] * 9, begin=5)
    record(two, OLD, [False] * 9, begin=5)
    found = compare.compare_policy_versions(two, "p2", "p1")
    assert (found.verdict, found.status, found.candidate, found.other) == (Verdict.BETTER, Status.PASSED, NEW, OLD)
    back = compare.compare_policy_versions(two, "p1", "p2", question=Question.DROPPED)
    assert (back.verdict, back.pairs) == (Verdict.WORSE, found.pairs)


def test_an_attempt_counts_once_however_many_judged_it(two):
    record(two, NEW, [True, True, False], attempt="pick-1")
    record(two, NEW, [True, False], begin=3, attempt="pick-2")
    record(two, NEW, [None, None], begin=5, attempt="pick-3")
    record(two, OLD, [True] * 8)
    found = compare.compare_policy_versions(two, "p2", "p1")
    assert (found.pairs, found.candidate_successes, found.unknown) == (2, 1, 1), "a tie is a failure"
    assert found.unused == 6 + 100, "the trials of p1's gate have no partner yet"


def test_production_is_no_trial(two):
    record(two, NEW, [True] * 9, stage=Stage.PRODUCTION)
    record(two, OLD, [False] * 9)
    assert compare.compare_policy_versions(two, "p2", "p1").pairs == 0


def test_a_version_is_not_compared_with_itself(two):
    with pytest.raises(BadInput, match="same version"):
        compare.compare_policy_versions(two, "p1", OLD)
    with pytest.raises(UnknownName, match="p9"):
        compare.compare_policy_versions(two, "p1", "p9")


def test_planned_trials_are_paired_by_scene_once_the_gate_has_decided(two, monkeypatch):
    monkeypatch.setattr(gate, "load_engine", lambda *_: SimpleNamespace(bundle=SimpleNamespace(horizon=1)))
    monkeypatch.setattr(gate, "measure_latency", lambda *_: (None, FAST))
    sections = dict(two.operations.sections)
    sections["gate"] = sections["gate"].replace_values(**SMALL)
    two.__dict__["operations"] = dataclasses.replace(two.operations, sections=sections)
    plan = gate_plan.plan_gate(two, "p2", control="p1").plan
    (kept,) = two.store.find(TrialPlan)
    make_all(two, plan, lambda todo: kept.find_trial(todo.order).scene % 2 == 0)
    assert compare.compare_policy_versions(two, "p2", "p1").pairs == 0, "blind until the gate decides"
    gate.decide_gate(two, "p2")
    found = compare.compare_policy_versions(two, "p2", "p1")
    arms = [{trial.scene for trial in kept.trials if trial.policy == arm} for arm in (NEW, OLD)]
    assert found.paired
    assert found.pairs == len(arms[0] & arms[1]) > 10
    assert (found.candidate_only, found.other_only) == (0, 0), "the same scene, the same result"


def simulated(workspace):
    return [o for o in workspace.store.find(Outcome, {"stage": Stage.LAB}) if o.scenario.startswith("compared:")]


def test_simulated_scenes_are_the_same_for_both_and_end_with_the_answer(two):
    before = count_gate_trials(two)
    found = compare.compare_policy_versions(two, "p2", "p1", simulate=True, seed=3)
    made = simulated(two)
    assert found.verdict is not Verdict.UNDECIDED
    assert found.paired
    assert found.simulated == len(made) == len({o.id for o in made})
    met = {arm: {(o.scenario, o.stratum) for o in made if o.policy == arm} for arm in (OLD, NEW)}
    assert met[OLD] == met[NEW]
    assert [one.code for one in found.weaknesses] == ["evaluate.compare_simulated"], "they alternate on the same robots"
    again = compare.compare_policy_versions(two, "p2", "p1", simulate=True, seed=3)
    assert again.simulated == 0, "an answer needs no further scene"
    assert count_gate_trials(two) == before, "the gate's trials stay the gate's"


def count_gate_trials(workspace):
    return workspace.store.count(Outcome, {"stage": Stage.GATE})


def test_simulation_goes_on_with_new_scenes(two, monkeypatch):
    monkeypatch.setattr(compare, "load_engine", lambda *_: Fixed(15.0))
    set_most_pairs(two, 20)
    found = compare.compare_policy_versions(two, "p2", "p1", simulate=True)
    assert (found.verdict, found.difference, found.candidate_only) == (Verdict.NO_DIFFERENCE, 0.0, 0)
    names = [o.scenario for o in simulated(two)]
    assert len(names) == 2 * len(set(names)) == 2 * found.pairs


def test_the_terminal_shows_the_verdict_and_what_it_rests_on(two):
    record(two, NEW, [True] * 14)
    record(two, OLD, [False] * 14)
    stream = StringIO()
    show_result(compare.compare_policy_versions(two, "p2", "p1"), Screen(stream))
    shown = " ".join(stream.getvalue().split())
    for text in ("better", "p2 is better than p1", "6 of 6", "90 % interval", "of at most 50", "rests on this"):
        assert text in shown, text


def test_the_page_offers_the_comparison_and_the_route_answers_it(two):
    app = build_app(lambda: two)
    mount_ui(app, lambda: two)
    page = Visitor(app).get("/policies").text
    assert 'data-form="/api/gate/compare"' in page
    record(two, NEW, [True] * 14)
    record(two, OLD, [False] * 14)
    asked = {"policy": "p2", "against": "p1", "question": "better"}
    answer = Visitor(app).post("/api/gate/compare", json=asked).json()
    assert answer["verdict"] == "better"
    assert answer["message"].startswith("p2 is better than p1. p2 succeeded in 9 of 9 attempts, p1 in 0.")

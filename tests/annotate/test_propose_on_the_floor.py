"""On the simulated floor the true phases are known; the proposal must meet them without being told."""

import dataclasses

import numpy as np
import pytest

from fieldloop.annotate import compare_authors, load_shipped_taxonomy, propose_labels, propose_phases
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.policy import FailureClass
from fieldloop.model.stream import NS_PER_S
from fieldloop.model.taxonomy import PHASES
from fieldloop.protocol import default_protocol
from fieldloop.simulate.arm import controller, operators, physics
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.recording import record_attempt
from fieldloop.simulate.arm.rig import Rig

BINS = ("front", "back", "side")
TIERS = ("high", "medium", "long_tail")


@pytest.fixture(scope="module")
def demonstrations():
    floor = Floor(seed=11)
    sites, people = list(floor.sites), floor.list_operators()
    made = []
    for n in range(36):
        stratum = Stratum.of(site=sites[n % len(sites)], tier=TIERS[n % 3], bin=BINS[(n // 3) % 3], lighting="bright")
        made.append(
            floor.demonstrate(
                stratum, people[n % len(people)], floor.make_random_generator("phases", n), start_ns=10**18
            )
        )
    return made


@pytest.fixture(scope="module")
def proposals(demonstrations):
    return [propose_phases(d.recording, load_shipped_taxonomy(), author="machine") for d in demonstrations]


def true_phases(demonstration):
    episode = demonstration.recording.episode.id
    return [Annotation(episode, "phase", *phase, "truth") for phase in demonstration.truth.phases]


def test_every_whole_pick_is_found_with_every_boundary_within_two_frames(demonstrations, proposals):
    whole = [(d, p) for d, p in zip(demonstrations, proposals, strict=True) if len(d.truth.phases) == len(PHASES)]
    assert len(whole) >= 30
    worst = []
    for demonstration, (spans, reason) in whole:
        assert (len(spans), reason) == (len(PHASES), "")
        true = true_phases(demonstration)
        ends = np.array([s.end_ns for s in spans]) - [t.end_ns for t in true]
        worst.append(np.abs([spans[0].start_ns - true[0].start_ns, *ends]).max() * 30 / NS_PER_S)
    assert max(worst) <= default_protocol().setting("annotation.boundary_tolerance_frames")


def test_machine_and_truth_agree_as_two_annotators_should(demonstrations, proposals):
    protocol = default_protocol()
    truth = [t for d in demonstrations for t in true_phases(d)]
    found = compare_authors([s for spans, _ in proposals for s in spans], truth, frame_hz=30.0)
    assert found.kappa > protocol.setting("annotation.min_kappa")
    assert found.boundary_frames < protocol.setting("annotation.max_boundary_frames")


def test_a_pick_that_was_broken_off_is_not_reported_as_a_whole_one():
    floor, rng = Floor(seed=3), np.random.default_rng(0)
    scene = floor.draw_scene(Stratum.of(site="lab", tier="high", bin="front", lighting="bright"), rng)
    grasp, style = operators.choose_grasp_and_style(operators.get_operator_habit("op-amber"), scene.item, rng)
    narrow = dataclasses.replace(grasp, width_m=0.01)  # the fingers come down on the item
    verdict = physics.simulate_pick(scene, controller.plan_pick_path(narrow, style, scene.site.bin_floor_m))
    assert verdict.failure is FailureClass.COLLISION
    spans, reason = propose_phases(
        record_attempt(scene, verdict, Rig(), 0, rng, {}).recording, load_shipped_taxonomy(), author="machine"
    )
    assert (spans, reason) == ((), "The fingers never closed while the tool stood still.")


def without_tool(recording):
    kept = ("joints", "gripper", "gripper/effort")
    return dataclasses.replace(recording, streams={name: recording.streams[name] for name in kept})


def test_joints_and_gripper_alone_give_the_phases_they_can_separate(demonstrations):
    coarse = {"pre-grasp": "approach", "lift": "transport", "place": "transport"}
    apart, found, known = [], 0, 0
    for demonstration in demonstrations:
        proposal = propose_labels(without_tool(demonstration.recording), author="machine")
        begins = {a.label: a.start_ns for a in proposal.annotations if a.kind == "phase"}
        true = {}
        for label, begin, _ in demonstration.truth.phases:
            true.setdefault(coarse.get(label, label), begin)
        known += len(true)
        found += len(begins.keys() & true.keys())
        apart += [abs(begins[name] - true[name]) * 30 / NS_PER_S for name in begins.keys() & true.keys()]
    assert found >= 0.95 * known
    assert np.quantile(apart, 0.9) <= default_protocol().setting("annotation.boundary_tolerance_frames")


@pytest.mark.parametrize(("change", "labels"), [({"above_m": 0.06}, {"failure"}), ({}, {"success"})])
def test_fingers_that_shut_on_nothing_are_reported_as_a_failure(change, labels):
    floor, rng = Floor(seed=3), np.random.default_rng(0)
    scene = floor.draw_scene(Stratum.of(site="lab", tier="high", bin="front", lighting="bright"), rng)
    grasp, style = operators.choose_grasp_and_style(operators.get_operator_habit("op-amber"), scene.item, rng)
    worse = dataclasses.replace(grasp, z=grasp.z + change.get("above_m", 0.0))
    verdict = physics.simulate_pick(scene, controller.plan_pick_path(worse, style, scene.site.bin_floor_m))
    assert verdict.succeeded is ("success" in labels)
    made = record_attempt(scene, verdict, Rig(), 0, rng, {}).recording
    found = propose_labels(without_tool(made), author="machine").annotations
    assert {a.label for a in found if a.kind == "success"} == labels
    assert ({a.label for a in found if a.kind == "contact"} == {"finger-item"}) is verdict.succeeded

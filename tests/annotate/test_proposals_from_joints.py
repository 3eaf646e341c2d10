"""Phases in joint space are found without units, names or directions; what the signals do not show is left out."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.annotate.planted_joints import (
    COARSE,
    JOINT_NAMES,
    coarse_edges,
    joints,
    opening,
    pick,
    read_edges,
    recorded,
    stream,
    times,
)
from tests.annotate.staged_pick import START_NS, staged

from fieldloop.annotate import find_change_points, load_shipped_taxonomy, load_whole_taxonomy, propose_labels
from fieldloop.model.stream import NS_PER_S, ClockKind, StreamKind

FRAME_S = 1 / 30


def proposed(recording):
    return propose_labels(recording, author="machine:test")


def codes(proposal):
    return {fact.code for fact in proposal.cannot_tell}


def errors_in_frames(proposal):
    labels, found = read_edges(proposal)
    assert tuple(labels) == COARSE
    return (np.append(found[:, 0], found[-1, 1]) - coarse_edges()) / FRAME_S


@pytest.mark.parametrize(
    ("how", "worst"),
    [
        ({}, 2.5),
        ({"jaw": -1.0}, 2.5),
        ({"scale": 180 / np.pi, "jaw": 1250.0, "offset": -300.0}, 2.5),
        ({"names": ()}, 2.5),
        ({"names": (), "jaw": -40.0}, 2.5),
        ({"names": (*JOINT_NAMES, "jaw_left")}, 2.5),
        ({"hz": 10.0}, 5.0),
        ({"hz": 100.0}, 2.5),
        ({"noise": 0.002}, 4.0),
    ],
)
def test_boundaries_of_a_planted_pick_are_found_in_any_unit_direction_and_name(how, worst):
    for seed in range(4):
        proposal = proposed(pick(seed=seed, **how))
        assert np.abs(errors_in_frames(proposal)).max() <= worst
        assert "propose.no_tool_pose" in codes(proposal)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-4, 1e4), st.floats(1e-4, 1e4), st.booleans(), st.floats(-100, 100))
def test_proposals_do_not_depend_on_units(scale, jaw, turned, offset):
    """Unit and direction of what is recorded change nothing."""
    labels, found = read_edges(proposed(pick()))
    again_labels, again = read_edges(proposed(pick(scale=scale, jaw=-jaw if turned else jaw, offset=offset * jaw)))
    assert labels == again_labels
    np.testing.assert_allclose(found, again, atol=FRAME_S / 10)


def test_actions_join_their_phases():
    labels, found = read_edges(proposed(pick()), "action")
    phases = read_edges(proposed(pick()))[1]
    assert labels == ["idle", "pick", "place", "idle"]
    assert found[0, 1] <= phases[0, 0]
    assert found[3, 0] >= phases[4, 1]
    np.testing.assert_allclose(found[1:3], [[phases[0, 0], phases[1, 1]], [phases[2, 0], phases[4, 1]]])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 300), st.integers(1, 16), st.sampled_from(["white", "drifting"]))
def test_noise_never_breaks_and_white_noise_proposes_nothing(seed, samples, columns, kind):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(samples, columns))
    values = np.cumsum(values, axis=0) if kind == "drifting" else values
    proposal = proposed(recorded(stream("observation.state", np.arange(samples) / 30, values)))
    assert all(a.start_ns < a.end_ns for a in proposal.annotations)
    assert all(a.confidence is None or 0 <= a.confidence <= 1 for a in proposal.annotations)
    assert proposal.annotations or proposal.cannot_tell
    if kind == "white" and samples >= 60 and columns >= 4:
        assert not proposal.annotations


def test_an_arm_without_fingers_gives_no_phases_and_says_why():
    t = times()
    proposal = proposed(recorded(stream("observation.state", t, joints(t), JOINT_NAMES)))
    assert {a.label for a in proposal.annotations} <= {"idle"}
    assert {"propose.no_fingers", "propose.no_grip_no_result"} <= codes(proposal)


def test_fingers_that_stay_open_give_no_phases():
    t = times()
    still = np.column_stack([joints(t), np.ones(len(t))])
    proposal = proposed(recorded(stream("observation.state", t, still, (*JOINT_NAMES, "gripper"))))
    assert {a.label for a in proposal.annotations} <= {"idle"}


def test_a_recording_without_an_arm_says_so():
    t = times()
    assert codes(proposed(recorded(stream("sound", t, t[:, None], kind=StreamKind.OTHER)))) >= {"propose.no_arm"}


def test_an_arm_that_stands_still_says_so():
    t = times()
    still = 1.0 + np.random.default_rng(0).normal(0, 1e-4, (len(t), 7))
    assert codes(proposed(recorded(stream("observation.state", t, still)))) >= {"propose.arm_still"}


def test_a_log_whose_clock_jumps_by_years_says_so():
    whole = pick().streams["observation.state"]
    stamps = whole.times_ns.copy()
    stamps[len(stamps) // 2 :] += 10**18
    jumped = dataclasses.replace(whole, clocks={ClockKind.LOG: stamps})
    proposal = proposed(recorded(jumped))
    assert proposal.annotations == ()
    assert "propose.mostly_gaps" in codes(proposal)


def test_a_recording_that_ends_while_the_item_is_held_has_no_release():
    proposal = proposed(pick(end_s=coarse_edges()[3] - 0.5))
    assert read_edges(proposal)[0] == ["approach", "grasp", "transport"]
    assert "propose.no_release" in codes(proposal)


def test_of_two_arms_the_one_that_picks_is_labelled():
    t = times()
    idle = np.random.default_rng(1).normal(0, 1e-4, (len(t), 7))
    row = np.column_stack([idle, joints(t), opening(t)])
    names = [f"left_{n}" for n in (*JOINT_NAMES, "gripper")] + [f"right_{n}" for n in (*JOINT_NAMES, "gripper")]
    proposal = proposed(recorded(stream("observation.state", t, row, names)))
    assert np.abs(errors_in_frames(proposal)).max() <= 2.5


def test_two_arms_that_both_pick_give_the_phases_of_one_and_name_the_other():
    t = times(end_s=22.0)
    later = 11.0
    row = np.column_stack([joints(t), opening(t), joints(t - later), opening(t - later)])
    names = [f"l_{n}" for n in (*JOINT_NAMES, "gripper")] + [f"r_{n}" for n in (*JOINT_NAMES, "gripper")]
    proposal = proposed(recorded(stream("observation.state", t, row, names)))
    assert tuple(read_edges(proposal)[0]) == COARSE
    assert "propose.other_arm_left_out" in codes(proposal)


def test_two_picks_in_a_row_are_two():
    t = times(end_s=22.0)
    second = t > 10.0
    q = np.where(second[:, None], joints(t - 10.0), joints(t))
    g = np.where(second, opening(t - 10.0), opening(t))
    proposal = proposed(recorded(stream("state", t, np.column_stack([q, g]), (*JOINT_NAMES, "gripper"))))
    assert tuple(read_edges(proposal)[0]) == COARSE * 2
    assert [label for label in read_edges(proposal, "action")[0] if label != "idle"] == ["pick", "place"] * 2


def grasp_twice(t):
    """Close, open again half a second later while the arm stands still, and close for good."""
    hold = coarse_edges()[1]
    g = opening(np.where(t < hold - 2.4, t, np.maximum(t - 2.4, hold - 2.4)))
    first = np.interp(t, [hold, hold + 0.15, hold + 0.9, hold + 1.05], [0.0, 1.0, 1.0, 0.0])
    return np.minimum(g, 0.81 - 0.4 * first)


def test_a_grasp_that_was_repeated_is_a_recovery():
    t = times(end_s=12.5)
    hold = coarse_edges()[1]
    q = joints(np.where(t < hold, t, np.maximum(t - 2.4, hold)))
    row = np.column_stack([q, grasp_twice(t)])
    proposal = proposed(recorded(stream("state", t, row, (*JOINT_NAMES, "gripper"))))
    labels, found = read_edges(proposal, "recovery")
    assert labels == ["regrasp"]
    np.testing.assert_allclose(found[0, 0], hold + 0.9, atol=0.1)


def test_change_points_lie_on_true_boundaries_and_are_in_order():
    points = find_change_points(pick())
    at = np.array([p.at_ns for p in points]) - START_NS
    assert list(at) == sorted(at)
    assert all(0 <= p.strength <= 1 for p in points)
    for true in coarse_edges():
        assert np.abs(at / NS_PER_S - true).min() <= 4 * FRAME_S


def test_a_pose_in_metres_gives_all_eight_phases_under_any_name():
    recording, truth = staged(tool_noise_m=3e-4)
    tool, jaw = recording.streams["tool"], recording.streams["gripper"]
    pose = dataclasses.replace(tool, name="robot0_eef")
    turned = dataclasses.replace(jaw, name="robot0_gripper_qpos", unit="", values=5.0 - 30 * np.asarray(jaw.values))
    spans = [a for a in proposed(recorded(pose, turned)).annotations if a.kind == "phase"]
    assert len(spans) == 8
    found = np.array([spans[0].start_ns, *(a.end_ns for a in spans)])
    assert np.abs(found - truth).max() / NS_PER_S <= 3 * FRAME_S


def test_labels_outside_the_taxonomy_are_left_out_and_named():
    proposal = propose_labels(pick(), author="m", known=load_shipped_taxonomy())
    assert {a.kind for a in proposal.annotations} == {"phase"}
    (left,) = [fact for fact in proposal.cannot_tell if fact.code == "propose.not_in_taxonomy"]
    assert left["labels"] == ("idle", "pick", "place")


def test_everything_proposed_is_in_the_shipped_taxonomy():
    proposal = propose_labels(pick(), author="m", known=load_whole_taxonomy())
    assert "propose.not_in_taxonomy" not in codes(proposal)
    assert {a.label for a in proposal.annotations} >= {"idle", "pick", "place", *COARSE}

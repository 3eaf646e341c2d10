"""The direction in which fingers close follows from evidence; where it is open, nothing is read backwards."""

import numpy as np
import pytest
from tests.annotate.planted_joints import (
    COARSE,
    JOINT_NAMES,
    coarse_edges,
    joints,
    opening,
    read_edges,
    recorded,
    stream,
    times,
)

from fieldloop.annotate import propose_labels
from fieldloop.annotate.direction import list_rests, weigh_levels
from fieldloop.annotate.grips import find_finger_moves
from fieldloop.annotate.limbs import find_limbs
from fieldloop.annotate.measures import load_proposal_measures
from fieldloop.model.stream import StreamKind

NAMES = (*JOINT_NAMES, "gripper")
NUMBERS = load_proposal_measures()
T = times()
FROM_CARRY = coarse_edges()[2] + 0.4 < T


def proposed(*streams):
    return propose_labels(recorded(*streams), author="machine:test")


def codes(proposal):
    return {fact.code for fact in proposal.cannot_tell}


def row(width, keep=slice(None), name="state", kind=StreamKind.JOINT_POSITION):
    return stream(name, T[keep], np.column_stack([joints(T), width])[keep], NAMES, kind)


def shut_while_held(sign=1.0):
    """A command to shut while the item keeps the fingers open, and to open fully otherwise."""
    held = (coarse_edges()[1] < T) & (coarse_edges()[3] > T)
    return sign * np.where(held, 0.0, opening(T))


def weigh(*streams):
    (limb,), _ = find_limbs(recorded(*streams), NUMBERS)
    moves = [(int(m.begin), m.end, m.travel) for m in find_finger_moves(limb, NUMBERS)]
    return weigh_levels(limb, list_rests(limb, moves, NUMBERS), NUMBERS)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_fingers_that_an_item_keeps_from_their_command_are_closed_there(sign):
    action = row(shut_while_held(sign), name="action", kind=StreamKind.ACTION)
    assert weigh(row(sign * opening(T)), action) == sign
    assert weigh(row(sign * opening(T))) == 0.0


def test_fingers_that_never_arrive_show_no_direction():
    action = row(opening(T) - 0.3, name="action", kind=StreamKind.ACTION)
    assert weigh(row(opening(T)), action) == 0.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_fingers_that_press_are_closed_there(sign):
    pressed = np.where((coarse_edges()[1] + 0.2 < T) & (coarse_edges()[3] > T), 5.0, 0.1)
    effort = stream("gripper/effort", T, pressed[:, None], ("effort",), StreamKind.GRIPPER)
    assert weigh(row(sign * opening(T)), effort) == sign


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_fingers_that_begin_shut_and_open_on_the_way_are_not_read_backwards(sign):
    on_the_way = coarse_edges()[0] + 0.6
    width = np.where(on_the_way > T, 0.0, opening(T))
    proposal = proposed(row(sign * width))
    assert tuple(read_edges(proposal)[0]) == COARSE
    assert read_edges(proposal)[1][1, 0] == pytest.approx(coarse_edges()[1], abs=0.1)


def test_an_item_held_from_the_beginning_has_neither_approach_nor_grasp():
    width = stream("gripper", T[FROM_CARRY], 0.08 * opening(T)[FROM_CARRY, None], ("g",), StreamKind.GRIPPER, "m")
    arm = stream("joints", T[FROM_CARRY], joints(T)[FROM_CARRY], JOINT_NAMES)
    proposal = proposed(arm, width)
    labels, edges = read_edges(proposal)
    assert labels == ["transport", "release", "retract"]
    assert np.abs(edges[1:, 0] - coarse_edges()[3:5]).max() < 0.1
    assert "propose.held_from_start" in codes(proposal)


def test_fingers_that_are_merely_shut_at_the_beginning_hold_nothing():
    width = np.where(coarse_edges()[0] + 0.6 > T, 0.0, 0.08 * opening(T))
    gripper = stream("gripper", T, width[:, None], ("g",), StreamKind.GRIPPER, "m")
    proposal = proposed(stream("joints", T, joints(T), JOINT_NAMES), gripper)
    assert tuple(read_edges(proposal)[0]) == COARSE
    assert "propose.held_from_start" not in codes(proposal)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_movement_in_the_middle_of_a_carry_shows_no_direction(sign):
    """A grasp after a reach, or a release after a carry: nothing in these signals tells which."""
    turned = (1.0 - opening(T)) * sign
    proposal = proposed(row(turned, FROM_CARRY & (coarse_edges()[4] + 0.2 > T)))
    found = read_edges(proposal)[0]
    assert found == [] or max(a.confidence for a in proposal.annotations if a.kind == "phase") < 0.9


def test_a_recording_that_begins_at_the_item_has_no_approach():
    keep = coarse_edges()[1] - 0.15 < T
    width = stream("gripper", T[keep], 0.08 * opening(T)[keep, None], ("g",), StreamKind.GRIPPER, "m")
    proposal = proposed(stream("joints", T[keep], joints(T)[keep], JOINT_NAMES), width)
    assert read_edges(proposal)[0] == ["grasp", "transport", "release", "retract"]
    assert "propose.begins_at_item" in codes(proposal)


def test_an_unclear_direction_gives_no_label_that_depends_on_it():
    """Without a reach, two movements of the fingers may be a grasp and a release, or the end of one and the next."""
    proposal = proposed(row(opening(T), coarse_edges()[1] - 0.15 < T))
    assert [a for a in proposal.annotations if a.label != "idle"] == []
    assert "propose.direction_unknown" in codes(proposal)


def test_an_arm_that_never_pauses_to_grip_carries_from_where_the_fingers_closed():
    e = coarse_edges()
    arm = np.column_stack([np.clip((T - e[0]) / (e[5] - e[0]), 0, 1) * k for k in range(1, 7)])
    width = stream("gripper", T, 0.08 * opening(T)[:, None], ("g",), StreamKind.GRIPPER, "m")
    labels, edges = read_edges(proposed(stream("joints", T, arm, JOINT_NAMES), width))
    assert labels[:3] == ["approach", "grasp", "transport"]
    assert edges[2, 0] == pytest.approx(e[1] + 0.2, abs=0.2)

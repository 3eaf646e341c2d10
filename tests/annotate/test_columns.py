"""Arms and fingers are recognised by kind, by name, and by shape; what could be anything is left alone."""

import numpy as np
import pytest
from tests.annotate.planted_joints import JOINT_NAMES, joints, opening, recorded, stream, times

from fieldloop.annotate.columns import find_side, is_stepping, is_switched, sort_columns, split_words
from fieldloop.annotate.measures import load_proposal_measures
from fieldloop.model.stream import StreamKind

T = times()
NUMBERS = load_proposal_measures()


def columns_of(*values):
    return np.column_stack(values)


def found(*streams):
    return sort_columns(recorded(*streams), NUMBERS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kLeftHandPinky", ["k", "left", "hand", "pinky"]),
        ("right_gripper.pos", ["right", "gripper", "pos"]),
        ("LGripper", ["l", "gripper"]),
        ("", []),
    ],
)
def test_names_are_split_at_cases_and_signs(name, words):
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("name", "side"), [("leftArm_3", "left"), ("r_jaw", "right"), ("string", ""), ("elbow_flex", "")]
)
def test_sides_are_whole_words(name, side):
    assert find_side(name) == side


@pytest.mark.parametrize("name", ["gripper", "main_gripper.pos", "finger_joint1", "leftJaw", "kRightHandIndex"])
def test_fingers_are_found_by_name(name):
    sorted_columns = found(stream("s", T, columns_of(joints(T), opening(T)), (*JOINT_NAMES, name)))
    assert [c.name for c in sorted_columns.fingers] == [name]
    assert len(sorted_columns.arms) == 6
    assert not sorted_columns.by_shape


@pytest.mark.parametrize("name", ["trigger", "spring_offset", "handle_angle", "joint_6"])
def test_words_within_words_are_no_fingers(name):
    row = columns_of(joints(T), joints(T, 3)[:, 0])
    assert not found(stream("s", T, row, (*JOINT_NAMES, name))).fingers


def test_a_nameless_gripper_is_the_last_column_that_moves_in_steps():
    sorted_columns = found(stream("s", T, columns_of(joints(T), 7.0 - opening(T))))
    assert [c.index for c in sorted_columns.fingers] == [6]
    assert sorted_columns.by_shape


def test_two_nameless_arms_have_a_gripper_each():
    row = columns_of(joints(T), opening(T), joints(T, 1), 1 - opening(T))
    assert [c.index for c in found(stream("s", T, row)).fingers] == [6, 13]


def test_a_smooth_last_column_is_a_joint():
    assert not found(stream("s", T, columns_of(joints(T), joints(T, 5)[:, 0]))).fingers


def test_the_last_column_of_a_whole_body_may_be_anything():
    row = columns_of(*(joints(T, seed) for seed in range(5)), opening(T))
    assert not found(stream("s", T, row)).fingers


def test_columns_whose_command_is_switched_are_fingers():
    command = np.where(opening(T) > 0.7, -1.5, 1.5)
    state = columns_of(joints(T), opening(T), 0.5 * opening(T), joints(T, 2))
    action = columns_of(joints(T), command, command, joints(T, 2))
    sorted_columns = found(stream("s", T, state), stream("a", T, action, kind=StreamKind.ACTION))
    assert [(c.stream, c.index) for c in sorted_columns.fingers] == [("s", 6), ("s", 7)]


def test_a_switched_command_serves_where_no_state_holds_the_gripper():
    command = np.where(opening(T) > 0.7, 1.0, -1.0)
    sorted_columns = found(
        stream("s", T, joints(T)), stream("a", T, columns_of(joints(T), command), kind=StreamKind.ACTION)
    )
    assert [c.stream for c in sorted_columns.fingers] == ["a"]


@pytest.mark.parametrize(("felt", "used"), [(True, "state"), (False, "action")])
def test_a_command_that_is_named_comes_before_a_joint_that_moves_in_steps(felt, used):
    switched = np.where(opening(T) < 0.7, 1.0, 0.0)
    rows = [joints(T)[:, :5], opening(T - 1)] + ([opening(T)] if felt else [])
    names = [f"joint_{k}_vel" for k in range(6)] + ["gripper"]
    action = stream("action", T, columns_of(joints(T), switched), names, StreamKind.ACTION)
    sorted_ = found(stream("state", T, columns_of(*rows)), action)
    assert [(c.stream, c.index) for c in sorted_.fingers] == [(used, 6)]
    assert [c.index for c in sorted_.arms] == list(range(6))


def test_rates_and_efforts_are_no_positions():
    speeds = stream("joint_velocity", T, joints(T))
    effort = stream("gripper/effort", T, opening(T)[:, None], kind=StreamKind.GRIPPER)
    sorted_columns = found(speeds, effort)
    assert sorted_columns.arms == sorted_columns.fingers == ()
    assert [c.stream for c in sorted_columns.efforts] == ["gripper/effort"]


def test_text_and_values_that_are_not_finite_are_left_out():
    values = joints(T).copy()
    values[::7] = np.nan
    words = stream("words", T, np.zeros((len(T), 1)))
    sorted_columns = found(stream("s", T, values), words)
    assert {len(c.times_ns) for c in sorted_columns.arms if c.stream == "s"} == {len(T) - len(T[::7])}


def test_shapes_of_commands_and_fingers():
    rng = np.random.default_rng(0)
    assert not is_switched(np.sign(rng.normal(size=200)), NUMBERS)  # it changes all the time
    assert not is_stepping(rng.normal(size=200), NUMBERS)
    assert is_stepping(opening(T) + rng.normal(0, 1e-3, len(T)), NUMBERS)

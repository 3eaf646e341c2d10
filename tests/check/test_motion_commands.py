"""Commands and motion: the lag with its interval, copies, dead columns, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop import check
from fieldloop.check.signals.follow import NotComparable, Search, estimate_lag_between
from fieldloop.check.signals.signal import read_signal
from fieldloop.model.finding import Status
from fieldloop.model.stream import StreamKind
from fieldloop.testing.injuries.injury import change_values
from fieldloop.testing.planted import make_case, make_smooth_motion, make_stream, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case

ACTION, JOINTS = StreamKind.ACTION, StreamKind.JOINT_POSITION
NAMES = ("a", "b", "c")
FOLLOWS, COPIES, CONSTANT, ERROR = (
    f"motion.{name}" for name in ("action_follows_state", "action_copies_state", "constant_action", "command_error")
)


def lag_of(commands, motion, lag_s):
    action, joints = make_stream("action", ACTION, commands), make_stream("joints", JOINTS, motion, delay_s=lag_s)
    return estimate_lag_between(
        read_signal(action), read_signal(joints), Search(longest_s=1.0, near_s=0.1, fewest_steps=20)
    )


@settings(max_examples=25, deadline=None)
@given(st.floats(-0.6, 0.6), st.integers(0, 50))
def test_the_lag_is_found_below_a_sample(lag_s, seed):
    way = make_smooth_motion(np.random.default_rng(seed), 12)
    told = lag_of(way, way, lag_s)
    assert told.seconds == pytest.approx(lag_s, abs=0.011)  # half a sample at 50 Hz
    assert told.agreement > 0.9


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(100):
        lag_s, way = random.uniform(-0.3, 0.3), make_smooth_motion(random, 12)
        moved = way + np.cumsum(random.normal(0, 0.01, way.shape), axis=0)  # what the arm does of its own
        told = lag_of(way, moved, lag_s)
        inside += abs(told.seconds - lag_s) <= told.half_width
    assert inside >= 90


def test_commands_of_other_joints_do_not_pair():
    with pytest.raises(NotComparable, match=r"check\.commands_do_not_pair"):
        lag_of(np.zeros((100, 2)), np.zeros((100, 3)), 0.0)


def test_commands_that_have_nothing_to_do_with_the_motion_tell_no_lag():
    random = np.random.default_rng(3)
    action, joints = (np.cumsum(random.normal(0, 0.05, (500, 4)), axis=0) for _ in range(2))
    case = make_case(make_stream("action", ACTION, action), make_stream("joints", JOINTS, joints))
    assert measure_by_subject(FOLLOWS, case)["action ↔ joints"].cannot_tell.code == "check.commands_disagree"


def test_an_arm_at_rest_tells_no_lag():
    still = np.zeros((200, 2))
    case = make_case(make_stream("action", ACTION, still), make_stream("joints", JOINTS, still))
    assert measure_by_subject(FOLLOWS, case)["action ↔ joints"].cannot_tell.code == "check.nothing_moves"


def test_a_lag_whose_interval_reaches_over_the_limit_is_not_judged():
    way = make_smooth_motion(np.random.default_rng(5), 12)
    case = make_case(make_stream("action", ACTION, way), make_stream("joints", JOINTS, way, delay_s=0.5))
    found = [
        one
        for one in check.judge_measurements(check.measure_episode(case), case.protocol, named=True)
        if one.check == FOLLOWS
    ]
    assert [one.status for one in found] == [Status.CANNOT_TELL]
    assert found[0].low < 0.5 < found[0].high


def judged(case, name):
    return [
        one
        for one in check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
        if one.check == name
    ]


@pytest.mark.parametrize(
    ("lag_s", "status"), [(-0.3, Status.FAILED), (-0.01, Status.PASSED), (0.2, Status.PASSED), (0.8, Status.FAILED)]
)
def test_an_effect_before_its_cause_is_no_lag(lag_s, status):
    way = make_smooth_motion(np.random.default_rng(5), 12)
    case = make_case(make_stream("action", ACTION, way), make_stream("joints", JOINTS, way, delay_s=lag_s))
    (found,) = judged(case, FOLLOWS)
    assert found.status is status
    assert found.measured == pytest.approx(lag_s, abs=0.011)
    assert (found.place.code == "check.arm_leads_commands") == (lag_s < 0)


@pytest.mark.parametrize("hz", [20.0, 125.0])
@pytest.mark.parametrize("behind_s", [0.0, 0.2])
def test_a_copy_is_found_at_another_rate_too(hz, behind_s):
    """Each command is the last state there was, or the one of a fifth of a second ago."""
    way = make_smooth_motion(np.random.default_rng(2), 10)
    rows = ((np.arange(round(9 * hz)) / hz - behind_s).clip(0) * 50).astype(int)
    case = make_case(make_stream("action", ACTION, way[rows], hz=hz), make_stream("joints", JOINTS, way))
    assert measure_by_subject(COPIES, case)["action ↔ joints"].value == (3 if behind_s == 0 else 0)


def test_commands_of_another_time_are_not_called_no_copies():
    way = make_smooth_motion(np.random.default_rng(2), 10)
    case = make_case(make_stream("action", ACTION, way[:200], delay_s=99.0), make_stream("joints", JOINTS, way))
    assert measure_by_subject(COPIES, case)["action ↔ joints"].cannot_tell.code == "check.overlap_too_short"


@pytest.mark.parametrize(("shift", "copied"), [(0, 3), (1, 3), (-1, 0), (5, 0)])
def test_only_the_same_or_the_last_state_is_a_copy(shift, copied):
    way = make_smooth_motion(np.random.default_rng(2), 10)
    case = make_case(
        make_stream("action", ACTION, np.roll(way, shift, axis=0)[8:-8]), make_stream("joints", JOINTS, way[8:-8])
    )
    assert measure_by_subject(COPIES, case)["action ↔ joints"].value == copied


def test_a_joint_that_rests_is_no_copy():
    way = make_smooth_motion(np.random.default_rng(2), 10)
    way[:, 1] = 0.3
    case = make_case(make_stream("action", ACTION, way), make_stream("joints", JOINTS, way))
    assert measure_by_subject(COPIES, case)["action ↔ joints"].value == 2


def test_a_joint_that_travels_to_a_fixed_command_obeys_it():
    way = make_smooth_motion(np.random.default_rng(4), 10)
    action = way.copy()
    action[:, 1] = 1.5
    way[:, 1] = 1.5 * (1 - np.exp(-np.arange(len(way)) / 50))  # fingers of the GR1 set close so
    case = make_case(
        make_stream("action", ACTION, action, columns=NAMES), make_stream("joints", JOINTS, way, columns=NAMES)
    )
    assert measure_by_subject(CONSTANT, case)["action"].value == 0


def test_commands_that_are_all_fixed_are_all_counted():
    case = change_values(make_healthy_case(), "action", lambda values: values.fill(0.2))
    assert measure_by_subject(CONSTANT, case)["action"].value == 7


def test_commands_without_names_are_not_called_dead():
    way = make_smooth_motion(np.random.default_rng(4), 10)
    case = make_case(make_stream("action", ACTION, way[:, :2]), make_stream("joints", JOINTS, way))
    assert measure_by_subject(CONSTANT, case)["action"].cannot_tell.code == "check.no_joint_of_that_name"


@settings(max_examples=20, deadline=None)
@given(st.floats(-1.0, 1.0), st.floats(0.0, 0.3))
def test_a_wrong_zero_is_found_whatever_the_lag(zero, lag_s):
    way = make_smooth_motion(np.random.default_rng(6), 12)
    joints = way.copy()
    joints[:, 2] += zero
    case = make_case(make_stream("action", ACTION, way), make_stream("joints", JOINTS, joints, delay_s=lag_s))
    assert measure_by_subject(ERROR, case)["action ↔ joints"].value == pytest.approx(abs(zero), abs=0.03)


def test_commands_in_another_unit_are_not_compared():
    way = make_smooth_motion(np.random.default_rng(6), 12)
    case = make_case(make_stream("action", ACTION, way, unit=""), make_stream("joints", JOINTS, way))
    assert measure_by_subject(ERROR, case)["action ↔ joints"].cannot_tell.code == "check.not_both_in_radians"

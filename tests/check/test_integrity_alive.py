"""Sensors that died, and healthy ones that look like it."""

import numpy as np
import pytest

from fieldloop.model.stream import ClockKind, StreamKind
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_values
from fieldloop.testing.planted import make_case, make_smooth_motion, make_stream, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case

JOINTS, ACTION, POSE = StreamKind.JOINT_POSITION, StreamKind.ACTION, StreamKind.POSE
NAMES = ("a", "b", "c")


def moving(seconds=6.0, hz=50.0):
    return make_smooth_motion(np.random.default_rng(0), seconds, hz=hz)


def frozen_from(values, first, count):
    values = np.array(values)
    values[first : first + count] = values[first]
    return values


def test_a_sensor_that_repeats_itself_at_rest_is_not_dead():
    def rest(values):
        values[:150] = values[0]  # the first 1.25 s: before anything moves

    case = change_values(make_healthy_case(), "joints", rest)
    assert measure_by_subject("integrity.frozen", case)["joints"].value < 0.1


@pytest.mark.parametrize("seconds", [0.6, 1.0])
def test_a_dead_sensor_is_found_where_it_died(seconds):
    def die(values):
        values[500 : 500 + int(seconds * 120)] = values[500]

    found = measure_by_subject("integrity.frozen", change_values(make_healthy_case(), "imu", die))["imu"]
    assert found.value == pytest.approx(seconds / 2, abs=0.05)  # 240 samples a second
    assert write_sentence(found.place) == "at 2.08 s"
    assert found.at_s == pytest.approx(500 / 240)


def test_joints_that_stand_while_they_are_commanded_are_dead():
    path = moving()
    case = make_case(
        make_stream("joints", JOINTS, frozen_from(path, 100, 60), columns=NAMES),
        make_stream("action", ACTION, path, columns=NAMES),
    )
    assert measure_by_subject("integrity.frozen", case)["joints"].value == pytest.approx(59 / 50, abs=0.06)


def test_a_gripper_that_closes_does_not_say_that_the_arm_should_move():
    path, squeeze = frozen_from(moving(), 100, 80), np.linspace(0.08, 0.0, 300)
    commands = np.column_stack([path, squeeze * 10])
    case = make_case(
        make_stream("joints", JOINTS, path, columns=NAMES),
        make_stream("action", ACTION, commands, columns=(*NAMES, "gripper")),
        make_stream("gripper", StreamKind.GRIPPER, squeeze, unit="m"),
    )
    assert measure_by_subject("integrity.frozen", case)["joints"].value < 0.1


def test_another_arm_does_not_say_that_this_one_should_move():
    case = make_case(
        make_stream("left", JOINTS, frozen_from(moving(), 100, 80)), make_stream("right", JOINTS, moving())
    )
    assert measure_by_subject("integrity.frozen", case)["left"].cannot_tell.code == "check.no_witness"


def test_a_thing_that_lies_still_is_not_frozen():
    lying = np.zeros((300, 3))
    lying[200:] = moving()[200:]
    case = make_case(make_stream("joints", JOINTS, moving()), make_stream("cube", POSE, lying, unit="m"))
    assert measure_by_subject("integrity.frozen", case)["cube"].cannot_tell


def test_a_coarse_reading_that_repeats_itself_by_nature_is_not_frozen():
    coarse = np.round(moving(), 1)
    case = make_case(
        make_stream("joints", JOINTS, coarse, columns=NAMES),
        make_stream("action", ACTION, moving(), columns=NAMES),
    )
    assert measure_by_subject("integrity.frozen", case)["joints"].cannot_tell.code == "check.often_repeats"


def test_a_tool_that_stands_while_its_joints_go_is_frozen():
    case = make_case(
        make_stream("joints", JOINTS, moving()),
        make_stream("tool", POSE, frozen_from(moving(), 120, 50), unit="m"),
    )
    assert measure_by_subject("integrity.frozen", case)["tool"].value > 0.8


def test_counted_samples_tell_no_seconds():
    case = make_case(
        make_stream("joints", JOINTS, moving(), clock=ClockKind.SYNTHETIC, hz=1.0),
        make_stream("tool", POSE, frozen_from(moving(), 120, 50), unit="m", clock=ClockKind.SYNTHETIC, hz=1.0),
    )
    assert measure_by_subject("integrity.frozen", case)["tool"].cannot_tell.code == "check.no_rate"


def test_a_gripper_and_commands_may_rest():
    assert not {"gripper", "action"} & measure_by_subject("integrity.frozen", make_healthy_case()).keys()


def test_without_another_stream_it_is_unknown():
    case = make_case(make_stream("joints", JOINTS, np.zeros((200, 2))))
    assert measure_by_subject("integrity.frozen", case)["joints"].cannot_tell


# ── columns


def test_a_joint_that_is_commanded_and_never_moves_is_dead_and_one_left_alone_is_not():
    joints, commands = moving(), moving()
    joints[:, 1] = 0.3  # told to travel, does not
    joints[:, 2] = commands[:, 2] = 0.0  # a joint that this task does not use
    case = make_case(
        make_stream("joints", JOINTS, joints, columns=NAMES),
        make_stream("action", ACTION, commands, columns=NAMES),
    )
    found = measure_by_subject("integrity.dead_columns", case)["joints"]
    assert (found.value, found.place["names"]) == (1, ("b",))


def test_an_axis_of_a_force_sensor_that_is_silent_is_dead():
    values = np.random.default_rng(0).normal(size=(100, 3))
    values[:, 0] = 0.0
    found = measure_by_subject(
        "integrity.dead_columns", make_case(make_stream("force", StreamKind.FORCE_TORQUE, values, unit="N"))
    )
    assert (found["force"].value, found["force"].place["names"]) == (1, ("column 0",))


def test_without_commands_it_is_unknown_which_joint_should_move():
    case = make_case(make_stream("joints", JOINTS, moving()))
    assert measure_by_subject("integrity.dead_columns", case)["joints"].cannot_tell.code == "check.commands_unknown"


def test_a_blow_beyond_the_range_is_seen_as_long_as_it_lasts():
    def clip(values):
        values[900:960, 0] = 19.6

    found = measure_by_subject("integrity.saturated", change_values(make_healthy_case(), "imu", clip))["imu"]
    assert found.value == pytest.approx(59 / 240, abs=0.01)
    assert found.at_s == pytest.approx(900 / 240, abs=0.01)

"""When the robot moved, and whether it could have moved so: planted motions with known answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check.signals.movement import find_movement
from fieldloop.check.signals.signal import read_signal_once
from fieldloop.check.signals.speeds import TURN, find_full_turn_wraps, unwrap_full_turns
from fieldloop.model.stream import NS_PER_S, ClockKind, StreamKind
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_episode, change_stream, change_values
from fieldloop.testing.planted import make_case, make_smooth_motion, make_stream, measure_by_subject
from fieldloop.testing.synthetic import POST_S, PRE_S, make_healthy_case

JOINTS, VELOCITY, GRIPPER = StreamKind.JOINT_POSITION, StreamKind.JOINT_VELOCITY, StreamKind.GRIPPER


def test_movement_is_found_between_its_ends():
    moved = find_movement(make_healthy_case())
    assert moved.onset_ns - moved.start_ns == pytest.approx(PRE_S * NS_PER_S, abs=0.3 * NS_PER_S)
    assert moved.end_ns - moved.offset_ns == pytest.approx(POST_S * NS_PER_S, abs=0.3 * NS_PER_S)
    assert moved.onset_ns - moved.start_ns >= PRE_S * NS_PER_S  # a still second is never cut short
    assert moved.end_ns - moved.offset_ns >= (POST_S - 0.02) * NS_PER_S


def test_noise_is_no_movement():
    noise = np.random.default_rng(0).normal(0, 3e-4, (500, 3))
    assert find_movement(make_case(make_stream("joints", JOINTS, noise))) is None


def test_a_gripper_that_closes_is_movement_too():
    still = make_stream("joints", JOINTS, np.zeros((500, 1)))
    closing = np.interp(np.arange(500), [200, 250], [0.08, 0.02])
    moved = find_movement(make_case(still, make_stream("gripper", GRIPPER, closing, unit="m")))
    assert 3.9 < (moved.onset_ns - moved.start_ns) / NS_PER_S < 4.2


def test_a_joint_jump_is_reported_with_its_speed_and_name():
    def jump(values):
        values[400:, 2] += 1.5

    found = measure_by_subject("motion.teleport", change_values(make_healthy_case(), "joints", jump))["joints"]
    assert found.value == pytest.approx(1.5 * 120, rel=0.02)
    assert write_sentence(found.place) == "at 3.33 s in joint_3"
    assert found.at_s == pytest.approx(3.33, abs=0.01)


def test_two_stamps_too_close_are_not_a_jump():
    case = make_healthy_case()
    times = np.array(case.recording.streams["joints"].times_ns)
    times[500] = times[499] + 1000
    found = measure_by_subject("motion.teleport", change_stream(case, "joints", clocks={ClockKind.HEADER: times}))
    assert found["joints"].value < 3


@pytest.mark.parametrize("name", ["motion.teleport", "motion.joint_limit", "motion.max_speed"])
def test_joints_without_a_unit_cannot_be_judged_in_radians(name):
    case = change_stream(make_healthy_case(), "joints", unit="")
    assert measure_by_subject(name, case)["joints"].cannot_tell


@pytest.mark.parametrize("name", ["motion.teleport", "motion.max_speed", "motion.roughness", "motion.idle_head"])
def test_stamps_that_only_count_samples_tell_no_speed(name):
    way = make_smooth_motion(np.random.default_rng(0), 10)
    case = make_case(make_stream("joints", JOINTS, way, clock=ClockKind.SYNTHETIC))
    (found,) = measure_by_subject(name, case).values()
    assert found.cannot_tell.code == "check.no_rate"


def test_the_fastest_joint_is_reported_in_radians_a_second():
    swing = np.sin(2 * np.pi * 0.5 * np.arange(500) / 50) * 0.8
    case = make_case(make_stream("joints", JOINTS, np.column_stack([swing / 4, swing])), protocol="p")
    assert measure_by_subject("motion.max_speed", case)["joints"].value == pytest.approx(0.8 * np.pi, rel=0.02)


def test_an_episode_that_names_no_protocol_has_no_speed_limit():
    case = change_episode(make_healthy_case(), protocol="")
    assert measure_by_subject("motion.max_speed", case)["joints"].cannot_tell.code == "check.fastest_joint"


# ── angles that wrap


@settings(max_examples=40, deadline=None)
@given(st.floats(0.1, 6.0), st.floats(-3.0, 3.0), st.integers(0, 3))
def test_a_turning_joint_is_the_same_motion_wrapped_or_not(rad_s, start, seed):
    way = start + rad_s * np.arange(400)[:, None] / 50 + np.random.default_rng(seed).normal(0, 1e-3, (400, 1))
    wrapped = (way + np.pi) % TURN - np.pi
    case = make_case(make_stream("joints", JOINTS, wrapped))
    one = read_signal_once(case, case.recording.streams["joints"])
    assert np.allclose(np.diff(unwrap_full_turns(case, one.values), axis=0), np.diff(way, axis=0))
    turned = np.abs(np.diff(wrapped, axis=0)) > np.pi
    assert measure_by_subject("motion.angle_wrap", case)["joints"].value == turned.sum()
    assert measure_by_subject("motion.teleport", case)["joints"].value < rad_s + 1.0


def test_a_command_that_switches_between_its_ends_does_not_wrap():
    switch = np.where(np.arange(300) % 60 < 30, -3.0, 3.0)  # fingers of the GR1 set are commanded so
    assert not find_full_turn_wraps(switch[:, None], 0.05).any()


def test_no_number_is_no_turn():
    values = np.array([[0.0], [np.nan], [7.0], [np.inf], [0.0]])
    assert not find_full_turn_wraps(values, 0.05)[[0, 1, 3]].any()


# ── units


@settings(max_examples=25, deadline=None)
@given(st.floats(0.002, 500.0), st.integers(0, 20))
def test_the_factor_between_velocities_and_positions_is_found(factor, seed):
    way = make_smooth_motion(np.random.default_rng(seed), 8)
    rate = np.gradient(way, 1 / 50, axis=0) * factor
    case = make_case(make_stream("joints", JOINTS, way), make_stream("joints/velocity", VELOCITY, rate, unit="rad/s"))
    found = measure_by_subject("motion.units", case)["joints/velocity ↔ joints"]
    assert found.value == pytest.approx(max(factor, 1 / factor), rel=0.05)
    assert (found.place["looks_like"] == "degrees") == (44.2 < found.value < 74.4)


def test_velocities_of_something_else_are_not_compared():
    random = np.random.default_rng(0)
    case = make_case(
        make_stream("joints", JOINTS, make_smooth_motion(random, 8)),
        make_stream("other", VELOCITY, make_smooth_motion(random, 8), unit="rad/s"),
    )
    assert measure_by_subject("motion.units", case)["other ↔ joints"].cannot_tell.code == "check.velocities_disagree"


def test_a_tool_in_millimetres_has_too_long_a_lever():
    def millimetres(values):
        values[:, :3] *= 1000

    found = measure_by_subject("motion.units", change_values(make_healthy_case(), "tool", millimetres))
    assert found["tool ↔ joints"].value > 20
    assert found["joints/velocity ↔ joints"].value == pytest.approx(1, abs=0.02)


def test_a_gripper_in_millimetres_opens_too_wide():
    def millimetres(values):
        values *= 1000

    assert (
        measure_by_subject("motion.units", change_values(make_healthy_case(), "gripper", millimetres))["gripper"].value
        > 100
    )


@pytest.mark.parametrize(
    ("scale", "looks_like"), [(180 / np.pi, "degrees"), (np.pi / 180, "degrees"), (1.0, ""), (1 / 3, None)]
)
def test_commands_in_degrees_beside_joints_in_radians_are_found_and_a_scale_by_right_is_not(scale, looks_like):
    def scaled(values):
        values[:, :6] *= scale

    found = measure_by_subject("motion.units", change_values(make_healthy_case(), "action", scaled)).get(
        "action ↔ joints"
    )
    assert (found is None) == (looks_like is None)
    if found is not None:
        assert (found.place["looks_like"] if found.place else "") == looks_like
        assert found.value == pytest.approx(max(scale, 1 / scale), rel=0.1)


def test_commands_that_are_no_positions_are_not_compared():
    random = np.random.default_rng(1)
    case = make_case(
        make_stream("joints", JOINTS, make_smooth_motion(random, 8)),
        make_stream("action", StreamKind.ACTION, 57.3 * make_smooth_motion(random, 8)),
        make_stream("few", StreamKind.ACTION, np.full((3, 3), np.nan)),
        make_stream("late", StreamKind.ACTION, make_smooth_motion(random, 8), delay_s=100.0),
    )
    assert measure_by_subject("motion.units", case) == {}

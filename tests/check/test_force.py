"""Forces of a grasp and their sensors: planted offsets, steps, spikes and rails."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check.signals.contact import find_longest_hold
from fieldloop.check.signals.signal import convert_to_episode_seconds
from fieldloop.model.stream import StreamKind
from fieldloop.protocol import parse_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.injuries import INJURIES
from fieldloop.testing.injuries.injury import change_episode, change_values
from fieldloop.testing.planted import make_case, make_stream, measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

FORCE, GRIPPER, JOINTS = StreamKind.FORCE_TORQUE, StreamKind.GRIPPER, StreamKind.JOINT_POSITION


def test_held_and_peak_force_are_distinguished():
    def squeeze(values):
        values[520] = 31.0

    found = measure_by_subject("force.window", change_values(make_healthy_case(), "gripper/effort", squeeze))
    assert found["gripper/effort"].value == pytest.approx(12, abs=0.2)
    assert found["gripper/effort peak"].value == 31.0
    assert write_sentence(found["gripper/effort peak"].place) == "at 4.33 s"


def test_nothing_gripped_is_no_force_to_judge():
    case = change_values(make_healthy_case(), "gripper/effort", lambda values: values.fill(0.1))
    assert measure_by_subject("force.window", case)["gripper/effort"].cannot_tell.code == "check.nothing_gripped"


def test_a_failed_grasp_is_kept_not_held_to_the_window():
    case = change_episode(INJURIES["force.window"].hurt(make_healthy_case()), succeeded=False)
    assert (
        measure_by_subject("force.window", case)["gripper/effort"].cannot_tell.details[0].code == "check.attempt_failed"
    )


# ── when something was held


def test_contact_and_release_are_found_by_force_and_by_width():
    case = make_healthy_case()
    by_force = find_longest_hold(case)
    by_width = find_longest_hold(
        replace(case, recording=replace_streams(case.recording, {"gripper/effort": None}), _kept={})
    )
    for found in (by_force, by_width):
        assert convert_to_episode_seconds(case, found.contact_ns) == pytest.approx(3.75, abs=0.15)
        assert convert_to_episode_seconds(case, found.release_ns) == pytest.approx(5.55, abs=0.15)
        assert found.let_go
        assert found.grasps == 1
    assert (by_force.source, by_width.source) == ("gripper/effort", "gripper")


def test_two_fingers_that_mirror_each_other_tell_a_width():
    half = np.interp(np.arange(300), [0, 100, 120, 200, 220, 300], [0.04, 0.04, 0.01, 0.01, 0.04, 0.04])
    case = make_case(make_stream("fingers", GRIPPER, np.column_stack([half, -half]), unit=""))
    assert convert_to_episode_seconds(case, find_longest_hold(case).contact_ns) == pytest.approx(2.4, abs=0.05)


def test_a_touch_is_no_hold_and_a_gripper_without_a_unit_tells_nothing():
    force = np.zeros(300)
    force[100:104] = 9.0
    assert find_longest_hold(make_case(make_stream("grip", GRIPPER, force, unit="N"))) is None
    assert find_longest_hold(make_case(make_stream("grip", GRIPPER, np.linspace(0, 1, 300), unit=""))) is None


def test_the_longest_of_several_grasps_counts_and_all_are_counted():
    force = np.zeros(500)
    force[100:130], force[200:400] = 9.0, 9.0
    found = find_longest_hold(make_case(make_stream("grip", GRIPPER, force, unit="N")))
    assert (found.grasps, found.contact_ns / 2e7) == (2, 200)


# ── sensors


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([0.01, 0.025, 0.1, 0.5, 1.0]), st.booleans(), st.integers(0, 20))
def test_the_step_of_a_sensor_is_found(step, stored_short, seed):
    force = np.random.default_rng(seed).normal(0, 20 * step, (2000, 3))
    stepped = np.round(force / step) * step
    if stored_short:
        stepped = stepped.astype(np.float32).astype(np.float64)
    delicate = parse_protocol('[sensors.wrist]\nkind = "force_torque"\ndelicate = true')
    case = replace(make_case(make_stream("wrist", FORCE, stepped, unit="N")), protocol=delicate)
    assert measure_by_subject("force.resolution", case)["wrist"].value == pytest.approx(step, rel=1e-2)


def test_a_sensor_that_was_not_called_delicate_is_not_held_to_the_finer_limit():
    case = make_case(make_stream("wrist", FORCE, np.round(np.random.default_rng(0).normal(0, 9, (500, 3))), unit="N"))
    assert measure_by_subject("force.resolution", case) == {}


def test_an_offset_between_the_fingers_is_reported():
    case = change_values(make_healthy_case(), "gripper/effort", lambda values: values.__iadd__(0.6))
    assert measure_by_subject("force.zero", case)["gripper/effort"].value == pytest.approx(0.7, abs=0.05)


def test_a_wrist_whose_arm_ends_elsewhere_has_no_zero_to_compare():
    def end_elsewhere(values):
        values[800:] += np.minimum(np.arange(len(values) - 800), 100)[:, None] / 100 * 0.5

    found = measure_by_subject("force.zero", change_values(make_healthy_case(), "joints", end_elsewhere))
    assert found["force"].cannot_tell.code == "check.arm_ends_elsewhere"


def test_a_hold_from_the_beginning_leaves_no_zero():
    case = change_values(make_healthy_case(), "gripper/effort", lambda values: values.fill(12.0))
    assert all(
        found.cannot_tell.code == "check.never_untouched" for found in measure_by_subject("force.zero", case).values()
    )


def test_contact_is_no_spike_but_a_broken_message_is():
    contact = np.zeros((1000, 3))
    contact[400:, 2] = 28 * np.exp(-np.arange(600) / 6)  # an impact at 200 Hz
    case = make_case(make_stream("wrist", FORCE, contact, hz=200, unit="N"))
    assert measure_by_subject("force.spikes", case)["wrist"].value == 0
    contact = contact.copy()
    contact[[300, 700], 1] = 50.0
    found = measure_by_subject("force.spikes", make_case(make_stream("wrist", FORCE, contact, hz=200, unit="N")))[
        "wrist"
    ]
    assert found.value == pytest.approx(0.002)
    assert found.at_s == pytest.approx(1.5)


def test_a_frame_is_asked_for_only_under_a_protocol():
    case = change_episode(INJURIES["force.frame"].hurt(make_healthy_case()), protocol="")
    assert measure_by_subject("force.frame", case)["force"].cannot_tell

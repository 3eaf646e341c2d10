"""Was the protocol kept? Planted attempts with known heights, ways, pauses and labels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.check import CHECKS
from fieldloop.protocol import parse_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.injuries.injury import change_episode, change_stream, change_values
from fieldloop.testing.pick import LIFT_M
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import ATTEMPT_S, POST_S, PRE_S, PROTOCOL, make_healthy_case, replace_streams

HANDLING = [
    f"adherence.{name}"
    for name in ("approach_angle", "lift_clearance", "place_height", "dragging", "start_state", "end_state", "phases")
]


def test_duration_pre_and_post_roll_are_what_was_planted():
    case = make_healthy_case()
    assert measure_by_subject("adherence.pre_roll", case)[""].value == pytest.approx(PRE_S, abs=0.3)
    assert measure_by_subject("adherence.duration", case)[""].value == pytest.approx(ATTEMPT_S, abs=0.6)
    assert measure_by_subject("adherence.post_roll", case)[""].value == pytest.approx(POST_S, abs=0.3)


ASKED_ONLY = [
    "adherence.duration", "adherence.pre_roll", "adherence.operator_recorded", "adherence.speed_limit",
    "adherence.grasp_pause", "throughput.cycle_time", *HANDLING,
]  # fmt: skip


@pytest.mark.parametrize("name", ASKED_ONLY)
def test_an_episode_that_names_no_protocol_is_held_to_none(name):
    case = change_episode(make_healthy_case(), protocol="", operator="", site="")
    (found,) = CHECKS[name].look(case)
    assert found.cannot_tell
    assert np.isnan(found.value)


@pytest.mark.parametrize("name", [*HANDLING, "adherence.grasp_pause", "throughput.cycle_time"])
def test_a_failure_is_kept_as_it_is(name):
    (found,) = CHECKS[name].look(change_episode(make_healthy_case(), succeeded=False, failure="slip"))
    assert found.cannot_tell.code == "check.attempt_failed"


@pytest.mark.parametrize(
    ("succeeded", "failure", "labels"), [(True, "", 1), (False, "slip", 1), (False, "", 0), (None, "", 0)]
)
def test_an_outcome_is_labelled_when_nothing_is_left_to_ask(succeeded, failure, labels):
    case = change_episode(make_healthy_case(), succeeded=succeeded, failure=failure)
    assert measure_by_subject("adherence.outcome_labelled", case)[""].value == labels


def test_phases_no_one_annotated_are_not_missing():
    case = replace(make_healthy_case(), annotations=(), _kept={})
    assert measure_by_subject("adherence.phases", case)[""].cannot_tell.code == "check.phases_not_annotated"


def test_the_protocols_own_phases_are_asked_for():
    own = parse_protocol(PROTOCOL + '[[phase]]\nname = "grasp"\n[[phase]]\nname = "inspect"')
    found = measure_by_subject("adherence.phases", replace(make_healthy_case(), protocol=own, _kept={}))[""]
    assert (found.value, found.place["names"]) == (1, ("inspect",))


# ── handling


def test_clearance_and_place_height_are_what_was_planted():
    case = make_healthy_case()
    assert measure_by_subject("adherence.lift_clearance", case)["tool"].value == pytest.approx(LIFT_M, abs=0.01)
    assert measure_by_subject("adherence.place_height", case)["tool"].value == pytest.approx(0.005, abs=0.001)


@settings(max_examples=15, deadline=None)
@given(st.floats(-5, 5), st.floats(-5, 5), st.floats(0, 2 * np.pi))
def test_nothing_about_handling_depends_on_where_the_base_stands(x, y, turn):
    case = make_healthy_case()
    cosine, sine = np.cos(turn), np.sin(turn)

    def elsewhere(values):
        values[:, :2] = values[:, :2] @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]

    moved = change_values(case, "tool", elsewhere)
    for name in ("approach_angle", "lift_clearance", "place_height", "dragging"):
        ours, theirs = (measure_by_subject(f"adherence.{name}", one)["tool"].value for one in (case, moved))
        assert ours == pytest.approx(theirs, abs=1e-6)


def test_a_place_lower_than_the_protocol_knows_is_not_judged():
    def lower(values):
        at_s = np.arange(len(values)) / 120
        values[:, 2] -= 0.08 * np.clip((at_s - 4.5) / 0.9, 0, 1)

    case = change_values(make_healthy_case(), "tool", lower)
    assert measure_by_subject("adherence.place_height", case)["tool"].cannot_tell.code == "check.released_below"
    knows = parse_protocol(PROTOCOL + "[check.adherence.place_height.parameters]\nsurface_m = -0.08")
    found = measure_by_subject("adherence.place_height", replace(case, protocol=knows, _kept={}))["tool"]
    assert found.value == pytest.approx(0.005, abs=0.002)


def test_an_item_never_let_go_has_no_place():
    case = change_values(make_healthy_case(), "gripper/effort", lambda values: values[500:].fill(12.0))
    assert measure_by_subject("adherence.place_height", case)["tool"].cannot_tell.code == "check.ends_before_release"


@pytest.mark.parametrize("name", ["approach_angle", "lift_clearance", "place_height", "dragging"])
def test_without_a_tool_pose_handling_cannot_be_determined(name):
    case = make_healthy_case()
    without = replace(case, recording=replace_streams(case.recording, {"tool": None}), _kept={})
    assert measure_by_subject(f"adherence.{name}", without)[""].cannot_tell.code == "check.no_tool_pose"


def test_one_of_many_poses_is_not_taken_for_the_tool():
    case = make_healthy_case()
    pose = case.recording.streams["tool"]
    poses = {n: replace(pose, name=n) for n in ("tf/base", "tf/camera")}
    case = replace(case, recording=replace_streams(case.recording, {"tool": None, **poses}), _kept={})
    assert measure_by_subject("adherence.lift_clearance", case)[""].cannot_tell.code == "check.no_tool_pose"


# ── control interfaces


def limits(text):
    return parse_protocol(PROTOCOL + text)


def test_the_pause_around_contact_is_measured_in_what_is_asked_for():
    found = measure_by_subject("adherence.grasp_pause", make_healthy_case())["tool"]
    assert found.value == pytest.approx(0.8 / 0.2, rel=0.1)  # still from 3.4 s to 3.95 s, slow at both ends
    assert "at 3.75 s" in write_sentence(found.place)


@pytest.mark.parametrize("interface", ["", "telepathy"])
def test_an_unknown_interface_demands_nothing(interface):
    case = change_episode(make_healthy_case(), facts=(("interface", interface),))
    for name in ("adherence.speed_limit", "adherence.grasp_pause"):
        assert measure_by_subject(name, case)[""].cannot_tell.code in (
            "check.no_interface",
            "check.unknown_interface",
        )


def test_an_interface_may_ask_for_a_least_speed_and_a_turning_speed():
    text = """
[interface.vr.limits.turn_speed]
unit = "rad/s"
max = 1.0
why = "test"
source = { kind = "assumed", ref = "test" }

[interface.vr.limits.tool_speed]
min = 0.4
"""
    found = measure_by_subject("adherence.speed_limit", replace(make_healthy_case(), protocol=limits(text), _kept={}))
    assert found["tool slowness"].value > 1
    assert 0 < found["tool turning"].value < 1


def test_a_pause_is_as_long_as_the_tool_stays():
    case = change_stream(
        make_healthy_case(),
        "tool",
        values=np.column_stack([np.abs(np.arange(1200) / 120 - 3.75) * 0.01, np.zeros((1200, 5)), np.ones(1200)]),
    )
    found = measure_by_subject("adherence.grasp_pause", case)["tool"]
    assert found.value * 0.2 == pytest.approx(1.0, abs=0.03)  # five millimetres to either side at a centimetre a second


# ── throughput


def test_cycle_time_is_reported_against_the_target():
    found = measure_by_subject("throughput.cycle_time", make_healthy_case())[""]
    assert found.value == pytest.approx(ATTEMPT_S / 8.0, abs=0.08)


def test_several_grasps_are_reported_beside_the_time():
    def twice(values):
        values[400:430] = 12.0

    case = change_values(make_healthy_case(), "gripper/effort", twice)
    assert measure_by_subject("throughput.cycle_time", case)[""].place["grasps"] == 2


def test_an_attempt_that_was_not_called_a_success_has_no_cycle_time():
    (found,) = CHECKS["throughput.cycle_time"].look(change_episode(make_healthy_case(), succeeded=None))
    assert found.cannot_tell.code == "check.success_not_recorded"

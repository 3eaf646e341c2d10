"""Two arms in one recording: each is asked, each is named, and neither is taken for the other."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop import check
from fieldloop.check import CHECKS
from fieldloop.check.signals.arms import list_arms
from fieldloop.check.signals.contact import find_holds, find_longest_hold
from fieldloop.model.finding import Status
from fieldloop.testing.injuries.adherence import INJURIES
from fieldloop.testing.planted import measure_by_subject
from fieldloop.testing.synthetic import make_healthy_case, replace_streams

ARMS = ("left", "right")
OF_AN_ARM = ("tool", "gripper", "gripper/effort", "joints", "joints/velocity", "action")
HANDLING = ["approach_angle", "lift_clearance", "place_height", "dragging", "grasp_pause"]


def two_arms(left=None, right=None):
    """Put the arms of two recordings side by side, under the same names of columns."""
    cases = dict(zip(ARMS, (left or make_healthy_case(), right or make_healthy_case()), strict=True))
    own = {
        f"{arm}/{name}": replace(case.recording.streams[name], name=f"{arm}/{name}")
        for arm, case in cases.items()
        for name in OF_AN_ARM
    }
    whole = cases["left"]
    streams = {**dict.fromkeys(OF_AN_ARM), **own}
    return replace(whole, recording=replace_streams(whole.recording, streams), _kept={})


def still(case):
    """Let an arm do nothing: its gripper stays open, and feels nothing."""
    streams = case.recording.streams
    rest = {name: np.repeat(streams[name].values[:1], len(streams[name]), axis=0) for name in OF_AN_ARM}
    changed = {name: replace(streams[name], values=values) for name, values in rest.items()}
    return replace(case, recording=replace_streams(case.recording, changed), _kept={})


def test_both_arms_are_seen():
    case = two_arms()
    assert list_arms(case) == ARMS
    assert [held.arm for held in find_holds(case)] == list(ARMS)
    assert list_arms(make_healthy_case()) == ("",)


@pytest.mark.parametrize("name", HANDLING)
def test_each_arm_is_asked_how_it_handled_the_item(name):
    one = measure_by_subject(f"adherence.{name}", make_healthy_case())["tool"]
    both = measure_by_subject(f"adherence.{name}", two_arms())
    assert {found: answer.value for found, answer in both.items()} == {f"{arm}/tool": one.value for arm in ARMS}


@pytest.mark.parametrize("name", [*HANDLING, "speed_limit", "start_state", "end_state"])
@pytest.mark.parametrize("hurt", ARMS)
def test_what_one_arm_did_wrong_is_found_and_laid_to_it(name, hurt):
    wrong = INJURIES[f"adherence.{name}"].hurt(make_healthy_case())
    case = two_arms(**{hurt: wrong})
    found = [
        f
        for f in check.judge_measurements(check.measure_episode(case, pixels=False), case.protocol, named=True)
        if f.check == f"adherence.{name}"
    ]
    assert {f.subject.partition("/")[0] for f in found if f.status is Status.FAILED} == {hurt}
    assert {f.subject.partition("/")[0] for f in found} == set(ARMS)


def test_an_arm_that_held_nothing_is_not_asked_how_it_held_it():
    case = two_arms(left=still(make_healthy_case()))
    assert find_longest_hold(case).arm == "right"
    assert set(measure_by_subject("adherence.lift_clearance", case)) == {"right/tool"}
    (grasp,) = [name for name, _ in check.take_imprint(case, pixels=False).list_arrays_under("grasp/tool")]
    assert grasp == "right/tool"


def test_an_arm_without_a_pose_is_reported():
    case = two_arms()
    case = replace(case, recording=replace_streams(case.recording, {"right/tool": None}), _kept={})
    found = measure_by_subject("adherence.lift_clearance", case)
    assert found["right"].cannot_tell.code == "check.no_tool_pose"
    assert found["left/tool"].value > 0


@pytest.mark.parametrize("name", ["action_follows_state", "action_copies_state", "command_error"])
def test_commands_go_to_the_joints_of_their_own_arm(name):
    assert set(measure_by_subject(f"motion.{name}", two_arms())) == {f"{arm}/action ↔ {arm}/joints" for arm in ARMS}


def test_joints_without_commands_say_so_beside_those_that_have_some():
    case = two_arms()
    case = replace(case, recording=replace_streams(case.recording, {"right/action": None}), _kept={})
    found = measure_by_subject("motion.action_copies_state", case)
    assert found["right/joints"].cannot_tell.code == "check.no_commands_to_joints"
    assert found["left/action ↔ left/joints"].value == 0


def test_one_stream_of_commands_may_be_to_both_arms():
    case = two_arms()
    streams, own = case.recording.streams, {}
    for arm in ARMS:
        joints = streams[f"{arm}/joints"]
        own[joints.name] = replace(joints, columns=tuple(f"{arm}_{name}" for name in joints.columns))
    values = np.hstack([streams[f"{arm}/action"].values[:, :6] for arm in ARMS])
    columns = tuple(name for joints in own.values() for name in joints.columns)
    both = replace(streams["left/action"], name="action", values=values, columns=columns)
    changed = {**own, "action": both, "left/action": None, "right/action": None}
    found = [*CHECKS["motion.action_follows_state"].look(replace(
        case, recording=replace_streams(case.recording, changed), _kept={}
    ))]  # fmt: skip
    assert [one.subject for one in found] == [f"action ↔ {arm}/joints" for arm in ARMS]
    assert all(one.value == pytest.approx(0.05, abs=0.01) for one in found)

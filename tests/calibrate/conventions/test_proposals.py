"""A file read the wrong way is told how it would fit; one read the right way is left alone."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.calibrate.conventions.test_readings import as_written

from fieldloop.calibrate.conventions import Reading, propose_readings
from fieldloop.calibrate.conventions.alternatives import Wanted
from fieldloop.calibrate.hand_eye import Setup
from fieldloop.calibrate.hand_eye_written import Stated, calibrate_from_written_poses
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.model.written_poses import Side, WrittenPoses
from fieldloop.protocol import default_protocol
from fieldloop.testing.hand_eye_scene import CHEAP_ARM, GOOD_ARM, make_hand_eye_scene

PLAIN = Reading("quaternion-xyzw")


def side(which, poses, name="quaternion-xyzw", scale=1.0):
    turned = as_written(name, Rotation.from_matrix(poses[:, :3, :3]))
    return WrittenPoses(which, poses[:, :3, 3] * scale, turned, tuple(map(str, range(len(poses)))))


def proposed(robot, target, stated=(PLAIN, PLAIN), setup=Setup.EYE_IN_HAND, factor=10.0):
    return propose_readings(robot, target, stated, setup, Wanted(factor, 0.3, 0.1, 1.5))


def shown(noise=GOOD_ARM, seed=0, span=30):
    return make_hand_eye_scene(20, span, noise, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("written", "stated"),
    [
        ("rpy-xyz", "rotation-vector"),
        ("rotation-vector", "rpy-xyz"),
        ("euler-zyx", "rpy-zyx"),
        ("rpy-zyx-deg", "rpy-xyz-deg"),
        ("quaternion-wxyz", "quaternion-xyzw"),
        ("matrix-transposed", "matrix"),
        ("rpy-xyz-deg", "rpy-xyz"),
    ],
)
def test_another_way_to_write_rotations_is_found(written, stated):
    made = shown()
    robot = side(Side.ROBOT, made.base_from_gripper, written)
    given = proposed(robot, side(Side.TARGET, made.camera_from_target), (Reading(stated), PLAIN))
    options = {option for proposal in given for option in proposal.options}
    assert given
    assert options == {f"--rotation robot:{written}"} or stated == "matrix"
    assert all(proposal.times_smaller >= 10 for proposal in given)


def test_reason_and_proposal_give_one_answer():
    made = shown()
    robot = side(Side.ROBOT, made.base_from_gripper, "rpy-xyz-deg")
    stated = Stated(Reading("rotation-vector"), PLAIN, Setup.EYE_IN_HAND, assumed=True)
    found = calibrate_from_written_poses(robot, side(Side.TARGET, made.camera_from_target), stated, default_protocol())
    assert [p.options for p in found.proposals] == [("--rotation robot:rpy-xyz-deg",)]
    reason = found.found.reason
    assert (reason.code, reason.details[0].code) == ("calibrate.degrees", "calibrate.better_reading")
    assert "--rotation robot:rpy-xyz-deg" in reason.details[0]["options"]
    assert "rotation-vector-deg" not in reason.details[0]["options"]
    assert found.found.status is Status.CANNOT_TELL


def test_poses_the_other_way_round_are_found():
    made = shown()
    robot, target = made.base_from_gripper, made.camera_from_target
    turned = proposed(side(Side.ROBOT, robot), side(Side.TARGET, tf.invert_transform(target)))
    assert {p.options for p in turned} == {("--inverse target",), ("--setup eye-to-hand",)}  # no pose tells which
    either = proposed(side(Side.ROBOT, tf.invert_transform(robot)), side(Side.TARGET, target))
    assert {p.options for p in either} == {("--inverse robot",)}  # else the target would be 0.5 m from the gripper


def test_one_side_in_millimetres_is_found():
    made = shown()
    (mixed,) = proposed(side(Side.ROBOT, made.base_from_gripper, scale=1e3), side(Side.TARGET, made.camera_from_target))
    assert mixed.options == ("--units robot:mm",)


def test_two_mistakes_at_once_are_found():
    made = shown()
    robot = side(Side.ROBOT, made.base_from_gripper, "rpy-xyz-deg", 1e3)
    given = proposed(robot, side(Side.TARGET, made.camera_from_target), (Reading("rotation-vector"), PLAIN))
    assert {"--rotation robot:rpy-xyz-deg", "--units robot:mm"} <= set(given[0].options)


@pytest.mark.parametrize("noise", [GOOD_ARM, CHEAP_ARM], ids=["good", "cheap"])
def test_a_file_that_is_read_rightly_is_left_alone(noise):
    made = shown(noise, seed=1)
    for name in ("rpy-xyz", "quaternion-xyzw"):
        robot = side(Side.ROBOT, made.base_from_gripper, name)
        target = side(Side.TARGET, made.camera_from_target, name)
        assert not proposed(robot, target, (Reading(name), Reading(name)), factor=2.0)


def test_too_few_poses_propose_nothing():
    made = make_hand_eye_scene(4, 30, GOOD_ARM, np.random.default_rng(0))
    assert not proposed(
        side(Side.ROBOT, made.base_from_gripper), side(Side.TARGET, tf.invert_transform(made.camera_from_target))
    )

"""Bad poses are left out, each for its own reason; sound ones stay."""

import numpy as np
import pytest

from fieldloop.calibrate.hand_eye import Setup, make_pairs, solve_hand_eye
from fieldloop.calibrate.hand_eye.reject import fit_without_outliers, mirror_tilt
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.testing.hand_eye_scene import GOOD_ARM, compute_pose_error, make_hand_eye_scene

PROTOCOL = default_protocol()


def solved(robot, seen):
    return solve_hand_eye(make_pairs(robot, seen, Setup.EYE_IN_HAND), Setup.EYE_IN_HAND, PROTOCOL)


def shown(poses=24, seed=0):
    return make_hand_eye_scene(poses, 30, GOOD_ARM, np.random.default_rng(seed))


def test_mirrored_targets_are_named():
    made = shown()
    seen = made.camera_from_target.copy()
    seen[[3, 8, 15]] = mirror_tilt(seen[[3, 8, 15]])
    found = solved(made.base_from_gripper, seen)
    assert [r.pose for r in found.rejected] == ["4", "9", "16"]
    assert all(r.reason.code == "calibrate.mirrored_target" for r in found.rejected)
    assert found.status is Status.PASSED
    assert compute_pose_error(made.gripper_from_camera, found.answer.mount_from_camera)[1] < 2


def test_a_mirrored_pose_looks_the_same_from_afar_and_mirrors_back():
    pose = shown(1).camera_from_target
    other = mirror_tilt(pose)
    assert np.allclose(mirror_tilt(other), pose)
    corners = np.array([[x, y, 0] for x in (-0.02, 0.02) for y in (-0.02, 0.02)])
    far = [p.copy() for p in (pose[0], other[0])]
    for p in far:
        p[:3, 3] *= 100
    first, second = ((a[:, :2] / a[:, 2:]) for a in (tf.transform_points(p, corners) for p in far))
    assert np.abs(first - second).max() < 1e-3 * np.abs(first - first.mean(0)).max() * 10


def test_rows_that_slipped_are_named_with_the_row_they_fit():
    made = shown()
    seen = made.camera_from_target.copy()
    seen[[5, 6]] = seen[[6, 5]]
    found = solved(made.base_from_gripper, seen)
    assert {r.pose: r.reason for r in found.rejected}.keys() == {"6", "7"}
    assert (found.rejected[0].reason.code, found.rejected[0].reason["other"]) == ("calibrate.other_row", "7")


def test_a_pose_that_is_simply_off_says_by_how_much():
    made = shown()
    seen = made.camera_from_target.copy()
    seen[2, :3, 3] += [0.03, 0, 0]
    (left_out,) = solved(made.base_from_gripper, seen).rejected
    assert left_out.pose == "3"
    assert 29 <= left_out.reason["off_mm"] < 30  # what is left of 30 mm beside its own noise


@pytest.mark.parametrize("bad", [4, 7])
def test_a_quarter_of_bad_poses_does_not_spoil_the_rest(bad):
    made = shown()
    rng = np.random.default_rng(2)
    seen = made.camera_from_target.copy()
    for n in range(bad):
        seen[n] = seen[n] @ tf.make_transform(
            tf.rotation_from_vector(rng.uniform(-0.5, 0.5, 3)), rng.uniform(-0.05, 0.05, 3)
        )
    found = solved(made.base_from_gripper, seen)
    assert len(found.rejected) == bad
    assert compute_pose_error(made.gripper_from_camera, found.answer.mount_from_camera)[1] < 2


def test_when_half_disagree_it_is_unknown():
    made = shown()
    seen = made.camera_from_target.copy()
    seen[::2] = seen[::-2]
    assert solved(made.base_from_gripper, seen).status is not Status.PASSED


def test_sound_poses_are_hardly_ever_left_out():
    level = float(PROTOCOL.setting("calibration.hand_eye_reject_level"))
    made = [shown(seed=seed) for seed in range(6)]
    each = [make_pairs(m.base_from_gripper, m.camera_from_target, Setup.EYE_IN_HAND) for m in made]
    assert sum(len(fit_without_outliers(given, level).rejected) for given in each) <= 1  # of 144

"""The camera is found where it is, in both set-ups, and nobody is told more than the poses can say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.calibrate.hand_eye import METHODS, REFINED, Pairs, Setup, make_pairs, solve_hand_eye
from fieldloop.calibrate.hand_eye.methods import CLOSED_FORM, solve_closed_form
from fieldloop.calibrate.hand_eye.refine import refine_answer
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.hand_eye_scene import CHEAP_ARM, GOOD_ARM, SILENT, compute_pose_error, make_hand_eye_scene

PROTOCOL = default_protocol()


def made(poses=20, span_deg=30.0, noise=GOOD_ARM, seed=0):
    return make_hand_eye_scene(poses, span_deg, noise, np.random.default_rng(seed))


def solved(shown, setup=Setup.EYE_IN_HAND):
    return solve_hand_eye(make_pairs(shown.base_from_gripper, shown.camera_from_target, setup), setup, PROTOCOL)


@pytest.mark.parametrize("method", CLOSED_FORM)
def test_every_method_finds_both_unknowns_where_there_is_no_noise(method):
    shown = made(noise=SILENT)
    answer = solve_closed_form(make_pairs(shown.base_from_gripper, shown.camera_from_target, Setup.EYE_IN_HAND), method)
    assert compute_pose_error(shown.gripper_from_camera, answer.mount_from_camera) == pytest.approx((0, 0), abs=1e-3)
    assert compute_pose_error(shown.base_from_target, answer.world_from_target) == pytest.approx((0, 0), abs=1e-3)


def test_the_methods_are_really_different_ones():
    shown = made(noise=CHEAP_ARM)
    given = make_pairs(shown.base_from_gripper, shown.camera_from_target, Setup.EYE_IN_HAND)
    answers = [
        solve_closed_form(given, m).mount_from_camera for m in ("tsai", "park", "andreff", "daniilidis", "shah", "li")
    ]
    assert len({tuple(np.round(a, 9).ravel()) for a in answers}) == len(answers)


def test_a_good_arm_passes_and_says_how_well_it_knows():
    found = solved(made())
    assert (found.status, found.method, len(found.used), found.rejected) == (Status.PASSED, REFINED, 20, ())
    off_deg, off_mm = compute_pose_error(made().gripper_from_camera, found.answer.mount_from_camera)
    assert off_mm <= found.uncertainty_mm <= 2
    assert off_deg <= found.uncertainty_deg <= 0.5
    assert set(found.held_out) == set(METHODS)
    assert found.verified.translation_mm == pytest.approx(0.9, abs=0.3)  # the noise of one look, √3 × 0.5 mm


def test_one_pose_many_times_and_few_poses_are_reported_as_such():
    shown = made(poses=4)
    few = solved(shown)
    assert (few.status, few.reason["poses"], few.reason["needed"]) == (Status.CANNOT_TELL, 4, 15)
    robot, target = (np.repeat(p[:1], 20, axis=0) for p in (shown.base_from_gripper, shown.camera_from_target))
    same = solve_hand_eye(make_pairs(robot, target, Setup.EYE_IN_HAND), Setup.EYE_IN_HAND, PROTOCOL)
    assert (same.status, same.answer) == (Status.CANNOT_TELL, None)
    assert (same.reason.code, same.reason["poses"]) == ("calibrate.same_orientation", 20)
    assert same.advice[0].code == "calibrate.turn_between"


def test_a_fixed_camera_that_looks_at_the_gripper_is_found_too():
    shown = made()
    # the same numbers, seen from the other end: the camera stands in the base, the target is in the gripper
    turned = solve_hand_eye(
        make_pairs(tf.invert_transform(shown.base_from_gripper), shown.camera_from_target, Setup.EYE_TO_HAND),
        Setup.EYE_TO_HAND,
        PROTOCOL,
    )
    assert (turned.status, turned.setup.mount, turned.setup.world) == (Status.PASSED, "base", "gripper")
    assert compute_pose_error(shown.gripper_from_camera, turned.answer.mount_from_camera)[1] < 2
    assert compute_pose_error(shown.base_from_target, turned.answer.world_from_target)[1] < 2


def test_noise_free_poses_give_the_exact_answer():
    found = solved(made(noise=SILENT))
    assert compute_pose_error(made().gripper_from_camera, found.answer.mount_from_camera) == pytest.approx(
        (0, 0), abs=1e-4
    )
    assert (found.status, found.rejected) == (Status.PASSED, ())


def test_a_cheap_arm_fails_the_protocol():
    found = solved(made(noise=CHEAP_ARM))
    assert found.status is Status.FAILED
    assert found.reason.code == "calibrate.hand_eye_failed"


def test_too_few_poses_cannot_tell_and_ask_for_more():
    found = solved(made(poses=9))
    assert (found.status, found.reason["poses"]) == (Status.CANNOT_TELL, 9)
    assert write_sentence(found.advice[0]) == "Add 6 poses."


@pytest.mark.parametrize("poses", [0, 1, 2, 3])
def test_next_to_nothing_cannot_tell(poses):
    shown = made(poses=5)
    given = make_pairs(shown.base_from_gripper[:poses], shown.camera_from_target[:poses], Setup.EYE_IN_HAND)
    assert solve_hand_eye(given, Setup.EYE_IN_HAND, PROTOCOL).status is Status.CANNOT_TELL


def test_small_turns_cannot_tell_although_they_foretell_well():
    found = solved(made(poses=15, span_deg=10))
    assert found.status is Status.CANNOT_TELL
    assert found.verified.translation_mm < 2
    assert found.reason.code == "calibrate.hand_eye_uncertain"
    assert "calibrate.turn_further" in [advice.code for advice in found.advice]


def test_turns_about_one_axis_cannot_tell_and_name_the_others():
    rng = np.random.default_rng(1)
    camera, target = made().gripper_from_camera, made().base_from_target
    shown = []
    for _ in range(20):
        turn = tf.make_transform(
            tf.make_rotation_about_axis("z", rng.uniform(-1, 1)), rng.uniform(-0.1, 0.1, 3) + np.array([0.4, 0, 0.5])
        )
        shown.append(turn)
    robot = np.array(shown)
    seen = tf.invert_transform(robot @ camera) @ target
    found = solve_hand_eye(make_pairs(robot, seen, Setup.EYE_IN_HAND), Setup.EYE_IN_HAND, PROTOCOL)
    assert found.status is Status.CANNOT_TELL
    about = [advice["axes"] for advice in found.advice if advice.code == "calibrate.turn_about"]
    assert about == ["x and y"]


def test_equal_poses_cannot_tell():
    one = made(poses=1, noise=SILENT)
    same = make_pairs(
        np.repeat(one.base_from_gripper, 20, 0), np.repeat(one.camera_from_target, 20, 0), Setup.EYE_IN_HAND
    )
    assert solve_hand_eye(same, Setup.EYE_IN_HAND, PROTOCOL).status is Status.CANNOT_TELL


def test_shapes_that_do_not_match_are_refused():
    shown = made(poses=5)
    with pytest.raises(BadInput, match="as many robot as target poses"):
        make_pairs(shown.base_from_gripper, shown.camera_from_target[:4], Setup.EYE_IN_HAND)


def test_the_bound_holds_as_often_as_it_says():
    inside = []
    for seed in range(40):
        shown = made(poses=15, seed=seed)
        given = make_pairs(shown.base_from_gripper, shown.camera_from_target, Setup.EYE_IN_HAND)
        refined = refine_answer(given, solve_closed_form(given, "park"))
        step = tf.invert_transform(shown.gripper_from_camera) @ refined.answer.mount_from_camera
        off = np.concatenate([tf.vector_from_rotation(step[:3, :3]), step[:3, 3]])
        inside.append(off @ np.linalg.solve(refined.camera_covariance, off) < 12.59)  # 95 % of chi²(6)
    assert np.mean(inside) >= 0.85


@settings(deadline=None, max_examples=8)
@given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-2, 2)] * 3))
def test_another_base_frame_changes_nothing(turn, shift):
    shown = made(poses=16)
    other = tf.make_transform(tf.rotation_from_vector(turn), shift)
    given = make_pairs(shown.base_from_gripper, shown.camera_from_target, Setup.EYE_IN_HAND)
    moved = Pairs(other @ given.world_from_mount, given.camera_from_target, given.names)
    first, second = (refine_answer(each, solve_closed_form(each, "park")).answer for each in (given, moved))
    assert compute_pose_error(first.mount_from_camera, second.mount_from_camera) == pytest.approx((0, 0), abs=1e-3)

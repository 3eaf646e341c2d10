"""A closed form says its own uncertainty, and a file that is turned the wrong way gets advice that turns it back."""

import numpy as np
import pytest

from fieldloop.calibrate.conventions import Reading
from fieldloop.calibrate.hand_eye import Setup, make_pairs, solve, solve_hand_eye
from fieldloop.calibrate.hand_eye.held_out import estimate_jackknife_covariance
from fieldloop.calibrate.hand_eye.methods import solve_closed_form
from fieldloop.calibrate.hand_eye_written import Stated, calibrate_from_written_poses
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.se3 import bound_vector_length
from fieldloop.model.finding import Status
from fieldloop.model.written_poses import Side, WrittenPoses
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence
from fieldloop.testing.hand_eye_scene import GOOD_ARM, compute_pose_error, make_hand_eye_scene

PROTOCOL = default_protocol()


def shown(seed):
    made = make_hand_eye_scene(20, 30, GOOD_ARM, np.random.default_rng(seed))
    return made, make_pairs(made.base_from_gripper, made.camera_from_target, Setup.EYE_IN_HAND)


def solved(seed):
    return solve_hand_eye(shown(seed)[1], Setup.EYE_IN_HAND, PROTOCOL)


def test_a_closed_form_is_as_sure_as_it_says():
    within = []
    for seed in range(20):
        made, given = shown(seed)
        answer = solve_closed_form(given, "tsai")
        covariance = estimate_jackknife_covariance(given, "tsai", answer)
        off_deg, off_mm = compute_pose_error(made.gripper_from_camera, answer.mount_from_camera)
        bounds = [bound_vector_length(covariance[axes, axes], 19, 0.95) for axes in (slice(3), slice(3, 6))]
        within.append((off_deg <= np.degrees(bounds[0]), off_mm <= 1e3 * bounds[1]))
    assert np.mean(within, axis=0).min() >= 0.8  # 0.95, with three standard errors of 20 draws


def test_a_closed_form_that_is_taken_says_its_own_uncertainty(monkeypatch):
    refined = solved(0)
    monkeypatch.setattr(solve, "_choose_method", lambda *_: "tsai")
    taken = solved(0)
    assert (refined.method, taken.method) == ("refined", "tsai")
    assert taken.uncertainty_mm != pytest.approx(refined.uncertainty_mm, rel=1e-3)
    assert taken.uncertainty_deg != pytest.approx(refined.uncertainty_deg, rel=1e-3)


def test_a_closed_form_whose_uncertainty_cannot_be_found_does_not_pass(monkeypatch):
    monkeypatch.setattr(solve, "_choose_method", lambda *_: "tsai")
    monkeypatch.setattr(solve, "estimate_jackknife_covariance", lambda *_: None)
    found = solved(0)
    assert (found.uncertainty_mm, found.uncertainty_deg, found.covariance) == (None, None, None)
    assert found.status is Status.CANNOT_TELL


@pytest.mark.parametrize(
    ("turned", "advice"),
    [
        ((False, False), "inverted: give --inverse robot --inverse target."),
        ((True, True), "inverted: leave --inverse robot --inverse target out."),
        ((True, False), "inverted: leave --inverse robot out, and give --inverse target."),
    ],
)
def test_advice_turns_what_was_stated(turned, advice):
    made = make_hand_eye_scene(20, 30, GOOD_ARM, np.random.default_rng(0))
    # all that is written is the other way round than it is stated to be
    poses = [
        p if said else tf.invert_transform(p)
        for p, said in zip((made.base_from_gripper, made.camera_from_target), turned, strict=True)
    ]
    sides = [
        WrittenPoses(which, p[:, :3, 3], p[:, :3, :3], tuple(map(str, range(20))), "matrix")
        for which, p in zip(Side, poses, strict=True)
    ]
    readings = [Reading("matrix", inverse=said) for said in turned]
    found = calibrate_from_written_poses(*sides, Stated(*readings, Setup.EYE_IN_HAND), PROTOCOL)
    assert advice in write_sentence(found.complaints[0])

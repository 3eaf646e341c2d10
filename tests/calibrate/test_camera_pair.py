"""The pose between two cameras is found from boards that both see; pairs that do not belong are left out."""

from dataclasses import replace

import numpy as np
import pytest
from tests.calibrate.board_views import BOARD, CAMERA, FISHEYE, sighting

from fieldloop.calibrate.camera_pair import fit_camera_pair
from fieldloop.calibrate.intrinsics import make_factory_intrinsics
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.model.note import note
from fieldloop.protocol import default_protocol
from fieldloop.testing.boards import draw_board_poses, shows_whole_board

LEFT_FROM_RIGHT = tf.make_transform(tf.rotation_from_vector([0.02, -0.08, 0.01]), [0.08, 0.005, -0.01])


def lens(camera):
    stated = make_factory_intrinsics("camera", camera.matrix, camera.distortion, (camera.width, camera.height))
    return replace(stated, model=camera.lens.value)


def pairs(seed, count=10, noise_px=0.1, right_camera=CAMERA):
    rng = np.random.default_rng(seed)
    left, right = {}, {}
    for pose in draw_board_poses(BOARD, CAMERA, rng, 3 * count):
        other = tf.invert_transform(LEFT_FROM_RIGHT) @ pose
        if shows_whole_board(BOARD, right_camera, other) and len(left) < count:
            name = f"pair{len(left):02}"
            left[name] = sighting(pose, rng, noise_px, name)
            right[name] = sighting(other, rng, noise_px, name, camera=right_camera)
    return left, right


def found(left, right, right_camera=CAMERA):
    return fit_camera_pair(left, right, (lens(CAMERA), lens(right_camera)), default_protocol())


@pytest.mark.parametrize("right_camera", [CAMERA, FISHEYE], ids=["alike", "fisheye"])
def test_a_known_pose_is_found_again(right_camera):
    result = found(*pairs(1, right_camera=right_camera), right_camera)
    assert result.status is Status.PASSED, result.message
    pose = np.array(result.left_from_right)
    assert np.linalg.norm(pose[:3, 3] - LEFT_FROM_RIGHT[:3, 3]) < 5e-4
    assert np.degrees(tf.angle_between(pose[:3, :3], LEFT_FROM_RIGHT[:3, :3])) < 0.05
    assert result.baseline_m == pytest.approx(0.0808, abs=5e-4)
    assert result.epipolar_px <= result.held_out_px < 0.3


def test_a_board_that_moved_between_the_pictures_is_left_out():
    left, right = pairs(2, count=12)
    turned, moved = right["pair03"], right["pair05"]
    right["pair03"] = replace(turned, pixels=turned.pixels[::-1].copy())
    right["pair05"] = replace(moved, pixels=moved.pixels + np.array([0.0, 3.0]))
    result = found(left, right)
    assert {r.name for r in result.pairs_rejected} == {"pair03", "pair05"}
    assert result.status is Status.PASSED
    assert np.linalg.norm(np.array(result.left_from_right)[:3, 3] - LEFT_FROM_RIGHT[:3, 3]) < 5e-4


def test_only_what_both_see_counts():
    left, right = pairs(3, count=7)
    del right["pair00"], left["pair01"]
    seen = left["pair02"]
    left["pair02"] = replace(
        seen, pixels=seen.pixels[:4], board_points=seen.board_points[:4], corner_ids=seen.corner_ids[:4]
    )
    reasons = {r.name: r.reason for r in found(left, right).pairs_rejected}
    assert reasons == {
        "pair00": note("calibrate.pair_not_seen", side="right"),
        "pair01": note("calibrate.pair_not_seen", side="left"),
        "pair02": note("calibrate.pair_few_shared", corners=4, needed=6),
    }


def test_noise_fails_and_too_few_cannot_tell():
    assert found(*pairs(4, noise_px=0.5)).status is Status.FAILED
    left, right = pairs(5, count=5)
    assert found(left, right).status is Status.CANNOT_TELL
    nothing = found({}, {})
    assert (nothing.status, nothing.left_from_right) == (Status.CANNOT_TELL, ())


def test_a_camera_without_intrinsics_is_refused():
    left, right = pairs(6, count=4)
    with pytest.raises(BadInput, match="needs the intrinsics of both"):
        fit_camera_pair(left, right, (replace(lens(CAMERA), camera_matrix=()), lens(CAMERA)), default_protocol())

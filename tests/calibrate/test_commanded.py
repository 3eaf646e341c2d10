"""A touched point lies where the camera saw it, or the calibration is off."""

import numpy as np
import pytest

from fieldloop.calibrate import compare_commanded_points
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

PROTOCOL = default_protocol()
CAMERA = tf.make_transform(tf.rotation_from_vector([0.1, 2.9, 0.2]), [0.4, -0.1, 1.1])
RNG = np.random.default_rng(0)
TOUCHED = RNG.uniform(-0.2, 0.2, (6, 3)) + np.array([0.5, 0, 0.1])


def held(parent_from_child=CAMERA):
    matrix = tuple(tuple(map(float, row)) for row in parent_from_child)
    return Calibration("c", "hand_eye", "r", "s", "base", "s", matrix, "", 1.0, 0.1, 20, Status.PASSED, 0)


@pytest.mark.parametrize(("off_mm", "status"), [(0.0, "passed"), (1.5, "passed"), (3.0, "failed")])
def test_a_fixed_camera(off_mm, status):
    seen = tf.transform_points(tf.invert_transform(CAMERA), TOUCHED + np.array([off_mm / 1e3, 0, 0]))
    found = compare_commanded_points(held(), seen, TOUCHED, PROTOCOL)
    assert (found.status, len(found.each_mm)) == (status, 6)
    assert found.off_mm == pytest.approx(off_mm, abs=1e-6)


def test_a_camera_on_the_wrist_needs_to_know_where_the_wrist_was():
    wrist = np.array(
        [tf.make_transform(tf.rotation_from_vector(RNG.uniform(-1, 1, 3)), RNG.uniform(-1, 1, 3)) for _ in TOUCHED]
    )
    seen = np.array(
        [tf.transform_points(tf.invert_transform(w @ CAMERA), p) for w, p in zip(wrist, TOUCHED, strict=True)]
    )
    assert compare_commanded_points(held(), seen, TOUCHED, PROTOCOL, base_from_mount=wrist).off_mm == pytest.approx(
        0, abs=1e-6
    )


def test_points_that_were_not_seen_tell_nothing():
    assert compare_commanded_points(held(), np.full((2, 3), np.nan), TOUCHED[:2], PROTOCOL).status is Status.CANNOT_TELL
    with pytest.raises(BadInput, match="n × 3"):
        compare_commanded_points(held(), TOUCHED[:3], TOUCHED, PROTOCOL)

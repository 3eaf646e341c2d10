"""A place fitted to points says what it is worth: how many points are missing, how far off, or that it cannot be."""

import numpy as np
import pytest

from fieldloop.calibrate import extrinsic
from fieldloop.calibrate.explained import explained
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

PROTOCOL = default_protocol()
BASE_FROM_CAMERA = tf.make(tf.rotation_about("y", 0.7), [0.9, 0.2, 0.8])


def placed(points=20, noise_m=0.0003, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    camera = rng.uniform((-0.4, -0.4, 0.6), (0.4, 0.4, 1.4), (points, 3))
    base = tf.apply(BASE_FROM_CAMERA, camera) + rng.normal(0, noise_m, camera.shape)
    who = {"calibration_id": "c", "robot": "arm", "sensor": "camera/overhead", "valid_from_ns": 0}
    return explained(extrinsic(scale * camera, scale * base, PROTOCOL, **who), PROTOCOL)


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        ({}, Status.PASSED, "2 mm and 0.5° are allowed"),
        ({"noise_m": 0.01}, Status.FAILED, "mm on points left out"),
        ({"points": 8}, Status.CANNOT_TELL, "8 points; 12 are asked for"),
        ({"scale": 1e3, "noise_m": 0.0}, Status.CANNOT_TELL, "are the points in millimetres?"),
        ({"scale": 1e3, "points": 8}, Status.CANNOT_TELL, "are the points in millimetres?"),
    ],
)
def test_each_answer_has_its_sentence(options, status, says):
    found = placed(**options)
    assert (found.status, says in found.message) == (status, True), found.message

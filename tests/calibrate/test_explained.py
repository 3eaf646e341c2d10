"""A pose fitted to points states its error, how many points are missing, or that it is implausible."""

import numpy as np
import pytest

from fieldloop.calibrate import fit_extrinsic
from fieldloop.calibrate.explained import add_explanation
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.say import write_sentence

PROTOCOL = default_protocol()
BASE_FROM_CAMERA = tf.make_transform(tf.make_rotation_about_axis("y", 0.7), [0.9, 0.2, 0.8])


def placed(points=20, noise_m=0.0003, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    camera = rng.uniform((-0.4, -0.4, 0.6), (0.4, 0.4, 1.4), (points, 3))
    base = tf.transform_points(BASE_FROM_CAMERA, camera) + rng.normal(0, noise_m, camera.shape)
    who = {"calibration_id": "c", "robot": "arm", "sensor": "camera/overhead", "valid_from_ns": 0}
    return add_explanation(fit_extrinsic(scale * camera, scale * base, PROTOCOL, **who), PROTOCOL)


@pytest.mark.parametrize(
    ("options", "status", "code"),
    [
        ({}, Status.PASSED, "points_off"),
        ({"noise_m": 0.01}, Status.FAILED, "points_off"),
        ({"points": 8}, Status.CANNOT_TELL, "few_points"),
        ({"scale": 1e3, "noise_m": 0.0}, Status.CANNOT_TELL, "too_far"),
        ({"scale": 1e3, "points": 8}, Status.CANNOT_TELL, "too_far"),
    ],
)
def test_each_verdict_has_its_reason(options, status, code):
    found = placed(**options)
    assert (found.status, found.message.code) == (status, f"calibrate.{code}")
    assert write_sentence(found.message)

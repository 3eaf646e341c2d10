"""Planted camera poses are found, the stated error is the true one, and what cannot be told is not."""

import numpy as np
import pytest

from fieldloop.calibrate import fit_extrinsic
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol, parse_protocol


def scene(rng, points=20, noise_m=0.0):
    """Points in the view of a camera with a random pose, and where the base frame has them."""
    truth = tf.make_transform(tf.rotation_from_vector(rng.normal(size=3)), rng.normal(size=3))
    camera = rng.uniform([-0.2, -0.2, 0.5], [0.2, 0.2, 0.8], (points, 3))
    return truth, camera, tf.transform_points(truth, camera) + rng.normal(0, noise_m, (points, 3))


def fitted(camera, base, protocol=None):
    names = {"calibration_id": "c1", "robot": "r1", "sensor": "camera/overhead", "valid_from_ns": 7}
    return fit_extrinsic(camera, base, protocol or default_protocol(), **names)


def test_a_planted_pose_is_found_exactly_without_noise():
    truth, camera, base = scene(np.random.default_rng(0))
    found = fitted(camera, base)
    np.testing.assert_allclose(found.parent_from_child, truth, atol=1e-12)
    assert (found.status, found.points, found.valid_from_ns, found.valid_to_ns) == (Status.PASSED, 20, 7, None)
    assert (found.parent, found.child) == ("base", "camera/overhead")
    assert found.residual_mm == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("points", "noise_mm"), [(12, 0.5), (20, 0.5), (20, 1.0), (30, 1.0)])
def test_the_stated_errors_are_the_true_ones(points, noise_mm):
    rng = np.random.default_rng([points, int(10 * noise_mm)])
    within, ratios = [], []
    for _ in range(60):
        truth, camera, base = scene(rng, points, noise_mm / 1e3)
        found = fitted(camera, base)
        turn = np.degrees(tf.angle_between(truth[:3, :3], np.array(found.parent_from_child)[:3, :3]))
        step = tf.invert_transform(truth) @ np.array(found.parent_from_child)
        within.append((turn <= found.uncertainty_deg, 1e3 * np.linalg.norm(step[:3, 3]) <= found.uncertainty_mm))
        new = rng.uniform([-0.2, -0.2, 0.5], [0.2, 0.2, 0.8], (100, 3))
        seen = tf.transform_points(truth, new) + rng.normal(0, noise_mm / 1e3, new.shape)
        missed = np.linalg.norm(seen - tf.transform_points(np.array(found.parent_from_child), new), axis=1) * 1e3
        ratios.append(found.residual_mm / np.sqrt(np.mean(missed**2)))
    assert np.mean(within, axis=0).min() >= 0.87  # 95 % promised; three standard errors of 60 draws below
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.05)  # what was left out predicts what comes


def test_a_noisy_calibration_fails():
    _, camera, base = scene(np.random.default_rng(1), noise_m=0.004)
    found = fitted(camera, base)
    assert found.status is Status.FAILED
    assert found.residual_mm > 2


def test_one_gross_outlier_fails_instead_of_hiding():
    _, camera, base = scene(np.random.default_rng(2), noise_m=0.0002)
    base[3] += 0.05
    assert fitted(camera, base).status is Status.FAILED


def test_limits_come_from_the_protocol():
    _, camera, base = scene(np.random.default_rng(3), noise_m=0.0005)
    strict = parse_protocol(
        '[calibration.hand_eye_max_mm]\nvalue = 0.1\nwhy = "x"\nsource = { kind = "assumed", ref = "x" }\n'
    )
    assert fitted(camera, base).status is Status.PASSED
    assert fitted(camera, base, strict).status is Status.FAILED


def test_points_that_were_not_seen_are_left_out():
    truth, camera, base = scene(np.random.default_rng(4), points=20)
    camera[::4] = np.nan
    found = fitted(camera, base)
    assert found.points == 15
    np.testing.assert_allclose(found.parent_from_child, truth, atol=1e-12)


def test_too_few_points_cannot_tell():
    _, camera, base = scene(np.random.default_rng(5), points=6)
    found = fitted(camera, base)
    assert (found.status, found.residual_mm, found.uncertainty_mm, found.uncertainty_deg) == (
        Status.CANNOT_TELL,
        None,
        None,
        None,
    )


def test_a_line_and_one_point_beside_it_cannot_tell():
    rng = np.random.default_rng(6)
    truth, camera, _ = scene(rng, points=15)
    camera[:14] = np.outer(np.linspace(0, 1, 14), [0.1, 0.2, 0.3])
    assert fitted(camera, tf.transform_points(truth, camera)).status is Status.CANNOT_TELL


@pytest.mark.parametrize(
    ("camera", "base", "message"),
    [
        (np.zeros((5, 3)), np.zeros((4, 3)), "two n × 3 arrays"),
        (np.zeros((5, 2)), np.zeros((5, 2)), "two n × 3 arrays"),
        (np.full((5, 3), np.nan), np.zeros((5, 3)), "Only 0 of 5 points"),
        (np.zeros((0, 3)), np.zeros((0, 3)), "Only 0 of 0 points"),
        (np.zeros((5, 3)), np.zeros((5, 3)), "not on one line"),
    ],
)
def test_points_that_fix_no_pose_are_refused(camera, base, message):
    with pytest.raises(BadInput, match=message):
        fitted(camera, base)

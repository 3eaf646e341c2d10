"""A camera that moved is found, one that did not is left in peace, and slow drift adds up."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.calibrate import fit_extrinsic, measure_drift, measure_slow_drift
from fieldloop.geometry import transforms as tf
from fieldloop.model.calibration import Calibration
from fieldloop.model.finding import Status
from fieldloop.model.verification import Drift
from fieldloop.protocol import default_protocol
from fieldloop.testing.hand_eye_scene import GOOD_ARM, make_hand_eye_scene

PROTOCOL = default_protocol()
KNOWN = Calibration(
    "c", "hand_eye", "r", "s", "gripper", "s", (), "", 0.51 * 3**0.5, 0.102 * 3**0.5, 20, Status.PASSED, 0,
    covariance=((0.0,) * 6,) * 6,
)  # fmt: skip
UNKNOWN = replace(KNOWN, residual_mm=None, residual_deg=None)


def looked(views, turn_deg=(0, 0, 0), shift_mm=(0, 0, 0), *, seed=0, calibration=KNOWN, since=None):
    made = make_hand_eye_scene(views, 30, GOOD_ARM, np.random.default_rng(seed))
    expected = tf.invert_transform(made.base_from_gripper @ made.gripper_from_camera) @ made.base_from_target
    moved = tf.make_transform(tf.rotation_from_vector(np.radians(turn_deg)), np.array(shift_mm) / 1e3)
    return measure_drift(
        calibration, expected, tf.invert_transform(moved) @ made.camera_from_target, PROTOCOL, earlier_drift=since
    )


def test_a_move_is_measured_in_the_cameras_own_frame():
    found = looked(40, (0.4, 0, 0), (0, 2, 0))
    assert np.degrees(found.twist[:3]) == pytest.approx([0.4, 0, 0], abs=0.12)
    assert 1e3 * np.array(found.twist[3:]) == pytest.approx([0, 2, 0], abs=1.0)
    assert found.moved


@pytest.mark.parametrize("views", [1, 3, 4, 8])
@pytest.mark.parametrize("calibration", [KNOWN, UNKNOWN], ids=["noise known", "noise unknown"])
def test_p_values_are_honest(views, calibration):
    found = [looked(views, seed=seed, calibration=calibration) for seed in range(80)]
    if calibration is UNKNOWN and views < 4:
        assert set(found) == {None}
        return
    values = np.array([each.p_value for each in found])
    assert np.mean(values < 0.1) <= 0.2  # 0.1 ± 0.034, estimated scales included
    assert not any(each.moved for each in found)


def test_two_millimetres_are_seen_by_three_views_and_a_fifth_of_a_degree_by_five():
    assert np.mean([looked(3, shift_mm=(0, 0, 2), seed=seed).moved for seed in range(40)]) >= 0.85
    assert np.mean([looked(5, turn_deg=(0.2, 0, 0), seed=seed).moved for seed in range(40)]) >= 0.8


def test_views_noisier_than_the_calibration_raise_no_alarm():
    quiet = replace(KNOWN, residual_mm=0.1, residual_deg=0.02, points=40)
    assert not any(looked(6, seed=seed, calibration=quiet).moved for seed in range(40))
    assert looked(6, calibration=quiet).own_noise


def test_an_error_of_the_calibration_is_no_movement_since():
    first = looked(10, shift_mm=(0, 0, 3), seed=1)
    assert first.moved
    assert not looked(10, shift_mm=(0, 0, 3), seed=2, since=first).moved
    assert looked(10, shift_mm=(0, 0, 6), seed=3, since=first).moved
    unsure = replace(KNOWN, covariance=tuple(map(tuple, np.diag(np.repeat([6e-3, 1.5e-3], 3) ** 2))))
    assert not looked(10, shift_mm=(0, 0, 2), calibration=unsure).moved


def test_a_calibration_of_unknown_error_cannot_tell_and_serves_the_next_look():
    first = looked(10, shift_mm=(0, 0, 3), seed=1, calibration=replace(KNOWN, covariance=None))
    assert (first.p_value, first.moved) == (None, False)
    assert not looked(10, shift_mm=(0, 0, 3), seed=2, since=first).moved
    assert looked(10, shift_mm=(0, 0, 6), seed=3, since=first).moved


def fitted_and_looked(seed, noise_mm, views, step_mm=0.0):
    """Fit a fixed camera to noisy points, let it step aside, and look at a marker from there."""
    rng = np.random.default_rng(seed)
    truth = tf.make_transform(tf.rotation_from_vector(rng.normal(size=3)), rng.normal(size=3))
    points = rng.uniform([-0.2, -0.2, 0.5], [0.2, 0.2, 0.8], (20, 3))
    known = tf.transform_points(truth, points + rng.normal(size=points.shape) * np.array(noise_mm) / 1e3)
    names = {"calibration_id": "c", "robot": "r", "sensor": "s", "valid_from_ns": 0}
    held = fit_extrinsic(points, known, PROTOCOL, **names)
    markers = tf.make_transform(
        tf.rotation_from_vector(rng.normal(size=(views, 3))),
        rng.uniform([-0.2, -0.2, 0.4], [0.2, 0.2, 0.9], (views, 3)),
    )
    stands = truth @ tf.make_transform(np.eye(3), [step_mm / 1e3, 0, 0])
    seen = tf.make_transform(
        markers[:, :3, :3] @ tf.rotation_from_vector(rng.normal(0, np.radians(0.1), (views, 3))),
        markers[:, :3, 3] + rng.normal(0, 0.5e-3, (views, 3)),
    )
    return measure_drift(held, tf.invert_transform(np.array(held.parent_from_child)) @ stands @ markers, seen, PROTOCOL)


@pytest.mark.parametrize("noise_mm", [(1.0, 1.0, 1.0), (0.3, 0.3, 2.0)], ids=["alike", "worse in depth"])
def test_the_error_of_a_fitted_calibration_raises_no_alarm(noise_mm):
    values = np.array([fitted_and_looked(seed, noise_mm, 8).p_value for seed in range(250)])
    assert np.mean(values < 0.001) <= 0.008  # at most two of 250: at its level more come twice in a thousand
    assert np.mean(values < 0.1) <= 0.17  # 0.1, with three standard errors
    assert np.mean([fitted_and_looked(seed, noise_mm, 8, step_mm=2.0).moved for seed in range(40)]) >= 0.85


def test_points_tell_no_noise_of_a_view():
    assert fitted_and_looked(0, (1.0, 1.0, 1.0), 3) is None


def history(count, per_step_mm, seed=0, start=(1.0, 0.5, -0.3)):
    rng = np.random.default_rng(seed)
    covariance = tuple(tuple(row) for row in np.diag(np.repeat([1e-3, 3e-4], 3) ** 2))
    for n in range(count):
        at_mm = np.array([0, 0, 0, *start[:2], start[2] + per_step_mm * n])
        step = 1e-3 * at_mm + rng.normal(0, np.repeat([1e-3, 3e-4], 3))
        yield Drift(tuple(step), covariance, 0, 0, 1.0, moved=False, own_noise=True)


def test_slow_drift_adds_up_though_no_step_shows():
    assert measure_slow_drift(list(history(30, 0.1)), PROTOCOL)[-1] >= 1
    assert measure_slow_drift(list(history(30, 0.0)), PROTOCOL)[-1] < 0.8
    assert measure_slow_drift([], PROTOCOL) == ()
    assert measure_slow_drift(list(history(1, 0.0)), PROTOCOL) == (0.0,)


def test_a_constant_error_never_alarms():
    ends = [max(measure_slow_drift(list(history(60, 0.0, seed)), PROTOCOL)) for seed in range(20)]
    assert np.mean(np.array(ends) >= 1) <= 0.15  # one in a thousand a look

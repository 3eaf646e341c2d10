"""The tool's weight tells how the sensor sits, and too little weight or turning tells nothing."""

import numpy as np
import pytest

from fieldloop.calibrate import fit_force_torque
from fieldloop.calibrate.conventions import Reading
from fieldloop.calibrate.force_torque import GRAVITY
from fieldloop.calibrate.wrench_conventions import propose_wrench_readings
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.model.written_poses import Side, WrittenPoses
from fieldloop.protocol import default_protocol

PROTOCOL = default_protocol()
CENTRE = np.array([0.01, -0.02, 0.08])
FORCE_BIAS, TORQUE_BIAS = np.array([2.0, -1.0, 5.0]), np.array([0.1, 0.05, -0.02])


def felt(poses=12, *, turn_deg=0.0, mass=1.2, noise_n=0.05, seed=0, spread=2.0):
    rng = np.random.default_rng(seed)
    turns = tf.rotation_from_vector(rng.uniform(-spread, spread, (poses, 3)))
    sensor_from_wrist = tf.make_rotation_about_axis("z", np.radians(turn_deg)).T
    weight = mass * np.swapaxes(turns, -1, -2) @ GRAVITY @ sensor_from_wrist.T
    force = weight + FORCE_BIAS + rng.normal(0, noise_n, (poses, 3))
    torque = np.cross(CENTRE, weight) + TORQUE_BIAS + rng.normal(0, noise_n / 20, (poses, 3))
    return turns, np.concatenate([force, torque], axis=-1)


def test_everything_is_found():
    found = fit_force_torque(*felt(turn_deg=2.0), PROTOCOL)
    assert found.status is Status.PASSED
    assert found.mass_kg == pytest.approx(1.2, abs=found.mass_uncertainty_kg)
    assert found.turn_deg == pytest.approx(2.0, abs=found.turn_uncertainty_deg)
    assert 1e3 * np.linalg.norm(np.array(found.centre_of_mass_m) - CENTRE) < max(found.centre_uncertainty_mm, 1.0)
    assert found.force_bias_n == pytest.approx(FORCE_BIAS, abs=0.1)
    assert found.torque_bias_nm == pytest.approx(TORQUE_BIAS, abs=0.01)
    assert found.force_noise_n == pytest.approx(0.05, rel=0.5)


@pytest.mark.parametrize(("turn_deg", "status"), [(0, "passed"), (4, "passed"), (5, "cannot_tell"), (7, "failed")])
def test_five_degrees_are_harmful(turn_deg, status):
    assert fit_force_torque(*felt(turn_deg=turn_deg, poses=20), PROTOCOL).status == status


def test_a_sensor_that_is_declared_turned_may_be():
    stated = tf.make_rotation_about_axis("z", np.radians(90.0))
    assert fit_force_torque(*felt(turn_deg=90.0), PROTOCOL).status is Status.FAILED
    assert fit_force_torque(*felt(turn_deg=90.0), PROTOCOL, wrist_from_sensor=stated).status is Status.PASSED


def test_the_bound_on_the_turn_holds():
    inside = [
        (f := fit_force_torque(*felt(turn_deg=1.0, seed=seed), PROTOCOL)).turn_uncertainty_deg
        >= np.degrees(
            tf.angle_between(np.array(f.wrist_from_sensor), tf.make_rotation_about_axis("z", np.radians(1.0)))
        )
        for seed in range(60)
    ]
    assert np.mean(inside) >= 0.88


def test_a_touch_is_left_out():
    turns, wrench = felt(16)
    wrench[4, :3] += [0, 3.0, 0]
    found = fit_force_torque(turns, wrench, PROTOCOL)
    assert [r.pose for r in found.poses_rejected] == ["5"]
    assert (found.status, found.poses_used) == (Status.PASSED, 15)
    wrench[6, 1] = np.nan
    assert fit_force_torque(turns, wrench, PROTOCOL).poses_used == 14


@pytest.mark.parametrize(
    "given",
    [felt(poses=5), felt(spread=0.05), felt(mass=0.01), felt(mass=-1.0), felt(poses=1)],
    ids=["few", "alike", "light", "sign", "one"],
)
def test_what_cannot_be_determined_is_not(given):
    found = fit_force_torque(*given, PROTOCOL)
    assert found.status is Status.CANNOT_TELL
    assert found.advice


@pytest.mark.parametrize("turn_deg", [0.0, 90.0])
def test_a_wrench_with_the_other_sign_is_proposed(turn_deg):
    turns, wrench = felt(turn_deg=turn_deg)
    wrist = WrittenPoses(Side.ROBOT, np.zeros((12, 3)), turns, tuple(map(str, range(12))), "matrix")
    (proposal,) = propose_wrench_readings(wrist, -wrench, Reading("matrix"), PROTOCOL)
    assert proposal.options == ("--negated",)
    (back,) = propose_wrench_readings(wrist, -wrench, Reading("matrix"), PROTOCOL, negated=True)
    assert back.options == ("without --negated",)
    assert not propose_wrench_readings(wrist, wrench, Reading("matrix"), PROTOCOL)


def test_noise_alone_proposes_no_other_sign():
    for seed in range(10):
        turns, wrench = felt(mass=0.01, seed=seed)
        wrist = WrittenPoses(Side.ROBOT, np.zeros((12, 3)), turns, tuple(map(str, range(12))), "matrix")
        assert not propose_wrench_readings(wrist, wrench, Reading("matrix"), PROTOCOL)


def test_other_shapes_are_refused():
    with pytest.raises(BadInput, match="wrenches of 6"):
        fit_force_torque(np.eye(3)[None], np.zeros((2, 6)), PROTOCOL)

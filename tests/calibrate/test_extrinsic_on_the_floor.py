"""On the simulated floor the mount's error is known; markers alone must reveal it."""

import numpy as np
import pytest

from fieldloop.calibrate import View, fit_extrinsic, verify_calibration
from fieldloop.geometry import transforms as tf
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.rig import get_base_from_overhead


def matrix(array):
    return tuple(tuple(float(x) for x in row) for row in array)


def calibrated(floor, site, seed):
    views = floor.take_marker_views(site, np.random.default_rng(seed))
    names = {"calibration_id": "c", "robot": views.robot, "sensor": views.sensor, "valid_from_ns": 0}
    return fit_extrinsic(views.points_camera, views.points_base, default_protocol(), **names)


@pytest.mark.parametrize("site", ["lab", "leipzig", "gdansk"])
def test_markers_reveal_where_the_camera_really_hangs(site):
    floor = Floor(seed=5)
    found = calibrated(floor, site, 1)
    truth, marker = get_base_from_overhead(floor.get_site(site)), tf.make_transform(np.eye(3), [0.5, 0.1, 0.15])
    assert found.status is Status.PASSED
    placed = np.array(found.parent_from_child) @ tf.invert_transform(truth) @ marker
    assert 1e3 * np.linalg.norm(placed[:3, 3] - marker[:3, 3]) < 0.5  # mounts are off by up to 10 mm

    for moved_mm, halts in ((0.0, False), (6.0, True)):
        now = truth @ tf.make_transform(np.eye(3), [moved_mm / 1e3, 0, 0])
        look = View(matrix(marker), matrix(tf.invert_transform(now) @ marker))
        assert verify_calibration(found, [look], default_protocol(), at_ns=1).halts_collection is halts


def test_the_stated_turn_holds_as_often_as_promised():
    floor = Floor(seed=5)
    truth = get_base_from_overhead(floor.get_site("leipzig"))
    within = []
    for seed in range(60):
        found = calibrated(floor, "leipzig", seed)
        turn = tf.angle_between(truth[:3, :3], np.array(found.parent_from_child)[:3, :3])
        within.append(np.degrees(turn) <= found.uncertainty_deg)
    assert np.mean(within) >= 0.87  # 95 % promised; three standard errors of 60 draws below

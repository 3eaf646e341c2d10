"""Two depth clouds in one frame: planted shifts are found, one wall cannot tell, a good pair raises no alarm."""

import numpy as np
import pytest

from fieldloop.calibrate.cloud_pair import compare_clouds
from fieldloop.errors import BadInput
from fieldloop.geometry import transforms as tf
from fieldloop.loop.calibrate.camera_pair import compare_two_cameras
from fieldloop.model.finding import Status
from fieldloop.protocol import default_protocol

NOISE_M = 0.0015
MIDDLE = np.array([0.5, 0.4, 0.05])
BOXES = ((0.2, 0.2, 0.2, 0.15, 0.15, 0.3), (0.6, 0.5, 0.25, 0.2, 0.1, -0.4), (0.7, 0.1, 0.1, 0.15, 0.2, 0.8))


def bench(rng, boxes=BOXES, part=(0.0, 1.0), points=2000):
    """A bench with three boxes as a depth camera sees it: x, y, width, depth, height, yaw."""
    faces = [(np.zeros(3), [1, 0, 0], [0, 0.8, 0], points)]
    for x, y, wide, deep, high, yaw in boxes:
        c, s = np.cos(yaw), np.sin(yaw)
        at, w = np.array([x, y, 0]), np.array([0, 0, high])
        u, v = np.array([c, s, 0]) * wide, np.array([-s, c, 0]) * deep
        faces += [(at + w, u, v, points // 8), (at, u, w, points // 8), (at, v, w, points // 8)]
        faces += [(at + u, v, w, points // 8), (at + v, u, w, points // 8)]
    cloud = np.concatenate([o + rng.random((n, 1)) * u + rng.random((n, 1)) * v for o, u, v, n in faces])
    cloud = cloud[(cloud[:, 0] >= part[0]) & (cloud[:, 0] <= part[1])]
    ray = np.array([0.3, 0.2, 1.0]) / np.linalg.norm([0.3, 0.2, 1.0])
    return cloud + rng.normal(0, NOISE_M, (len(cloud), 1)) * ray


def moved(cloud, shift_mm=(0, 0, 0), turn_deg=(0, 0, 0)):
    turn = tf.rotation_from_vector(np.radians(turn_deg))
    return (cloud - MIDDLE) @ turn.T + MIDDLE + np.array(shift_mm) / 1e3


def compared(seed, boxes=BOXES, parts=((0.0, 1.0), (0.0, 1.0)), **motion):
    rng = np.random.default_rng(seed)
    left = moved(bench(rng, boxes, parts[0]), **motion)
    left[::7] = np.nan  # where nothing came back
    return compare_clouds(left, bench(rng, boxes, parts[1]), default_protocol())


def test_a_good_pair_raises_no_alarm():
    result = compared(0)
    assert result.status is Status.PASSED
    assert result.off_mm < 0.3
    assert result.noise_mm == pytest.approx(1e3 * NOISE_M * 0.9, rel=0.2)  # across the surfaces, not along the ray


@pytest.mark.parametrize(
    ("shift_mm", "turn_deg"),
    [
        ((2, 0, 0), (0, 0, 0)),
        ((0, 5, 0), (0, 0, 0)),
        ((0, 0, 10), (0, 0, 0)),
        ((0, 0, 0), (0.5, 0, 0)),
        ((3, -4, 2), (0, 0, 1)),
    ],
)
def test_a_planted_motion_is_found(shift_mm, turn_deg):
    result = compared(11, shift_mm=shift_mm, turn_deg=turn_deg)
    assert result.status is Status.FAILED
    np.testing.assert_allclose(result.turn_deg, np.negative(turn_deg), atol=0.05)
    if not any(turn_deg):
        np.testing.assert_allclose(result.shift_mm, np.negative(shift_mm), atol=0.15)
    assert result.off_at_least_mm <= result.off_mm <= result.off_at_most_mm


def test_a_shift_within_the_noise_passes():
    result = compared(12, shift_mm=(0.5, 0, 0.3))
    assert result.status is Status.PASSED
    assert result.shift_mm[0] == pytest.approx(-0.5, abs=0.15)


def test_half_a_view_in_common_is_enough():
    result = compared(13, parts=((0.0, 0.75), (0.35, 1.0)), shift_mm=(3, 0, 0))
    assert result.status is Status.FAILED
    assert result.shift_mm[0] == pytest.approx(-3, abs=0.3)
    assert 0.3 < result.overlap < 0.8


def test_a_single_wall_says_nothing_about_a_way_along_it():
    for shift_mm in ((0, 0, 0), (8, 0, 0)):
        result = compared(14, boxes=(), shift_mm=shift_mm)
        assert result.status is Status.CANNOT_TELL
        assert set(result.unseen) == {"shift x", "shift y", "turn z"}
    assert compared(14, boxes=(), shift_mm=(0, 0, 5)).status is Status.FAILED  # across it, it does


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.empty((0, 3)), np.zeros((50, 3))),
        (np.full((40, 30, 3), np.nan), np.random.default_rng(0).random((500, 3))),
        (np.random.default_rng(1).random((500, 3)), 5 + np.random.default_rng(0).random((500, 3))),
    ],
    ids=["empty", "nothing came back", "no surface"],
)
def test_clouds_without_a_common_surface_cannot_tell(left, right):
    assert compare_clouds(left, right, default_protocol()).status is Status.CANNOT_TELL


def test_clouds_far_apart_do_not_overlap():
    rng = np.random.default_rng(15)
    result = compare_clouds(bench(rng), bench(rng) + np.array([3, 0, 0]), default_protocol())
    assert result.status is Status.CANNOT_TELL
    assert (result.message.code, result.message["share"]) == ("calibrate.clouds_overlap", 0.0)


def test_clouds_come_from_files(tmp_path):
    rng = np.random.default_rng(16)
    np.save(tmp_path / "left.npy", bench(rng).astype(np.float32))
    right = moved(bench(rng), shift_mm=(0, 0, 4))
    np.savetxt(tmp_path / "right.csv", right, delimiter=",", header="x,y,z", comments="")
    result = compare_two_cameras(None, tmp_path / "left.npy", tmp_path / "right.csv")
    assert not result.exit_ok
    assert result.json_object()["depth"]["shift_mm"][2] == pytest.approx(4, abs=0.2)


def test_what_is_not_a_cloud_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.npy").write_bytes(b"nonsense")
    (tmp_path / "c.ply").write_text("ply")
    for name, message in (
        ("a.csv", "… × 3 points"),
        ("b.npy", "cannot be read"),
        ("c.ply", "not a readable point cloud"),
        ("d.npy", "--board"),
    ):
        with pytest.raises(BadInput, match=message):
            compare_two_cameras(None, tmp_path / name, tmp_path / name)

"""A rigid fit finds the motion that was planted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.geometry import rigid
from fieldloop.geometry import transforms as tf


@given(st.integers(0, 10_000), st.integers(4, 20))
def test_finds_the_planted_transform_exactly_without_noise(seed, count):
    rng = np.random.default_rng(seed)
    planted = tf.make_transform(tf.rotation_from_vector(rng.normal(size=3)), rng.normal(size=3))
    points_b = rng.normal(size=(count, 3))
    points_a = tf.transform_points(planted, points_b)
    found = rigid.fit_rigid_transform(points_a, points_b)
    assert np.allclose(found, planted, atol=1e-9)
    assert rigid.measure_point_distances(found, points_a, points_b).max() < 1e-9


@given(st.integers(0, 10_000))
def test_no_small_change_fits_noisy_points_better(seed):
    rng = np.random.default_rng(seed)
    points_b = rng.normal(size=(12, 3))
    points_a = tf.transform_points(
        tf.make_transform(tf.rotation_from_vector(rng.normal(size=3)), rng.normal(size=3)), points_b
    )
    points_a = points_a + rng.normal(size=points_a.shape) * 0.01
    best = rigid.fit_rigid_transform(points_a, points_b)
    least = (rigid.measure_point_distances(best, points_a, points_b) ** 2).sum()
    for _ in range(20):
        nudge = tf.make_transform(tf.rotation_from_vector(rng.normal(size=3) * 1e-3), rng.normal(size=3) * 1e-3)
        assert (rigid.measure_point_distances(nudge @ best, points_a, points_b) ** 2).sum() >= least


def test_a_mirrored_cloud_is_not_answered_with_a_reflection():
    points = np.random.default_rng(1).normal(size=(10, 3))
    found = rigid.fit_rigid_transform(points * [1, 1, -1], points)
    assert np.isclose(np.linalg.det(found[:3, :3]), 1)


def test_points_in_a_plane_are_enough():
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
    planted = tf.make_transform(tf.rotation_from_vector([0.3, -0.2, 1.0]), [0.1, 0.2, 0.3])
    assert np.allclose(rigid.fit_rigid_transform(tf.transform_points(planted, corners), corners), planted, atol=1e-9)


@pytest.mark.parametrize(
    ("points_a", "points_b", "says"),
    [
        (np.zeros((3, 3)), np.zeros((4, 3)), "same points"),
        (np.zeros((2, 3)), np.zeros((2, 3)), "at least 3"),
        (np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3), "one line"),
        (np.full((4, 3), np.nan), np.zeros((4, 3)), "finite"),
        ([], [], "same points"),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_the_reason(points_a, points_b, says):
    with pytest.raises(BadInput, match=says):
        rigid.fit_rigid_transform(points_a, points_b)

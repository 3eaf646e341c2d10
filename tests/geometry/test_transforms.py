"""Transforms obey the laws of rigid motion."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldloop.geometry import transforms as tf

small = st.floats(-3.0, 3.0)
vectors = arrays(float, 3, elements=small)
# The angle of a rotation vector is unique below π.
turns = vectors.filter(lambda v: 1e-6 < np.linalg.norm(v) < 3.1)


def transform(turn, shift):
    return tf.make_transform(tf.rotation_from_vector(turn), shift)


@given(turns)
def test_rotation_vector_survives_the_round_trip(turn):
    assert np.allclose(tf.vector_from_rotation(tf.rotation_from_vector(turn)), turn, atol=1e-7)


@given(vectors)
def test_every_rotation_is_orthogonal_and_right_handed(turn):
    rotation = tf.rotation_from_vector(turn)
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert np.isclose(np.linalg.det(rotation), 1)


@given(turns)
def test_quaternion_survives_the_round_trip_and_is_unit(turn):
    rotation = tf.rotation_from_vector(turn)
    quaternion = tf.quaternion_from_rotation(rotation)
    assert np.isclose(np.linalg.norm(quaternion), 1)
    assert quaternion[3] >= 0
    assert np.allclose(tf.rotation_from_quaternion(quaternion), rotation, atol=1e-9)


@given(turns, vectors)
def test_invert_undoes(turn, shift):
    a_from_b = transform(turn, shift)
    assert np.allclose(tf.invert_transform(a_from_b) @ a_from_b, np.eye(4), atol=1e-9)


@given(turns, vectors, turns, vectors, vectors)
def test_composing_is_applying_one_after_the_other(turn, shift, turn_2, shift_2, point):
    a_from_b, b_from_c = transform(turn, shift), transform(turn_2, shift_2)
    once = tf.transform_points(a_from_b @ b_from_c, point)
    assert np.allclose(once, tf.transform_points(a_from_b, tf.transform_points(b_from_c, point)), atol=1e-9)


@given(turns, vectors)
def test_pose_survives_the_round_trip(turn, shift):
    a_from_b = transform(turn, shift)
    assert np.allclose(tf.matrix_from_pose(tf.pose_from_matrix(a_from_b)), a_from_b, atol=1e-9)


@given(turns)
def test_angle_between_a_rotation_and_the_identity_is_its_angle(turn):
    assert np.isclose(tf.angle_between(np.eye(3), tf.rotation_from_vector(turn)), np.linalg.norm(turn), atol=1e-6)


def test_many_at_once_equal_one_at_a_time():
    rng = np.random.default_rng(0)
    turns_, shifts, points = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 7, 3))
    many = tf.make_transform(tf.rotation_from_vector(turns_), shifts)
    for i in range(5):
        one = transform(turns_[i], shifts[i])
        assert np.allclose(many[i], one)
        assert np.allclose(tf.invert_transform(many)[i], tf.invert_transform(one))
        assert np.allclose(tf.transform_points(many, points)[i], tf.transform_points(one, points[i]))
        assert np.allclose(tf.pose_from_matrix(many)[i], tf.pose_from_matrix(one))


def test_half_turns_are_handled():
    for axis in "xyz":
        rotation = tf.make_rotation_about_axis(axis, np.pi)
        assert np.allclose(tf.rotation_from_quaternion(tf.quaternion_from_rotation(rotation)), rotation, atol=1e-12)
        assert np.isclose(np.linalg.norm(tf.vector_from_rotation(rotation)), np.pi)

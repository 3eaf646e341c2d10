"""A serial chain: its Jacobian is its slope, and inverse undoes forward."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.geometry import chain as kin
from fieldloop.geometry import transforms as tf


def planar_chain(lengths=(1.0, 0.5)):
    joints, before = [], 0.0
    for i, length in enumerate(lengths):
        place = tf.make_transform(np.eye(3), [before, 0, 0])
        joints.append(kin.Joint(f"j{i}", place, "z", -3.0, 3.0, 2.0))
        before = length
    return kin.Chain(tuple(joints), tf.make_transform(np.eye(3), [before, 0, 0]))


def six_joint_chain():
    places = [[0, 0, 0.3], [0, 0, 0.1], [0, 0, 0.4], [0.2, 0, 0], [0.2, 0, 0], [0, 0, 0]]
    joints = tuple(
        kin.Joint(f"j{i}", tf.make_transform(np.eye(3), place), axis, -3.2, 3.2, 2.0)
        for i, (place, axis) in enumerate(zip(places, "zyyxyz", strict=True))
    )
    return kin.Chain(joints, tf.make_transform(np.eye(3), [0, 0, 0.15]))


def test_a_planar_arm_is_where_trigonometry_says():
    a, b = 0.4, 0.7
    tool = kin.compute_tool_pose(planar_chain(), [a, b])
    assert np.allclose(tool[:2, 3], [np.cos(a) + 0.5 * np.cos(a + b), np.sin(a) + 0.5 * np.sin(a + b)])


@given(st.integers(0, 10_000))
def test_jacobian_is_the_slope_of_forward(seed):
    chain = six_joint_chain()
    angles = np.random.default_rng(seed).uniform(-1.5, 1.5, 6)
    tool, slope = kin.compute_jacobian(chain, angles)
    step = 1e-6
    for j in range(6):
        moved = kin.compute_tool_pose(chain, angles + step * np.eye(6)[j])
        linear = (moved[:3, 3] - tool[:3, 3]) / step
        angular = tf.vector_from_rotation(moved[:3, :3] @ tool[:3, :3].T) / step
        assert np.allclose(slope[:, j], np.concatenate([linear, angular]), atol=1e-4)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_inverse_reaches_what_forward_shows(seed):
    chain = six_joint_chain()
    rng = np.random.default_rng(seed)
    angles = np.array([0.2, 0.6, 1.0, 0.1, 0.9, 0.3]) + rng.uniform(-0.2, 0.2, 6)
    target = kin.compute_tool_pose(chain, angles)
    found = kin.solve_inverse_kinematics(chain, target, [0.2, 0.6, 1.0, 0.1, 0.9, 0.3])
    assert found.reached
    assert np.allclose(kin.compute_tool_pose(chain, found.angles_rad), target, atol=1e-4)


def test_many_poses_are_solved_at_once_as_one_by_one():
    chain = six_joint_chain()
    start = np.array([0.2, 0.6, 1.0, 0.1, 0.9, 0.3])
    angles = start + np.random.default_rng(3).uniform(-0.2, 0.2, (8, 6))
    targets = kin.compute_tool_pose(chain, angles)
    many = kin.solve_inverse_kinematics(chain, targets, start)
    assert many.reached.all()
    assert np.allclose(kin.compute_tool_pose(chain, many.angles_rad), targets, atol=1e-4)


def test_a_pose_out_of_reach_is_reported_as_such():
    chain = six_joint_chain()
    far = tf.make_transform(np.eye(3), [3.0, 0, 0])
    found = kin.solve_inverse_kinematics(chain, far, np.full(6, 0.3))
    assert not found.reached
    assert found.error_m > 1.0


def test_a_pose_beyond_a_joint_limit_is_not_called_reached():
    chain = planar_chain()
    tight = kin.Chain(
        tuple(kin.Joint(j.name, j.parent_from_joint, "z", -0.1, 0.1, 2.0) for j in chain.joints), chain.last_from_tool
    )
    target = kin.compute_tool_pose(chain, [0.5, 0.5])
    assert not kin.solve_inverse_kinematics(tight, target, [0.4, 0.4]).reached
    assert kin.solve_inverse_kinematics(chain, target, [0.4, 0.4]).reached

"""Two streams become pairs at the right moments."""

import numpy as np
import pytest

from fieldloop.calibrate.hand_eye.pairing import choose_spread_poses, estimate_clock_offset, pair_by_stamp
from fieldloop.geometry import transforms as tf

CHOICE = {"slow_share": 0.75, "min_distance": 0.02}


def swinging(at_s):
    """A wrist that turns about two axes at its own rhythm."""
    turn = np.stack([0.5 * np.sin(1.3 * at_s), 0.4 * np.sin(0.9 * at_s + 1), 0.1 * at_s], axis=-1)
    place = np.stack([0.3 * np.sin(at_s), 0.2 * np.cos(at_s), 0.5 + 0 * at_s], axis=-1)
    return tf.make_transform(tf.rotation_from_vector(turn), place)


ROBOT_S = np.arange(0, 20, 0.01)
ROBOT = swinging(ROBOT_S)


def test_poses_between_two_stamps_are_on_the_way():
    asked = np.array([3.004, 7.507, 11.111])
    near = pair_by_stamp(ROBOT, ROBOT_S, asked - 0.5, offset_s=0.5, max_distance_s=0.02)
    assert np.allclose(near.robot, swinging(asked), atol=1e-5)
    assert list(near.rows) == [0, 1, 2]
    assert np.allclose(ROBOT_S[near.nearest], asked, atol=0.0051)


def test_moments_in_a_gap_or_outside_are_dropped():
    kept = (ROBOT_S < 5) | (ROBOT_S > 6)
    near = pair_by_stamp(
        ROBOT[kept], ROBOT_S[kept], np.array([-1.0, 4.0, 5.5, 99.0]), offset_s=0.0, max_distance_s=0.02
    )
    assert list(near.rows) == [1]


def test_one_robot_pose_or_none_pairs_with_nothing():
    for count in (0, 1):
        assert not len(
            pair_by_stamp(ROBOT[:count], ROBOT_S[:count], np.zeros(3), offset_s=0.0, max_distance_s=1.0).rows
        )


@pytest.mark.parametrize("offset_s", [-1.7, -0.016, 0.0, 0.31])
def test_the_offset_of_two_clocks_is_found(offset_s):
    rng = np.random.default_rng(0)
    target_s = np.sort(rng.uniform(2, 18, 480))
    camera = tf.make_transform(tf.rotation_from_vector([0.3, 1.0, -0.4]), [0.1, 0, 0.05])
    seen = tf.invert_transform(swinging(target_s) @ camera)
    seen[:, :3, :3] = seen[:, :3, :3] @ tf.rotation_from_vector(rng.normal(0, 1e-3, (480, 3)))
    assert estimate_clock_offset(
        ROBOT, ROBOT_S, seen, target_s - offset_s, min_correlation=0.5, max_offset_s=5.0
    ) == pytest.approx(offset_s, abs=0.004)


def test_motions_that_are_not_the_same_tell_nothing():
    other_s = np.arange(0, 20, 0.03)
    still = np.repeat(np.eye(4)[None], len(other_s), axis=0)
    assert estimate_clock_offset(ROBOT, ROBOT_S, still, other_s, min_correlation=0.5, max_offset_s=5.0) is None
    assert estimate_clock_offset(ROBOT[:5], ROBOT_S[:5], still, other_s, min_correlation=0.5, max_offset_s=5.0) is None


def test_a_robot_at_rest_does_not_outvote_its_motion():
    poses = np.concatenate([np.repeat(ROBOT[:1], 5000, axis=0), ROBOT])
    speed = np.concatenate([np.zeros(5000), np.ones(len(ROBOT))])
    chosen = choose_spread_poses(poses, speed, 40, **CHOICE)
    assert len(chosen) <= 40
    assert (chosen < 5000).sum() <= 1
    assert list(choose_spread_poses(ROBOT[:7], np.zeros(7), 40, **CHOICE)) == list(range(7))
    assert not len(choose_spread_poses(ROBOT[:0], np.zeros(0), 40, **CHOICE))

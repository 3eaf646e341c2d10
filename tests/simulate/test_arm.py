"""The arm reaches the bin and the tote, within its limits, and the closed form is right."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.geometry import chain as kin
from fieldloop.simulate.arm import arm
from fieldloop.simulate.arm.scene import BIN_CENTRE, BIN_SIZE, TOTE_CENTRE


@given(st.floats(0.36, 0.70), st.floats(-0.4, 0.31), st.floats(0.03, 0.46), st.floats(-1.57, 1.57))
def test_the_closed_form_solves_the_pose(x, y, z, yaw):
    xyz, turn = np.array([x, y, z]), np.array(yaw)
    found = kin.solve_inverse_kinematics(
        arm.make_arm_chain(), arm.make_tool_pose(xyz, turn), arm.compute_seed_angles(xyz, turn)
    )
    assert found.reached
    assert np.allclose(found.angles_rad, arm.compute_seed_angles(xyz, turn))


def test_every_corner_of_bin_and_tote_is_within_limits():
    for centre, size in ((BIN_CENTRE, BIN_SIZE), (TOTE_CENTRE, (0.1, 0.1))):
        for sx in (-0.5, 0.5):
            for sy in (-0.5, 0.5):
                xyz = np.array([centre[0] + sx * size[0], centre[1] + sy * size[1], 0.09])
                angles = arm.compute_seed_angles(xyz, np.array(0.5))
                assert (angles > arm.make_arm_chain().low_rad).all()
                assert (angles < arm.make_arm_chain().high_rad).all()


def test_at_home_the_fingers_point_at_the_ground():
    tool = kin.compute_tool_pose(arm.make_arm_chain(), arm.compute_home_angles())
    assert np.allclose(tool[:3, 3], arm.HOME)
    assert np.allclose(tool[:3, 2], [0, 0, -1])
    assert np.allclose(tool[:3, 1], [0, 1, 0])


def test_boxes_of_the_arm_sit_on_its_links():
    links = kin.compute_link_poses(arm.make_arm_chain(), arm.compute_home_angles())
    looks = arm.make_arm_boxes(links)
    elbow = links[2][:3, 3]
    assert np.linalg.norm(looks.frames[:, :3, 3] - elbow, axis=1).min() < 1e-9

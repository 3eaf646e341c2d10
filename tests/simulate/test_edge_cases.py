"""The four edge cases of a gate change what a policy sees and how the arm starts, and physics still decides."""

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.simulate.arm import arm
from fieldloop.simulate.arm.controller import Grasp, Style, plan_pick_path
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.operators import choose_grasp_and_style, get_operator_habit
from fieldloop.simulate.arm.physics import simulate_pick
from fieldloop.simulate.arm.rollout import make_observation
from fieldloop.simulate.arm.scene import USUAL_YAW_RAD, Setup

STRATUM = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")
GRASP = Grasp(0.5, 0.1, 0.3, 0.2, 0.08, 15.0)


def scene(number=0, **setup):
    floor = Floor(3)
    return floor.draw_scene(STRATUM, floor.make_random_generator("edge", number), Setup(**setup))


def seen(one):
    return make_observation(one, Floor(3).rig, 0)


def test_an_edge_case_changes_nothing_else_in_the_scene():
    plain = scene()
    for setup in ({"gripper_hidden": 0.5}, {"camera_hidden": 0.1}, {"joint_left_rad": 0.05}):
        edged = scene(**setup)
        assert (edged.item, edged.solids, edged.noise_seed) == (plain.item, plain.solids, plain.noise_seed)
        assert edged.edge != plain.edge


def test_a_covered_side_of_the_lens_is_dark_and_has_no_depth():
    edged = scene(camera_hidden=0.1)
    colour, depth = (seen(edged).pictures[name] for name in ("camera/overhead", "depth/overhead"))
    plain = seen(scene()).pictures
    dark = (colour.max(axis=-1) < 40) & (plain["camera/overhead"].max(axis=-1) >= 40)
    assert 0.05 < dark.mean() < 0.12
    lost = np.isnan(depth) & ~np.isnan(plain["depth/overhead"])
    assert 0.05 < lost.mean() < 0.12
    assert {scene(n, camera_hidden=0.1).edge.covered[0] for n in range(40)} == {"left", "right", "top", "bottom"}


@pytest.mark.parametrize("hidden", [0.3, 0.9])
def test_a_flap_hides_its_share_of_the_gripper(hidden):
    plain, edged = (seen(scene(**setup)).pictures["depth/overhead"] for setup in ({}, {"gripper_hidden": hidden}))
    plain, edged = plain[48:56], edged[48:56]  # the gripper's rows, above the forearm's
    high = np.argwhere(plain < 0.6)
    assert len(high) > 5
    nearer = (plain - edged)[tuple(high.T)] > 0.05
    assert nearer.mean() == pytest.approx(hidden, abs=0.25)
    assert len(scene(gripper_hidden=hidden).solids) == len(scene().solids), "the arm cannot touch it"


def test_a_joint_starts_near_its_limit_and_the_path_stays_within_limits_and_speed():
    last = arm.make_arm_chain().joints[-1]
    for number in range(6):
        edged = scene(number, joint_left_rad=0.05)
        start = edged.edge.get_start_angles()
        assert abs(start[-1]) == pytest.approx(last.high_rad - 0.05)
        assert np.allclose(start[:-1], arm.compute_home_angles()[:-1])
        assert np.allclose(seen(edged).signals["joints"], start)
        path = plan_pick_path(GRASP, Style(), edged.site.bin_floor_m, start)
        assert path.reached
        assert np.allclose(path.joints_rad[0], start, atol=1e-3)
        assert np.abs(np.diff(path.joints_rad[:, -1])).max() / 0.02 < last.max_rad_per_s * 1.25
    usual = plan_pick_path(GRASP, Style(), edged.site.bin_floor_m)
    assert path.times_s[-1] > usual.times_s[-1], "turning back takes time"
    assert np.allclose(path.xyz[-1], usual.xyz[-1])


def test_an_operator_manages_the_turned_item():
    won = 0
    for number in range(20):
        turned = scene(number, yaw_rad=1.25 * USUAL_YAW_RAD)
        assert turned.item.yaw_rad == pytest.approx(0.75)
        chance = Floor(3).make_random_generator("operator", number)
        grasp, style = choose_grasp_and_style(get_operator_habit(Floor(3).list_operators()[0]), turned.item, chance)
        won += simulate_pick(turned, plan_pick_path(grasp, style, turned.site.bin_floor_m)).succeeded
    assert won >= 17, "outside nominal is not impossible"

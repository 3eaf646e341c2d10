"""Success comes from rules: each rule is met, then broken on purpose, and breaks exactly there."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.simulate.picking import demonstrating, physics, sites, wear
from fieldloop.simulate.picking.catalogue import GRAVITY
from fieldloop.simulate.picking.choosing import choose_grasps
from fieldloop.simulate.picking.faults import NOTHING
from fieldloop.simulate.picking.physics import ENDS, Grasp, get_step_reached, judge_grasps
from fieldloop.simulate.picking.pick import STEP_S, delay_commands, interpolate_past_poses, move_one_step
from fieldloop.simulate.picking.world import World


@pytest.fixture(scope="module")
def scenes():
    """One carton of known size, alone, the right way round."""
    world = World("broad", 0, articles=50)
    cell = np.flatnonzero(world.strata.where({"site": "home", "packaging": "carton", "bin": "front"}))[:1]
    drawn = world.scenes(cell, "one", NOTHING, 0.0, demonstrating=False)
    plain = {
        "x": 0.0, "y": 0.0, "yaw": 0.0, "tilt": 0.0, "floor": 0.05, "long": 0.05, "short": 0.03, "height": 0.08,
        "radius": 0.0, "doming": 0.0, "mass": 0.5, "off_centre": 0.0, "grip": 0.5, "burden": 1.0, "crush": 60.0,
        "drop": 0.04, "shelf": 0.10, "wall_distance": 9.0,
    }  # fmt: skip
    return replace(
        drawn, **{name: np.array([value]) for name, value in plain.items()}, other_top=np.full_like(drawn.other_top, -1)
    )


def grasp(**given):
    good = {
        "x": 0.0, "y": 0.0, "yaw": np.pi / 2, "depth": 0.02, "width": 0.085, "force": 12.0, "acceleration": 2.0,
        "release": 0.12,
    }  # fmt: skip
    return Grasp(**{name: np.array([float(value)]) for name, value in (good | given).items()})


def end(scenes, **given):
    return ENDS[judge_grasps(scenes, grasp(**given)).end[0]]


def test_a_good_grasp_succeeds(scenes):
    assert end(scenes) == "succeeded"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"y": 0.02}, "hit_item"),
        ({"width": 0.059}, "hit_item"),
        ({"yaw": 0.0}, "hit_item"),
        ({"depth": 0.0795}, "hit_floor"),
        ({"depth": 0.003}, "missed"),
        ({"x": 0.048}, "missed"),
        ({"force": 61.0}, "crushed"),
        ({"force": 5.0}, "slipped"),
        ({"x": 0.03, "force": 6.0}, "turned_in_hand"),
        ({"release": 0.099}, "dropped"),
        ({"release": 0.141}, "dropped"),
    ],
)
def test_each_rule_is_broken_by_what_breaks_it(scenes, given, expected):
    assert end(scenes, **given) == expected


def test_slipping_begins_exactly_where_friction_ends(scenes):
    least = 0.5 * (GRAVITY + 2.0) / (2 * 0.5)
    assert end(scenes, force=least * 1.001) == "succeeded"
    assert end(scenes, force=least * 0.999) == "slipped"


def test_a_neighbour_or_a_wall_in_the_way_of_a_finger_is_hit(scenes):
    names = ("other_x", "other_y", "other_yaw", "other_long", "other_short", "other_top")
    there = {name: getattr(scenes, name).copy() for name in names}
    for name, value in zip(names, (0.0, 0.06, 0.0, 0.03, 0.02, 0.14), strict=True):
        there[name][0, 0] = value
    assert end(replace(scenes, **there)) == "hit_neighbour"
    there["other_top"][0, 0] = 0.10  # lower than the tips
    assert end(replace(scenes, **there)) == "succeeded"
    wall = {"wall_angle": np.array([np.pi / 2]), "wall_distance": np.array([0.045])}
    assert end(replace(scenes, **wall)) == "hit_neighbour"


def test_an_attempt_stops_in_the_step_whose_rule_it_broke():
    assert [physics.STEPS[k] if k < 4 else "" for k in get_step_reached(np.arange(len(ENDS)))] == [
        "", "approach", "approach", "approach", "grasp", "grasp", "lift", "lift", "place",
    ]  # fmt: skip


def test_people_choose_grasps_that_succeed(scenes):
    chosen = choose_grasps(scenes, np.array([np.pi / 2]))
    assert chosen.has_room.all()
    assert (
        end(scenes, **{name: getattr(chosen, name)[0] for name in ("x", "y", "yaw", "depth", "width")}) == "succeeded"
    )


def test_wear_and_cold_only_lower_friction_and_add_backlash():
    cycles = np.linspace(0, 120_000, 50)
    assert (np.diff(wear.compute_pad_friction(cycles)) <= 0).all()
    assert (np.diff(wear.compute_backlash_m(cycles)) > 0).all()
    assert (np.diff(sites.compute_cold_friction(np.linspace(-10, 35, 50))) >= 0).all()
    assert (np.diff(sites.compute_damp_friction(np.linspace(0, 1, 50))) <= 0).all()


def test_the_picture_of_a_moment_ago_is_taken_from_where_the_tool_was():
    poses = [np.full((1, 3), float(k)) for k in range(5)]
    assert interpolate_past_poses(poses, 0.0)[0, 0] == 4.0
    assert interpolate_past_poses(poses, STEP_S)[0, 0] == pytest.approx(3.0)
    assert interpolate_past_poses(poses, 1.5 * STEP_S)[0, 0] == pytest.approx(2.5)
    assert interpolate_past_poses(poses, 1.0)[0, 0] == 0.0


def test_a_late_action_takes_effect_late():
    answers = [np.full((1, 8), float(k)) for k in (1, 2, 3)]
    assert delay_commands(answers, 0.0)[0, 0] == 3.0
    assert delay_commands(answers, 0.5 * STEP_S)[0, 0] == pytest.approx(2.5)
    assert delay_commands(answers, 2 * STEP_S)[0, 0] == pytest.approx(1.0)
    assert delay_commands(answers, 9 * STEP_S)[0, 0] == 0.0


def test_speeds_are_in_the_tools_frame():
    ahead = move_one_step(np.array([[0.0, 0.0, np.pi / 2]]), np.array([[0.2, 0.0, 0.0]]))
    assert ahead[0] == pytest.approx([0.0, 0.2 * STEP_S, np.pi / 2])


def test_an_early_annotation_reads_too_shallow_and_a_late_one_half_closed(scenes):
    orders = np.array([[0.02, 0.085, 2.5, 2.0, 0.12]])
    early, right, late = (
        demonstrating.read_grasp_at_annotation(scenes, orders, np.array([s]))[0] for s in (-0.05, 0.0, 0.05)
    )
    assert right == pytest.approx(orders[0])
    assert early[0] < right[0]
    assert early[1] == right[1]
    assert late[1] < right[1]
    assert late[0] == right[0]
    assert late[1] >= 2 * scenes.short[0]

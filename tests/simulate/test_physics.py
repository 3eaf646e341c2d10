"""Success is only what contact, slip, crush, collision and drop leave over: planted grasps end as they must."""

from dataclasses import replace

import numpy as np
import pytest

from fieldloop.model.condition import Stratum
from fieldloop.model.policy import FailureClass
from fieldloop.simulate.arm.boxes import Solid
from fieldloop.simulate.arm.carry import GRAVITY
from fieldloop.simulate.arm.controller import Grasp, Style, plan_pick_path
from fieldloop.simulate.arm.grip import close_fingers
from fieldloop.simulate.arm.physics import TIMEOUT_S, simulate_pick
from fieldloop.simulate.arm.scene import BIN_CENTRE, Setup

STYLE = Style()


@pytest.fixture(scope="module")
def scene(floor):
    """One item alone in the middle of its bin, 0.4 kg, 10 cm × 5 cm × 6 cm."""
    bench = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")
    drawn = floor.draw_scene(bench, floor.make_random_generator("physics"), Setup(position=BIN_CENTRE, yaw_rad=0.3))
    furniture = tuple(s for s in drawn.solids if "neighbour" not in s.name)
    item = replace(drawn.item, length=0.10, width=0.05, height=0.06, mass_kg=0.4, friction=0.5, crush_n=30.0)
    return replace(drawn, item=item, solids=furniture)


def good(scene, **changes):
    item = scene.item
    grasp = Grasp(item.x, item.y, item.top - 0.03, item.yaw_rad, item.width + 0.024, 10.0)
    return replace(grasp, **changes)


def ends(scene, grasp, style=STYLE):
    return simulate_pick(scene, plan_pick_path(grasp, style, scene.site.bin_floor_m))


def test_a_good_grasp_succeeds_and_the_item_lies_in_the_tote(scene):
    verdict = ends(scene, good(scene))
    assert verdict.succeeded
    assert verdict.failure is None
    x, y, floor, _ = verdict.rest
    assert abs(x - 0.47) < 0.05
    assert abs(y + 0.28) < 0.05
    assert floor == 0.02


@pytest.mark.parametrize(
    ("changes", "failure", "reason"),
    [
        ({"x": 0.53 + 0.12}, FailureClass.GRASP, "item not between"),
        ({"z": 0.10 + 0.06 - 0.004}, FailureClass.GRASP, "fingers above"),
        ({"z": 0.10 - 0.01}, FailureClass.COLLISION, "hit the bin floor"),
        ({"width_m": 0.045}, FailureClass.COLLISION, "hit the item"),
        ({"y": 0.17 + 0.03}, FailureClass.COLLISION, "hit the item"),
        ({"y": 0.30}, FailureClass.COLLISION, "hit the bin wall left"),
        ({"force_n": 3.0}, FailureClass.GRASP, "slipped while lifted"),
        ({"force_n": 35.0}, FailureClass.GRASP, "crushed"),
        ({"x": 1.4}, FailureClass.TIMEOUT, "out of reach"),
    ],
)
def test_a_bad_grasp_fails_as_it_must(scene, changes, failure, reason):
    verdict = ends(scene, good(scene, **changes))
    assert (verdict.failure, verdict.succeeded) == (failure, False)
    assert reason in verdict.reason


def test_the_least_force_that_holds_is_weight_and_inertia_over_friction(scene):
    """Between the force that bears the steepest pull and one a little below lies the border."""
    path = plan_pick_path(good(scene), STYLE, scene.site.bin_floor_m)
    begin, end = path.find_step_index(path.phases["lift"][0]), path.find_step_index(path.phases["release"][0])
    pull = np.gradient(np.gradient(path.xyz, 0.02, axis=0), 0.02, axis=0)[begin:end] + np.array([0, 0, GRAVITY])
    least = scene.item.mass_kg * np.linalg.norm(pull, axis=1).max() / (2 * scene.item.friction)
    assert ends(scene, good(scene, force_n=least * 1.01)).succeeded
    assert not ends(scene, good(scene, force_n=least * 0.99)).succeeded


def test_between_lifting_and_setting_down_it_slips_while_carried(scene):
    lift = scene.item.mass_kg * (GRAVITY + 2.3) / (2 * scene.item.friction)
    verdict = ends(scene, good(scene, force_n=lift * 1.02))
    assert verdict.failure is FailureClass.PLACEMENT
    assert verdict.reason == "slipped while carried"
    assert verdict.path.phases["lift"][1] <= verdict.lost_s


def test_an_item_held_far_from_its_middle_turns_out_of_the_fingers(scene):
    heavy = replace(scene, item=replace(scene.item, mass_kg=0.8))
    along = np.array([np.cos(0.3), np.sin(0.3)]) * 0.033
    centred, off = good(heavy, force_n=16.0), good(heavy, force_n=16.0)
    off = replace(off, x=off.x + along[0], y=off.y + along[1])
    assert ends(heavy, centred).succeeded
    assert ends(heavy, off).reason == "slipped while lifted"


def test_a_neighbour_in_the_finger_s_way_is_a_collision(scene):
    item = scene.item
    across = np.array([-np.sin(0.3), np.cos(0.3)]) * (item.width / 2 + 0.012 + 0.004)
    carton = Solid("neighbour 0", (item.x + across[0], item.y + across[1], 0.13), (0.02, 0.02, 0.06), 0.3)
    blocked = replace(scene, solids=(*scene.solids, carton))
    assert ends(blocked, good(scene)).reason == "hit the neighbour 0"


def test_a_release_from_too_high_is_no_placement(scene):
    verdict = ends(scene, good(scene), Style(drop_m=0.08))
    assert (verdict.failure, verdict.reason) == (FailureClass.PLACEMENT, "let go from too high")


def test_too_slow_is_a_failure_of_time(scene):
    verdict = ends(scene, good(scene), Style(tempo=0.3))
    assert (verdict.failure, verdict.reason) == (FailureClass.TIMEOUT, "took too long")
    assert verdict.cycle_s > TIMEOUT_S


def test_after_a_collision_the_arm_stops_rises_and_goes_home(scene):
    verdict = ends(scene, good(scene, z=0.09))
    path, at = verdict.path, verdict.path.find_step_index(verdict.cycle_s)
    still = path.xyz[at : at + 50]
    assert np.allclose(still, still[0])
    assert np.allclose(path.xyz[-1], [0.30, -0.07, 0.46])
    assert "grasp" not in path.phases


def test_jaws_square_a_slightly_turned_item_and_hold_a_very_turned_one_by_its_corners(scene):
    item = scene.item
    turned, askew = (good(scene, yaw_rad=0.3 + angle, width_m=0.105) for angle in (0.2, 0.7))
    square, corner = close_fingers(item, turned), close_fingers(item, askew)
    assert square.opening_m == pytest.approx(item.width)
    assert square.turn_rad == pytest.approx(0.0, abs=1e-9)
    assert corner.bears_n < 0.5 * square.bears_n


@pytest.mark.parametrize(
    ("changes", "steps"),
    [
        ({}, 5),
        ({"y": 0.30}, 0),
        ({"z": 0.10 + 0.06 - 0.004}, 1),
        ({"force_n": 3.0}, 2),
        ({"force_n": 35.0}, 4),
    ],
)
def test_an_attempt_is_graded_by_how_far_it_came(scene, changes, steps):
    assert ends(scene, good(scene, **changes)).count_done_steps() == steps

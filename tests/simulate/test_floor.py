"""The floor: outcomes are computed, conditions matter, mistakes are named."""

import itertools

import numpy as np
import pytest

from fieldloop.audit.map_file import parse_deployment_map
from fieldloop.errors import BadInput, UnknownName
from fieldloop.geometry import rigid
from fieldloop.geometry import transforms as tf
from fieldloop.model.condition import Stratum
from fieldloop.model.policy import Action, FailureClass
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.catalogue import TIERS, get_item_master_csv, load_shipped_catalogue
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata, get_deployment_toml
from fieldloop.simulate.arm.rig import get_base_from_overhead
from fieldloop.simulate.arm.scene import BINS, Setup

BENCH = Stratum.of(site="lab", tier="high", bin="front", lighting="bright")
NAMES = ("x", "y", "z", "yaw", "width", "force")


class Says:
    """A policy that answers every scene alike."""

    def __init__(self, *values, names=NAMES, confidence=0.9):
        self.action = Action(names, np.array(values, dtype=float), confidence, 1.5)

    def act(self, observation):
        self.saw = observation
        return self.action


def expert(item):
    force = 1.4 * item.mass_kg * 14.0 / (2 * item.friction)
    return Says(item.x, item.y, item.top - 0.03, item.yaw_rad, item.width + 0.024, force)


def test_who_knows_where_the_item_is_succeeds_and_who_does_not_fails(floor):
    for i, (site, name) in enumerate(itertools.product(("lab", "leipzig", "gdansk"), BINS)):
        stratum = Stratum.of(site=site, tier="high", bin=name, lighting="dim")
        item = floor.draw_scene(stratum, floor.make_random_generator("expert", i)).item
        tried = floor.attempt_pick(expert(item), stratum, floor.make_random_generator("expert", i), 7)
        assert tried.succeeded, (stratum, tried.reason)
        assert (tried.confidence, tried.latency_ms) == (0.9, 1.5)
        assert 4.0 < tried.cycle_s < 8.0
        missed = floor.attempt_pick(
            Says(0.5, -0.28, 0.2, 0, 0.08, 10), stratum, floor.make_random_generator("expert", i), 7
        )
        assert not missed.succeeded
        assert missed.failure is not None


def test_a_policy_sees_pictures_and_signals_of_the_station(floor):
    policy = Says(0.5, 0.1, 0.2, 0, 0.08, 10)
    floor.attempt_pick(policy, BENCH, floor.make_random_generator("see"), 42)
    seen = policy.saw
    assert seen.at_ns == 42
    assert seen.pictures["camera/overhead"].shape == (120, 160, 3)
    assert seen.pictures["camera/overhead"].dtype == np.uint8
    assert seen.pictures["depth/overhead"].dtype == np.float32
    assert {"joints", "gripper", "tool"} <= set(seen.signals)


def test_the_same_attempt_ends_the_same_way(floor):
    one, two = (
        floor.attempt_pick(Says(0.5, 0.1, 0.12, 0, 0.08, 10), BENCH, floor.make_random_generator("same"), 0)
        for _ in range(2)
    )
    assert (one.succeeded, one.reason, one.cycle_s) == (two.succeeded, two.reason, two.cycle_s)


def test_an_answer_that_is_no_number_fails_and_is_never_driven(floor):
    tried = floor.attempt_pick(Says(np.nan, 0, 0, 0, 0, 0), BENCH, floor.make_random_generator("nan"), 0)
    assert (tried.succeeded, tried.failure, tried.verdict) == (False, FailureClass.OTHER, None)
    with pytest.raises(BadInput, match="never moved"):
        floor.record(tried, floor.make_random_generator("nan"), 0, {})


def test_an_action_without_a_force_is_refused_by_name(floor):
    with pytest.raises(BadInput, match="lacks force"):
        floor.attempt_pick(Says(0, 0, 0, 0, 0, names=NAMES[:5]), BENCH, floor.make_random_generator("names"), 0)


def test_an_attempt_can_be_recorded_as_a_robot_would(floor):
    item = floor.draw_scene(BENCH, floor.make_random_generator("kept")).item
    tried = floor.attempt_pick(expert(item), BENCH, floor.make_random_generator("kept"), 0)
    shown = floor.record(tried, floor.make_random_generator("recorder"), 10**18, {"name": "p1-0001"})
    assert shown.recording.episode.name == "p1-0001"
    assert shown.recording.episode.succeeded
    assert len(shown.recording.streams["joints"]) > 1000


@pytest.mark.parametrize(
    ("stratum", "says"),
    [
        (Stratum.of(site="lab", tier="high", bin="front"), "lacks lighting"),
        (Stratum.of(site="leipsig", tier="high", bin="front", lighting="dim"), "Did you mean 'leipzig'"),
        (Stratum.of(site="lab", tier="hihg", bin="front", lighting="dim"), "Did you mean 'high'"),
        (Stratum.of(site="lab", tier="high", bin="bakc", lighting="dim"), "Did you mean 'back'"),
        (Stratum.of(site="lab", tier="high", bin="back", lighting="dimm"), "Did you mean 'dim'"),
    ],
)
def test_a_stratum_the_floor_does_not_know_is_named(floor, stratum, says):
    with pytest.raises((BadInput, UnknownName), match=says):
        floor.draw_scene(stratum, floor.make_random_generator("bad"))


def test_unknown_operators_are_named(floor):
    with pytest.raises(UnknownName, match="op-amber"):
        floor.demonstrate(BENCH, "op-ambre", floor.make_random_generator("bad"), 0)


def test_a_reset_sheet_fixes_the_position_and_distractors_are_added(floor):
    scene = floor.draw_scene(
        BENCH, floor.make_random_generator("sheet"), Setup(position=(0.45, 0.2), yaw_rad=0.1, distractors=10)
    )
    assert (scene.item.x, scene.item.y, scene.item.yaw_rad) == (0.45, 0.2, 0.1)
    assert sum("distractor" in solid.name for solid in scene.solids) == 10


def test_conditions_change_what_they_should(floor):
    def scene(**levels):
        return floor.draw_scene(Stratum.of({**BENCH.levels, **levels}), floor.make_random_generator("levels"))

    plain = scene()
    assert scene(bin="back").item.x > plain.item.x
    assert scene(site="gdansk").item.friction < plain.item.friction
    assert scene(site="gdansk").temperature_c < 10 < plain.temperature_c
    assert scene(lighting="dim").lux < plain.lux
    assert scene(bin="side").item.height == plain.item.article.size_m[1]


def test_another_seed_builds_another_floor():
    one, two = Floor(1), Floor(2)
    assert one.get_site("leipzig") == Floor(1).get_site("leipzig")
    assert one.get_site("leipzig") != two.get_site("leipzig")
    assert one.get_site("lab") == two.get_site("lab")
    assert one.make_random_generator("x").random() != two.make_random_generator("x").random()


def test_the_audit_reads_the_same_exposures_from_the_embedded_map(floor):
    read = parse_deployment_map(get_deployment_toml(), get_item_master_csv(), default_operations()["audit"])
    ours = {exposure.stratum: exposure.share for exposure in floor.make_production_mix()}
    assert {e.stratum for e in read.exposures} == set(ours)
    assert all(np.isclose(ours[e.stratum], e.share) for e in read.exposures)
    assert np.isclose(sum(ours.values()), 1.0)
    assert {s.id: s.tier for s in read.skus} == {a.sku: a.tier for a in load_shipped_catalogue().articles}


def test_tiers_follow_from_velocity():
    slowest = {
        tier: min(a.picks_per_week for a in load_shipped_catalogue().list_articles_of_tier(tier)) for tier in TIERS
    }
    assert slowest["high"] > slowest["medium"] > slowest["long_tail"] > 0


def test_strata_are_drawn_as_often_as_they_occur(floor):
    drawn = draw_strata(floor.make_production_mix(), 4000, floor.make_random_generator("mix"))
    share = np.mean([stratum.level("site") == "leipzig" for stratum in drawn])
    assert share == pytest.approx(0.55, abs=0.03)
    assert all(
        stratum.level("site") == "lab"
        for stratum in draw_strata(floor.make_lab_mix(), 20, floor.make_random_generator("lab"))
    )


@pytest.mark.parametrize("site", ["lab", "leipzig", "gdansk"])
def test_markers_show_where_the_camera_really_is(floor, site):
    views = floor.take_marker_views(site, floor.make_random_generator("markers", site))
    found, true = (
        rigid.fit_rigid_transform(views.points_base, views.points_camera),
        get_base_from_overhead(floor.get_site(site)),
    )
    assert np.linalg.norm(found[:3, 3] - true[:3, 3]) < 0.003
    assert np.degrees(tf.angle_between(found[:3, :3], true[:3, :3])) < 0.2
    assert rigid.measure_point_distances(found, views.points_base, views.points_camera).mean() < 0.002


def test_a_deployed_camera_is_not_where_the_drawing_puts_it(floor):
    lab, away = (get_base_from_overhead(floor.get_site(site)) for site in ("lab", "gdansk"))
    assert np.linalg.norm(lab[:3, 3] - away[:3, 3]) > 0.003
    assert np.degrees(tf.angle_between(lab[:3, :3], away[:3, :3])) > 1.0


def test_every_robot_names_its_sensors(floor):
    robot = floor.get_robot("gdansk")
    assert robot.id == "arm-gdansk-1"
    assert {sensor.stream for sensor in robot.sensors} >= {"camera/overhead", "joints", "force"}

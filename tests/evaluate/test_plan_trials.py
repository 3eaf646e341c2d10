"""A gate's plan holds every scenario, in the deployment's own mix, in an order nobody can guess."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.evaluate import list_novel_lightings, plan_gate_trials
from fieldloop.evaluate.plan import draw_strata
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.trial import KeptScenario
from fieldloop.protocol import default_operations

GATE = default_operations()["gate"]
EXPOSURES = [
    Exposure(Stratum.of(site="a", lighting="bright"), 0.6),
    Exposure(Stratum.of(site="a", lighting="dim"), 0.3),
    Exposure(Stratum.of(site="b", lighting="bright"), 0.1),
    Exposure(Stratum.of(site="c", lighting="bright"), 0.0),
]


def made(seed=0, **more):
    return plan_gate_trials("p1", EXPOSURES, GATE, np.random.default_rng(seed), **more)


def test_every_scenario_has_its_trials():
    counted = Counter(t.scenario for t in made())
    assert counted == {
        "base": 60, "distractors": 60, "consecutive": 100,
        "lighting:warm": 40, "lighting:cool": 40, "lighting:side": 40,
        **{f"position:{n}": 40 for n in range(1, 6)},
        **dict.fromkeys(("edge:pose", "edge:gripper", "edge:joint", "edge:camera"), 15),
    }  # fmt: skip


def test_strata_follow_the_deployment_and_nothing_undeployed_is_tried():
    block = Counter(str(t.stratum) for t in made() if t.scenario == "consecutive")
    assert block == {"lighting=bright,site=a": 60, "lighting=dim,site=a": 30, "lighting=bright,site=b": 10}


def test_novel_lightings_are_neither_deployed_nor_trained_on():
    levels = {t.stratum.level("lighting") for t in made(known_lightings=["warm"]) if t.scenario.startswith("lighting:")}
    assert levels == {"cool", "side", "glare"}


def test_positions_reach_the_boundary_and_stay_inside():
    places = {t.scenario: dict(t.parameters) for t in made() if t.scenario.startswith("position:")}
    reach = [max(abs(p["u"]), abs(p["v"])) for p in places.values()]
    assert sum(r == pytest.approx(0.95) for r in reach) == 3
    assert all(r <= 0.95 for r in reach)
    assert len({(p["u"], p["v"]) for p in places.values()}) == 5


def test_distractors_are_counted():
    assert {t.get_parameter("distractors") for t in made() if t.scenario == "distractors"} == {10.0}


def test_edge_cases_state_what_is_unusual():
    stated = {t.scenario: {name for name, _ in t.parameters} for t in made() if t.scenario.startswith("edge:")}
    assert stated == {
        "edge:pose": {"turn"}, "edge:gripper": {"gripper_hidden"}, "edge:joint": {"joint_left_rad"},
        "edge:camera": {"camera_hidden"},
    }  # fmt: skip
    turns = [t.get_parameter("turn") for t in made() if t.scenario == "edge:pose"]
    assert {abs(turn) for turn in turns} == {1.25}
    assert {turn > 0 for turn in turns} == {True, False}


def test_a_kept_scenario_is_tried_under_its_conditions():
    failure = KeptScenario("incident:3", Stratum.of(lighting="dim", bin="back"), "dropped", "incident_3", "p0", 0, "me")
    tried = [t.stratum for t in made(kept=[failure]) if t.scenario == "incident:3"]
    assert len(tried) == 15
    assert {(s.level("lighting"), s.level("bin"), s.level("site")) for s in tried} == {("dim", "back", "a")}


def test_both_arms_meet_every_scene_in_an_order_that_chance_decides():
    plain, both = made(3), made(3, control="p0")
    assert len(both) == 2 * len(plain)
    mixed = [t for t in both if t.scenario != "consecutive"]
    pairs = list(zip(mixed[::2], mixed[1::2], strict=True))
    for one, other in pairs:
        assert {one.policy, other.policy} == {"p1", "p0"}
        assert (one.scene, one.seed, one.scenario, one.stratum, one.parameters) == (
            other.scene, other.seed, other.scenario, other.stratum, other.parameters,
        )  # fmt: skip
    first = sum(one.policy == "p1" for one, _ in pairs) / len(pairs)
    assert 0.4 < first < 0.6
    blocks = [t.policy for t in both if t.scenario == "consecutive"]
    assert sum(a != b for a, b in pairwise(blocks)) == 1, "each arm makes its hundred without breaks"


def test_the_order_is_mixed_but_the_consecutive_block_is_unbroken():
    trials = made()
    assert [t.order for t in trials] == list(range(1, len(trials) + 1))
    assert {t.scenario for t in trials[-100:]} == {"consecutive"}
    mixed = [t.scenario for t in trials[:-100]]
    changes = sum(a != b for a, b in pairwise(mixed))
    assert changes > len(mixed) / 2  # sorted by scenario there would be ten


def test_the_same_generator_gives_the_same_plan_and_another_one_another():
    assert made(1) == made(1)
    assert made(1) != made(2)


def test_places_outlast_a_plan_whose_draws_are_fresh():
    first, again = (made(seed, position_rng=np.random.default_rng(7)) for seed in (1, 2))
    places = [{t.scenario: t.parameters for t in p if t.scenario.startswith("position:")} for p in (first, again)]
    assert places[0] == places[1]
    assert [t.scenario for t in first] != [t.scenario for t in again]


def test_novel_lightings_may_run_out():
    assert list_novel_lightings(EXPOSURES, GATE, ["warm", "cool"]) == ["side", "glare"]
    named = {t.scenario for t in made(known_lightings=["warm", "cool"]) if t.scenario.startswith("lighting:")}
    assert named == {"lighting:side", "lighting:glare"}


def test_nothing_deployed_is_no_gate():
    with pytest.raises(BadInput, match="Map the deployment first"):
        plan_gate_trials("p1", EXPOSURES[3:], GATE, np.random.default_rng(0))


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8), st.integers(1, 200), st.integers(0, 1000))
def test_each_stratum_is_within_one_trial_of_its_share(shares, trials, seed):
    exposures = [Exposure(Stratum.of(sku=str(n)), share) for n, share in enumerate(shares)]
    drawn = Counter(s.level("sku") for s in draw_strata(exposures, trials, np.random.default_rng(seed)))
    for n, share in enumerate(shares):
        assert abs(drawn[str(n)] - trials * share / sum(shares)) <= 1 + 1e-9
    assert sum(drawn.values()) == trials

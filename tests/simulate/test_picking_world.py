"""The picking floor as a whole: the same bits, the presets as promised, bad input refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput, UnknownName
from fieldloop.simulate.picking import pick
from fieldloop.simulate.picking.faults import Change, Faults, Starved, leave_out_conditions, replace_left_out_cells
from fieldloop.simulate.picking.presets import get_preset
from fieldloop.simulate.picking.sight import INPUTS
from fieldloop.simulate.picking.strata import LEVELS, Strata
from fieldloop.simulate.picking.world import World

PRESETS = ("broad", "covered_traps", "drift", "unequal_cost", "multi_site")


@pytest.fixture(scope="module")
def world():
    return World("covered_traps", 7, articles=400)


def still(inputs):
    return np.zeros((len(inputs), len(pick.ACTIONS)), dtype=np.float32)


def test_the_same_seed_gives_the_same_bits(world):
    cells = world.cells(world.production(), 40, "same")
    first, again = (World("covered_traps", 7, articles=400).demonstrate(cells, "same") for _ in range(2))
    assert first.inputs.tobytes() == again.inputs.tobytes()
    assert first.actions.tobytes() == again.actions.tobytes()
    other = World("covered_traps", 8, articles=400).demonstrate(cells, "same")
    assert first.inputs.tobytes() != other.inputs.tobytes()


def test_what_a_policy_meets_does_not_depend_on_the_policy(world):
    cells = world.cells(world.production(), 60, "met")
    one = world.attempt(still, cells, "met")
    two = world.attempt(lambda x: still(x) + np.float32(0.1), cells, "met")
    assert (one.scenes.x == two.scenes.x).all()
    assert (one.poses[0] == two.poses[0]).all()
    assert (one.latency_s == two.latency_s).all()


@pytest.mark.parametrize("name", PRESETS)
def test_shares_sum_to_one_and_costs_are_positive(name):
    found = get_preset(name)
    for shares in (found.laboratory, found.production(0.0), found.production(9.0)):
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1.0)
    assert found.cost.min() >= 1.0


def test_covered_traps_has_a_covered_head_traps_and_undeployed_sites(world):
    production, lab = world.production(), world.laboratory()
    assert production[lab > 0].sum() == pytest.approx(0.42, abs=0.02)
    assert production[world.strata.where({"bin": "jammed"})].sum() == pytest.approx(0.08, abs=0.01)
    assert production[world.strata.where({"site": "eastside"})].sum() == 0
    assert (production > 0).sum() > 300


def test_jammed_bins_are_mostly_beyond_people_too(world):
    shares = world.production() * world.strata.where({"bin": "jammed"})
    shown = world.demonstrate(world.cells(shares, 300, "jammed"), "jammed")
    assert 0.08 < shown.kept.mean() < 0.35


def test_most_demonstrations_succeed_and_some_are_recoveries(world):
    shown = world.demonstrate(world.cells(world.laboratory(), 300, "lab"), "lab")
    assert shown.kept.mean() > 0.97
    assert 0.005 < shown.shown.recovered.mean() < 0.12
    assert shown.inputs.shape == (shown.kept.sum() * pick.SHOWN.steps, INPUTS)
    assert set(shown.owner) == set(np.flatnonzero(shown.kept))
    assert np.isfinite(shown.inputs).all()


def test_drift_moves_the_mix_the_lamps_and_the_wear():
    world = World("drift", 3, articles=400)
    assert np.abs(world.production(0.0) - world.production(12.0)).sum() > 0.2
    cells = world.cells(world.production(), 200, "late")
    early, late = (world.scenes(cells, "late", Faults(), week, demonstrating=False) for week in (0.0, 10.0))
    home = world.strata.code("site", cells) == 0
    assert (late.lux[home] > early.lux[home]).all()
    assert (late.cycles > early.cycles + 20_000).all()
    assert (late.shift_x[home] != 0).all()
    assert (late.grip < early.grip).all()


def test_unequal_cost_charges_for_the_far_site():
    world = World("unequal_cost", 0, articles=50)
    far, near = (world.cost[world.strata.where({"site": name})].mean() for name in ("coldstore", "home"))
    assert far == pytest.approx(4 * near)
    shown = world.demonstrate(np.flatnonzero(world.strata.where({"site": "coldstore", "bin": "front"}))[:3], "far")
    assert (shown.cost == 4.0).all()


@given(st.lists(st.integers(0, 719), min_size=1), st.sampled_from(["home", "harbour"]), st.integers(0, 50))
def test_what_is_left_out_is_never_demonstrated(cells, site, seed):
    strata = Strata(LEVELS)
    asked = np.array([*cells, 719])  # the last cell is of another site
    faults = Faults(starved=leave_out_conditions(strata, {"site": site}))
    made = replace_left_out_cells(asked, strata, faults, np.random.default_rng(seed))
    assert len(made) == len(asked)
    assert set(made) <= set(asked)
    assert not strata.where({"site": site})[made].any()
    kept = ~strata.where({"site": site})[asked]
    assert (made[kept] == asked[kept]).all()


def test_bad_input_is_refused_in_words(world):
    with pytest.raises(UnknownName, match="preset"):
        World("cosy", 0)
    with pytest.raises(UnknownName, match="level of bin"):
        world.strata.where({"bin": "upstairs"})
    with pytest.raises(UnknownName, match="factor"):
        world.strata.where({"weather": "rain"})
    with pytest.raises(BadInput, match="numbers of strata, from 0 to 719"):
        world.demonstrate(np.array([720]), "outside")
    with pytest.raises(BadInput, match="one a stratum"):
        world.cells(np.zeros(len(world.strata)), 3, "none")
    with pytest.raises(BadInput, match="No stratum"):
        world.attempt(still, np.array([], dtype=int), "none")
    with pytest.raises(BadInput, match="camera_lag_s"):
        Faults(camera_lag_s=float("nan"))
    with pytest.raises(BadInput, match="between 0 and 1"):
        Starved({"bin": "front"}, 2.0)
    with pytest.raises(BadInput, match="lamp"):
        Change("roof", "home", 1.0)
    with pytest.raises(BadInput, match="leaves out"):
        world.demonstrate(np.array([0, 0]), "all", Faults(starved=(Starved({}),)))
    with pytest.raises(BadInput, match="articles"):
        World("broad", 0, articles=2)


def test_nothing_asked_gives_nothing_shown(world):
    shown = world.demonstrate(np.array([], dtype=int), "none")
    assert shown.inputs.shape == (0, INPUTS)
    assert len(shown.kept) == 0

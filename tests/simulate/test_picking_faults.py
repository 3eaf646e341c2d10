"""Each planted fault acts where it should, and only there: in pairs, labels, friction, timing or what was shown."""

import numpy as np
import pytest

from fieldloop.simulate.picking import demonstrating, drawing, pick
from fieldloop.simulate.picking.faults import NOTHING, Change, Faults
from fieldloop.simulate.picking.sight import PIXELS
from fieldloop.simulate.picking.world import UNUSUAL_FROM, World
from fieldloop.train.cloning import train_by_cloning


@pytest.fixture(scope="module")
def world():
    return World("covered_traps", 2)


@pytest.fixture(scope="module")
def cells(world):
    return world.cells(world.production(), 120, "cells")


@pytest.fixture(scope="module")
def clean(world, cells):
    return world.demonstrate(cells, "shown")


@pytest.fixture(scope="module")
def policy(world):
    shown = world.demonstrate(world.cells(world.laboratory(), 250, "lab"), "lab")
    return train_by_cloning(shown.inputs, shown.actions, None, 0, steps=700)


def line(world, policy, faults=NOTHING, pace=pick.LINE, weeks=0.0):
    return world.attempt(policy.act, world.cells(world.laboratory(), 400, "line"), "line", faults, weeks, pace)


def test_camera_lag_changes_only_which_picture_stands_beside_an_action(world, cells, clean):
    lagged = world.demonstrate(cells, "shown", Faults(camera_lag_s=0.1))
    assert (lagged.actions == clean.actions).all()
    assert (lagged.shown.end == clean.shown.end).all()
    pixels = 2 * PIXELS * PIXELS
    assert (lagged.inputs[:, pixels:] == clean.inputs[:, pixels:]).all()
    assert not (lagged.inputs[:, :pixels] == clean.inputs[:, :pixels]).all()
    first = slice(0, clean.kept.sum())  # before anything has moved, an old picture shows the same
    assert (lagged.inputs[first] == clean.inputs[first]).all()


def test_label_noise_changes_only_labels_of_unusual_variants(world, cells, clean):
    noisy = world.demonstrate(cells, "shown", Faults(label_noise=0.2))
    assert (noisy.inputs == clean.inputs).all()
    unusual = (world.strata.code("bin", cells) >= UNUSUAL_FROM)[clean.owner]
    changed = (noisy.actions != clean.actions).any(axis=1)
    assert changed[unusual].mean() > 0.5
    assert not changed[~unusual].any()
    assert (noisy.actions[:, :3] == clean.actions[:, :3]).all()


def test_the_twin_has_its_own_friction_and_appearance(world, cells):
    twin = world.demonstrate(cells, "shown", Faults(simulated_share=1.0))
    assert twin.simulated.all()
    assert (twin.scenes.grip == drawing.TWIN_FRICTION).all()
    assert (twin.scenes.pitch_x == 0).all()
    some = world.demonstrate(cells, "shown", Faults(simulated_share=1.0, simulated_where={"site": "harbour"}))
    assert (some.simulated == world.strata.where({"site": "harbour"})[cells]).all()


def test_people_and_temperatures_that_are_left_out_are_not_in_the_data(world, cells):
    faults = Faults(operators_left_out=(4, 5), temperatures_left_out=(-50.0, 15.0))
    shown = world.demonstrate(cells, "shown", faults).scenes
    assert not np.isin(shown.person, (4, 5)).any()
    assert (shown.temperature >= 15.0).all()
    met = world.scenes(cells, "met", faults, 0.0, demonstrating=False)
    assert np.isin(met.person, (4, 5)).any()
    assert (met.temperature < 15.0).any()


def test_wear_concerns_only_the_worn_robots_and_only_at_work(world, cells):
    faults = Faults(extra_cycles=40_000, worn_robots=("home-1",))
    fresh, worn = (world.scenes(cells, "worn", f, 0.0, demonstrating=False) for f in (NOTHING, faults))
    mine = (world.strata.code("site", cells) == 0) & (fresh.robot == 0)
    assert (worn.grip[mine] < fresh.grip[mine]).all()
    assert (worn.grip[~mine] == fresh.grip[~mine]).all()
    assert (worn.backlash[mine] > fresh.backlash[mine]).all()
    shown = world.scenes(cells, "worn", faults, 0.0, demonstrating=True)
    assert shown.cycles.max() < 20_000


def test_a_change_begins_in_its_week_at_its_site(world, cells):
    faults = Faults(changes=(Change("mount", "home", 2.0), Change("lamp", "annex", 3.0)))
    before, after = (world.scenes(cells, "weeks", faults, week, demonstrating=False) for week in (1.0, 4.0))
    home, annex = (world.strata.where({"site": site})[cells] for site in ("home", "annex"))
    assert (before.shift_x == 0).all()
    assert (after.shift_x[home] != 0).all()
    assert (after.shift_x[~home] == 0).all()
    assert (after.lux[annex] > before.lux[annex]).all()
    assert (after.lux[~annex] == before.lux[~annex]).all()


def test_late_actions_hurt_at_the_pace_of_the_line_more_than_in_the_laboratory(world, policy):
    late = Faults(latency_s=0.13)
    loss = [
        line(world, policy, NOTHING, pace).succeeded.mean() - line(world, policy, late, pace).succeeded.mean()
        for pace in (pick.LAB, pick.LINE)
    ]
    assert loss[1] > 0.15
    assert loss[0] < loss[1] / 2


def test_worn_pads_let_articles_slip_and_leave_the_approach_alone(world, policy):
    fresh, worn = line(world, policy), line(world, policy, Faults(extra_cycles=60_000))
    assert (fresh.poses == worn.poses).all()
    assert worn.succeeded.mean() < fresh.succeeded.mean() - 0.1


def test_a_moved_mount_shifts_where_the_policy_ends(world, policy):
    moved = Faults(changes=(Change("mount", "home", 0.0),))
    straight, shifted = line(world, policy), line(world, policy, moved)
    assert np.median(shifted.deviation[:, 0]) > np.median(straight.deviation[:, 0]) + 0.004


def test_standards_differ_both_ways():
    assert min(demonstrating.STANDARDS) < 0 < max(demonstrating.STANDARDS)

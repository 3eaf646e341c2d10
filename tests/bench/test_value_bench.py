"""The bench of filters: tiers differ in motion, corrupted actions come last, and 'no filter' is an answer."""

from dataclasses import replace

import numpy as np
import pytest
from bench.worth import report
from bench.worth.rounds import SHARES, control_for_length
from bench.worth.scores import Setting, by_influence, by_length, by_loss, by_smoothness, by_tier
from bench.worth.tiers import TIERS, demonstrate, join

from fieldloop.simulate.picking.world import World

WRONG = np.arange(0, 60, 10)


@pytest.fixture(scope="module")
def world():
    return World("broad", 3)


@pytest.fixture(scope="module")
def tiers(world):
    return [demonstrate(world, world.laboratory(), 60, tier, "t", failures=True) for tier in range(len(TIERS))]


def test_sloppier_people_fail_more_often_and_move_less_smoothly(world, tiers):
    assert [part.succeeded.mean() for part in tiers] == sorted((part.succeeded.mean() for part in tiers), reverse=True)
    smooth = [np.median(by_smoothness(Setting(world, world.laboratory(), part, 3, 50))) for part in tiers]
    assert smooth == sorted(smooth, reverse=True)


def test_every_tier_starts_alike_and_without_failures_all_succeed(world, tiers):
    assert np.allclose([pose[0] for pose in tiers[0].poses], [pose[0] for pose in tiers[2].poses])
    only = demonstrate(world, world.laboratory(), 30, 2, "u", failures=False)
    assert len(only) == 30
    assert only.succeeded.all()


def test_a_part_keeps_each_demonstrations_rows_together(tiers):
    part = tiers[1].take(np.array([7, 2]))
    assert part.inputs[part.owner == 0] == pytest.approx(tiers[1].inputs[tiers[1].owner == 7])
    assert part.length.tolist() == tiers[1].length[[7, 2]].tolist()
    assert len(join([part, part])) == 4


def test_demonstrations_whose_actions_belong_to_others_come_last(world, tiers):
    careful = tiers[0]
    actions = careful.actions.copy()
    for wrong in WRONG:
        rows = careful.owner == wrong
        actions[rows] = -actions[rows] + 2 * careful.actions.mean(axis=0)
    at = Setting(world, world.laboratory(), replace(careful, actions=actions), 3, 100)
    for score, most in ((by_loss(at), 0.2), (by_influence(at), 0.45)):
        assert np.argsort(np.argsort(score))[WRONG].mean() < most * len(careful)


def test_control_for_length_compares_only_with_demonstrations_as_long(world, tiers):
    at = Setting(world, world.laboratory(), tiers[1], 3, 50)
    ranks = control_for_length(by_length(at), at.shown.length)
    assert abs(np.corrcoef(ranks, at.shown.length)[0, 1]) < 0.5
    assert np.argmax(by_tier(at)) >= 0


def row(seed, gains, *, helps=True, kind="same starts"):
    methods = {
        name: {
            "cpu_s": 0.1, "tier_auroc": 0.8, "length_rho": 0.0, "controlled": 0.5 + gain,
            "success": [0.5 + gain for _ in SHARES],
        }
        for name, gain in {"random": -0.05, "tier": 0.2, **gains}.items()
    }  # fmt: skip
    rule = {"before": 90, "after": 120, "helps": helps, "harms": False}
    lost = {"gain": -0.1, "half": 0.02}
    return {"set": kind, "seed": seed, "all": 0.5, "methods": methods, "rule": rule, "loss_rule": lost}


def test_a_filter_is_chosen_on_the_other_floors():
    """One floor where `length` happens to gain most does not choose it for itself, only for the others."""
    rows = [row(i, {"smooth": 0.08, "length": 0.9 if i == 0 else -0.05}) for i in range(6)]
    found = report.figures(rows)
    assert found["best_gain_points"].value == pytest.approx((8 - 5 * 5) / 6)
    assert found["never_worse"].value == 1


def test_no_filter_is_the_answer_where_nothing_gains():
    rows = [row(seed, {"smooth": -0.1}, helps=False) for seed in range(7)]
    found = report.figures(rows)
    assert found["best_gain_points"].value == 0
    assert "no filter" in report.tabulate(rows)


def test_a_rule_that_filters_where_it_harms_is_worse():
    rows = [row(seed, {"smooth": -0.1 - seed % 5 / 100}) for seed in range(7)]
    assert report.figures(rows)["never_worse"].value == 0

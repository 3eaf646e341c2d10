"""The pieces of the search: joint attribution, changes, chains, days that differ, chance."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.diagnose.planted import SETTINGS, World, draw

from fieldloop.diagnose.candidates import Kind, candidates
from fieldloop.diagnose.chain import chain_of
from fieldloop.diagnose.changes import change_of
from fieldloop.diagnose.expectation import logistic
from fieldloop.diagnose.joint import fit_jointly, parts_of_loss
from fieldloop.diagnose.spread import day_spread
from fieldloop.diagnose.table import tabulate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome, Stage

DAY = 86_400 * 10**9


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_parts_add_up_to_what_is_lost(seed, size):
    chance = np.random.default_rng(seed)
    columns = np.column_stack([np.ones(200), *(chance.random(200) < 0.4 for _ in range(size))]).astype(float)
    expected = chance.uniform(0.6, 0.95, 200)
    success = (chance.random(200) < 0.6).astype(float)
    fitted = fit_jointly(columns, success, expected)
    assert parts_of_loss(columns, fitted, expected).sum() == pytest.approx((expected - fitted.rates).mean())
    assert fitted.rates.mean() == pytest.approx(success.mean(), abs=0.01)


def test_overlapping_slices_are_attributed_jointly():
    chance = np.random.default_rng(3)
    one = chance.random(20_000) < 0.4
    two = np.where(one, chance.random(20_000) < 0.7, chance.random(20_000) < 0.1)
    columns = np.column_stack([one, two]).astype(float)
    expected = np.full(20_000, 0.9)
    success = (chance.random(20_000) < logistic(np.log(9.0) - 1.5 * one)).astype(float)
    parts = parts_of_loss(columns, fit_jointly(columns, success, expected), expected)
    assert parts[0] == pytest.approx((expected - success).mean(), rel=0.1)
    assert abs(parts[1]) < 0.01


def table_of(success, days, **levels):
    return tabulate([
        Outcome(str(k), "p", Stratum.of(levels), Stage.PRODUCTION, "north", "r", int(day * DAY), bool(good), "j")
        for k, (good, day) in enumerate(zip(success, days, strict=True))
    ])  # fmt: skip


def test_a_change_is_dated_and_chance_is_not_taken_for_one():
    chance = np.random.default_rng(1)
    days = np.repeat(np.arange(20), 20)
    stepped = table_of(chance.random(400) < np.where(days >= 12, 0.5, 0.9), days)
    found = change_of(stepped, 0.9 - stepped.success, np.ones(400), 0.05, SETTINGS, chance)
    assert abs(found.since_ns // DAY - 12) <= 1
    assert found.since - found.before == pytest.approx(0.4, abs=0.12)
    false = 0
    for _ in range(40):
        flat = table_of(chance.random(400) < 0.8, days)
        false += change_of(flat, 0.8 - flat.success, np.ones(400), 0.05, SETTINGS, chance) is not None
    assert false <= 6


def test_too_few_days_tell_no_change():
    table = table_of([True] * 30 + [False] * 30, [0] * 30 + [1] * 30)
    assert change_of(table, 0.9 - table.success, np.ones(60), 0.05, SETTINGS, np.random.default_rng(0)) is None


def test_the_spread_of_days_is_found_again():
    chance = np.random.default_rng(2)
    days = np.repeat(np.arange(60), 60)
    for spread in (0.0, 0.6):
        shift = chance.normal(0.0, spread, 60)[days]
        table = table_of(chance.random(3600) < logistic(1.4 + shift), days)
        assert day_spread(table, np.full(3600, logistic(np.array(1.4)))) == pytest.approx(spread, abs=0.22)


def test_chains_grow_with_a_lag_and_not_without():
    for gap, grows in ((Gap.TIMING, True), (Gap.EDGE_CASES, False)):
        evidence = draw(World((gap,), episodes=300, trials=200), 4)
        before, after = tabulate(evidence.before), tabulate(evidence.after)
        found = chain_of(before, after, np.ones(len(after), dtype=bool))
        assert found.grows(2.5) is grows
    silent = tabulate([dataclasses.replace(o, steps=()) for o in evidence.after])
    assert chain_of(before, silent, np.ones(len(silent), dtype=bool)) is None


def test_every_candidate_has_enough_inside_and_outside_and_lies_between_0_and_1():
    evidence = draw(World(episodes=300, trials=200), 5)
    before, after = tabulate(evidence.before), tabulate(evidence.after)
    found = candidates(after, before, evidence.demonstrations, SETTINGS)
    assert {c.kind for c in found} >= set(Kind) - {Kind.LATER}
    for one in found:
        assert one.after.min() >= 0.0
        assert one.after.max() <= 1.0
        assert one.inside.sum() >= 15
        assert len(one.before) == len(before)


def test_a_number_that_follows_from_failing_is_no_candidate():
    evidence = draw(World(episodes=200, trials=300), 6)

    def with_slip(outcomes):
        return tabulate(
            [
                dataclasses.replace(o, facts=(("slip_m", 0.0 if o.succeeded else 0.1 + k / 1e4),))
                for k, o in enumerate(outcomes)
            ]
        )

    found = candidates(with_slip(evidence.after), with_slip(evidence.before), None, SETTINGS)
    assert not [c for c in found if c.stratum.conditions[0].factor == "slip_m"]

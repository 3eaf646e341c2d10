"""The pieces of the search: explanations, chains, days that differ."""

import dataclasses

import numpy as np
import pytest
from tests.diagnose.planted import SETTINGS, World, draw, roles

from fieldloop.diagnose.chain import chain_of
from fieldloop.diagnose.explanations.changed import time_explanations
from fieldloop.diagnose.explanations.explanation import Kind
from fieldloop.diagnose.explanations.faults import fault_explanations
from fieldloop.diagnose.explanations.lacking import condition_explanations
from fieldloop.diagnose.explanations.numbers import number_explanations
from fieldloop.diagnose.inference.day_spread import day_spread
from fieldloop.diagnose.inference.expectation import logistic
from fieldloop.diagnose.inference.table import tabulate
from fieldloop.model.condition import Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome, Stage, Step

DAY = 86_400 * 10**9


def table_of(success, days, **levels):
    return tabulate([
        Outcome(str(k), "p", Stratum.of(levels), Stage.PRODUCTION, "north", "r", int(day * DAY), bool(good), "j")
        for k, (good, day) in enumerate(zip(success, days, strict=True))
    ])  # fmt: skip


def test_the_spread_of_days_is_found_again():
    chance = np.random.default_rng(2)
    days = np.repeat(np.arange(60), 60)
    for spread in (0.0, 0.6):
        shift = chance.normal(0.0, spread, 60)[days]
        table = table_of(chance.random(3600) < logistic(1.4 + shift), days)
        assert day_spread(table, np.full(3600, logistic(np.array(1.4))), SETTINGS) == pytest.approx(spread, abs=0.22)


def test_days_are_believed_to_differ_by_so_much_at_most():
    days = np.repeat(np.arange(40), 30)
    table = table_of((np.arange(1200) % 30 < 3) ^ (days % 2 == 0), days)
    assert day_spread(table, np.full(1200, 0.5), SETTINGS) == pytest.approx(1.0)
    assert day_spread(table, np.full(1200, 0.5), SETTINGS.replace_values(most_day_spread=0.4)) == pytest.approx(0.4)


def test_chains_grow_with_a_lag_and_not_without():
    for gap, grows in ((Gap.TIMING, True), (Gap.EDGE_CASES, False)):
        evidence = draw(World((gap,), episodes=300, trials=200), 4)
        before, after = tabulate(evidence.before), tabulate(evidence.after)
        found = chain_of(before, after, np.ones(len(after), dtype=bool), roles(before, after), SETTINGS)
        assert found.suggests_late_frames(SETTINGS) is found.loses_precision(SETTINGS) is grows
        assert found.moved is None
    assert (
        chain_of(
            before,
            after,
            np.ones(300, dtype=bool),
            roles(before, after),
            SETTINGS.replace_values(min_chain_attempts=301),
        )
        is None
    )
    silent = tabulate([dataclasses.replace(o, steps=()) for o in evidence.after])
    assert chain_of(before, silent, np.ones(len(silent), dtype=bool), roles(before, silent), SETTINGS) is None


def test_what_was_travelled_while_a_picture_was_late_is_missed_by():
    chance = np.random.default_rng(5)
    travel = chance.uniform(0.01, 0.05, 600)

    def tried(late_s, wear):
        missed = np.abs(chance.normal(0.0, 0.003, 600)) + late_s * travel / 0.5 + wear
        return tabulate([
            Outcome(
                str(k), "p", Stratum(), Stage.PRODUCTION, "north", "r", k * DAY // 30, True, "j",
                steps=tuple(Step(name, True, float(d)) for name in ("reach", "lift")), facts=(("travel_m", float(t)),),
            )
            for k, (d, t) in enumerate(zip(missed, travel, strict=True))
        ])  # fmt: skip

    every = np.ones(600, dtype=bool)
    for late_s, wear in ((0.15, 0.0), (0.0, 0.004)):
        sides = tried(0.0, 0.0), tried(late_s, wear)
        assert chain_of(*sides, every, roles(*sides), SETTINGS).suggests_late_frames(SETTINGS) is (late_s > 0.0)


def explanations(evidence, before, after):
    shown = evidence.demonstrations
    known = roles(before, after, shown)
    return [
        *fault_explanations(evidence, before, after, None, None, SETTINGS),
        *condition_explanations(before, after, shown, known, SETTINGS),
        *number_explanations(before, after, shown, known, SETTINGS),
        *time_explanations(before, after, shown, known, SETTINGS),
    ]


def test_every_explanation_has_enough_rows_and_lies_between_0_and_1():
    evidence = dataclasses.replace(draw(World(episodes=300, trials=200), 5), demonstrations=None)
    before, after = tabulate(evidence.before), tabulate(evidence.after)
    found = explanations(evidence, before, after)
    assert {one.kind for one in found} >= set(Kind) - {Kind.FAULT}  # labels and lags are fine here
    for one in found:
        assert 0.0 <= one.rows.min() <= one.rows.max() <= 1.0
        assert one.inside.sum() >= 15
        assert len(one.rows) == len(before) + len(after)


def test_what_was_demonstrated_enough_may_be_hard_but_lacks_nothing():
    evidence = draw(World(episodes=300, trials=200), 5)
    found = explanations(evidence, tabulate(evidence.before), tabulate(evidence.after))
    plain = [one for one in found if one.kind is Kind.CONDITION]
    assert {c.factor for one in plain for c in one.stratum.conditions} == {"robot"}


def test_a_number_that_follows_from_failing_explains_nothing():
    evidence = draw(World(episodes=200, trials=300), 6)

    def with_slip(outcomes):
        return tabulate(
            [
                dataclasses.replace(o, facts=(("slip_m", 0.0 if o.succeeded else 0.1 + k / 1e4),))
                for k, o in enumerate(outcomes)
            ]
        )

    sides = with_slip(evidence.before), with_slip(evidence.after)
    found = number_explanations(*sides, None, roles(*sides), SETTINGS)
    assert not [one for one in found if one.stratum.conditions[0].factor == "slip_m"]

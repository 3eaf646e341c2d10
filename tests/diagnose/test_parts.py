"""The parts of a diagnosis: expectation, split, gap table."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.diagnose.planted import World, draw

from fieldloop.diagnose.explanations.gaps import FIX, GAP_OF, fix, name_gap, unlogged_factors
from fieldloop.diagnose.inference.columns import uncoded
from fieldloop.diagnose.inference.expectation import expect, fit, logistic
from fieldloop.diagnose.inference.split import divide
from fieldloop.diagnose.inference.table import tabulate
from fieldloop.model.condition import Condition, Stratum
from fieldloop.model.diagnosis import Gap
from fieldloop.model.policy import Outcome, Stage
from fieldloop.say import write_sentence


def test_the_fit_is_sklearns_ridge_logistic():
    from sklearn.linear_model import LogisticRegression

    chance = np.random.default_rng(1)
    x = (chance.random((400, 4)) < 0.4).astype(float)
    y = (chance.random(400) < logistic(1.0 + x @ np.array([0.8, -1.0, 0.3, 0.0]))).astype(float)
    ours = fit(uncoded(np.column_stack([np.ones(400), x])), np.ones(400), y, 1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-8).fit(x, y)
    assert ours == pytest.approx([theirs.intercept_[0], *theirs.coef_[0]], abs=0.01)


def test_a_perfect_or_hopeless_baseline_stays_finite():
    for good in (0.0, 20.0):
        coefficients = fit(uncoded(np.ones((1, 1))), np.array([20.0]), np.array([good]), 1.0)
        assert np.isfinite(coefficients).all()
        assert np.isfinite(coefficients).all()


def test_expected_rates_follow_what_was_always_hard():
    evidence = draw(World((Gap.HARDWARE,), trials=500, episodes=50), 1)
    table = tabulate(evidence.baseline)
    rates = expect(table, 1.0).rates(table)
    assert rates.mean() == pytest.approx(table.success.mean(), abs=0.005)
    hard = table.holds(Condition("tier", "long_tail"))
    assert rates[hard].mean() == pytest.approx(table.success[hard].mean(), abs=0.03)


def test_days_are_those_of_the_site():
    late = int(datetime(2025, 3, 3, 23, 30, tzinfo=UTC).timestamp()) * 10**9
    outcomes = [
        Outcome(f"o{at}", "p", Stratum(), Stage.PRODUCTION, "leipzig", "r", late + at, True, "j")
        for at in (0, 3600 * 10**9)
    ]
    assert len(set(tabulate(outcomes).days)) == 2
    assert len(set(tabulate(outcomes, time_zones={"leipzig": "Europe/Berlin"}).days)) == 1


rows = st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.booleans()), min_size=1, max_size=50)


@settings(deadline=None)
@given(rows, st.floats(0, 1))
def test_the_split_always_adds_up(made, baseline):
    success, expected, unseen = (np.array(column) for column in zip(*made, strict=True))
    split = divide(success.astype(float), expected, unseen, baseline)
    assert split.mix + split.mechanism + split.unseen == pytest.approx(split.loss, abs=1e-12)


def test_the_split_by_hand():
    success, expected = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.9, 0.9, 0.5, 0.9])
    split = divide(success, expected, np.array([False, False, False, True]), 0.9)
    assert split.loss == pytest.approx(0.65)
    assert split.mix == pytest.approx(0.4 / 4)
    assert split.mechanism == pytest.approx((-0.1 + 0.9 + 0.5) / 4)
    assert split.unseen == pytest.approx(0.9 / 4)


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("lighting", Gap.ENVIRONMENT), ("bin", Gap.EDGE_CASES), ("operator", Gap.CONDITIONS), ("robot", Gap.HARDWARE),
        ("latency", Gap.INFRASTRUCTURE), ("judged_by", Gap.LABELS), ("moon", Gap.UNKNOWN),
    ],
)  # fmt: skip
def test_names_name_gaps(name, gap):
    assert name_gap(name) is gap


def test_every_gap_has_a_fix_for_never_covered_and_for_changed():
    assert set(FIX) == set(Gap)
    assert all(len(fixes) == 2 for fixes in FIX.values())
    never, changed = (fix(Gap.ENVIRONMENT, Stratum.of(lighting="dim"), never_covered=x) for x in (True, False))
    assert (never.code, changed.code) == ("diagnose.fix_collect", "diagnose.fix_restore")
    assert write_sentence(never) == "Collect demonstrations with lighting dim."


def test_factors_that_are_not_logged_are_listed():
    assert "temperature" in unlogged_factors(["lighting"])
    assert "lighting" not in unlogged_factors(["lighting"])
    assert unlogged_factors(GAP_OF) == ()

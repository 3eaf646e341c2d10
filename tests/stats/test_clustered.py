"""A share from days: exact where days do not matter, honest where they do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from fieldloop.stats.clustered import Share, estimate_level_shares

MANY = 10**7


@given(st.integers(1, 300), st.data())
def test_without_clumping_the_interval_is_the_exact_one(trials, data):
    hits = data.draw(st.integers(0, trials))
    low, high = Share(hits / trials, hits, trials, float(trials), MANY).compute_interval(0.95)
    exact = binomtest(hits, trials).proportion_ci(0.95, "exact")
    assert (low, high) == pytest.approx((exact.low, exact.high), abs=1e-4)


def test_without_clumping_the_chance_is_the_exact_tail():
    share = Share(0.2, 20, 100, 100.0, MANY)
    assert share.compute_chance_beyond(0.05, 0.1, 0.95) == pytest.approx(binom.sf(19, 100, 0.1), rel=1e-4)
    assert share.compute_chance_beyond(0.3, 0.4, 0.95) == pytest.approx(binom.cdf(20, 100, 0.3), rel=1e-4)
    assert share.compute_chance_beyond(0.1, 0.3, 0.95) == 1.0


def test_intervals_cover_the_truth_though_days_differ():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        rates = rng.beta(0.2 * 9, 0.8 * 9, 12)
        hits = rng.binomial(50, rates)
        low, high = estimate_level_shares(np.column_stack([hits, 50 - hits]).astype(float), 10.0)[0].compute_interval(
            0.95
        )
        covered += low <= 0.2 <= high
    assert covered >= 0.93 * 400


def test_no_days_no_picks_and_one_day_say_nothing():
    assert estimate_level_shares(np.zeros((0, 2)), 10.0)[0].days == 0
    assert estimate_level_shares(np.zeros((4, 2)), 10.0)[0].trials == 0
    low, high = estimate_level_shares(np.array([[30.0, 70.0]]), 10.0)[0].compute_interval(0.95)
    assert low < 0.01
    assert high > 0.99


def test_where_nothing_varies_picks_are_taken_to_be_alike():
    steady = estimate_level_shares(np.tile([50.0, 0.0], (20, 1)), 10.0)
    assert [x.effective for x in steady] == [100.0, 100.0]
    few = estimate_level_shares(np.tile([2.0, 0.0], (20, 1)), 10.0)
    assert few[0].effective == 20.0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=12))
def test_shares_are_never_worth_more_than_their_picks(rows):
    counted = estimate_level_shares(np.array(rows, dtype=float), 10.0)
    for share in counted:
        assert share.effective <= max(share.trials, 0) + 1e-9
        low, high = share.compute_interval(0.9) if share.trials else (0.0, 1.0)
        assert low <= share.rate <= high

"""Two rates compared: published intervals, exact tails, and looks repeated daily."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from fieldloop.errors import BadInput
from fieldloop.stats.difference import (
    compute_anytime_threshold,
    compute_difference_interval,
    compute_difference_lower_bound,
    compute_drop_p_value,
    compute_drop_score,
)

counts = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [  # Newcombe 1998 (interval estimation for the difference), table II, method 10
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ],
)
def test_newcombe_gives_published_values(ours, theirs, expected):
    assert compute_difference_interval(ours, theirs) == pytest.approx(expected, abs=5e-5)


@settings(deadline=None)
@given(counts, counts)
def test_swapping_the_arms_mirrors_the_interval(ours, theirs):
    low, high = compute_difference_interval(ours, theirs)
    assert compute_difference_interval(theirs, ours) == pytest.approx((-high, -low))
    assert -1.0 <= compute_difference_lower_bound(ours, theirs) <= high


@settings(deadline=None)
@given(counts, counts)
def test_chance_of_a_drop_is_fishers(after, before):
    table = [[after[0], after[1] - after[0]], [before[0], before[1] - before[0]]]
    assert compute_drop_p_value(after, before) == pytest.approx(fisher_exact(table, "less").pvalue, abs=1e-9)


def test_no_loss_is_shown_by_enough_equal_trials_and_not_by_few():
    assert compute_difference_lower_bound((90, 100), (90, 100)) < -0.05
    assert compute_difference_lower_bound((900, 1000), (900, 1000)) > -0.05


def test_nothing_tried_is_never_a_drop():
    assert compute_drop_score((0, 0), (9, 10)) == 0.0
    assert compute_anytime_threshold(0, 10, 200) == math.inf
    assert compute_drop_score((10, 10), (10, 10)) == 0.0


def test_looking_after_every_ten_episodes_rarely_sees_a_drop_that_is_none():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        ours, theirs = rng.binomial(10, 0.85, 60).cumsum(), rng.binomial(90, 0.85, 60).cumsum()
        wrong += any(
            compute_drop_score((int(ours[k]), 10 * k + 10), (int(theirs[k]), 90 * k + 90))
            > compute_anytime_threshold(10 * k + 10, 90 * k + 90, 200)
            for k in range(60)
        )
    assert wrong / 300 <= 0.05


def test_the_threshold_is_lowest_near_where_it_was_tuned():
    at = {n: compute_anytime_threshold(n, 10**9, 200) for n in (20, 200, 2000)}
    assert at[20] > at[200]
    assert at[200] < at[2000] < at[20]
    assert at[200] > 1.645


@pytest.mark.parametrize("level", [0.5, 1.0, 95.0])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(BadInput):
        compute_anytime_threshold(10, 10, 200, level)

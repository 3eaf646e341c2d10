"""Bounds on a success rate, against published values, exact tails and their own promise of coverage."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from fieldloop.errors import BadInput
from fieldloop.stats.binomial import (
    compute_lower_bound,
    compute_upper_bound,
    compute_wilson_interval,
    count_more_trials_needed,
)

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (85, 100, (0.7672, 0.9069)),
        (15, 148, (0.0624, 0.1605)),  # Newcombe 1998, table I: Wilson without continuity correction 0.0624, 0.1605
        (81, 263, (0.2553, 0.3662)),  # Newcombe 1998: 0.2553, 0.3662
        (0, 20, (0.0, 0.1611)),  # Newcombe 1998: 0, 0.1611
        (1, 29, (0.0061, 0.1718)),  # Newcombe 1998: 0.0061, 0.1718
    ],
)
def test_wilson_gives_published_values(successes, trials, expected):
    assert compute_wilson_interval(successes, trials) == pytest.approx(expected, abs=5e-5)


def test_nothing_tried_is_nothing_known():
    assert compute_wilson_interval(0, 0) == (0.0, 1.0)
    assert compute_lower_bound(0, 0) == 0.0
    assert compute_upper_bound(0, 0) == 1.0


@settings(deadline=None)
@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_scipys(count, level):
    expected = binomtest(*count).proportion_ci(level, method="wilson")
    assert compute_wilson_interval(*count, level) == pytest.approx((expected.low, expected.high), abs=1e-9)


@settings(deadline=None)
@given(counts)
def test_exact_bounds_are_where_the_tail_is_five_percent(count):
    successes, trials = count
    low, high = compute_lower_bound(successes, trials), compute_upper_bound(successes, trials)
    assert low <= successes / trials <= high
    if successes:
        assert binom.sf(successes - 1, trials, low) == pytest.approx(0.05, rel=1e-6)
    if successes < trials:
        assert binom.cdf(successes, trials, high) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize("rate", [0.5, 0.85, 0.99])
def test_the_true_rate_is_below_the_bound_at_most_five_percent_of_the_time(rate):
    wrong = sum(binom.pmf(k, 100, rate) for k in range(101) if compute_lower_bound(k, 100) > rate)
    assert wrong <= 0.05


@settings(deadline=None)
@given(counts)
def test_success_and_failure_mirror_each_other(count):
    successes, trials = count
    low, high = compute_wilson_interval(successes, trials)
    assert compute_wilson_interval(trials - successes, trials) == pytest.approx((1 - high, 1 - low))


@settings(deadline=None, max_examples=60)
@given(counts, st.sampled_from([0.5, 0.7, 0.85, 0.95]))
def test_trials_needed_suffice_and_no_nearby_smaller_number_does(count, target):
    successes, trials = count
    more = count_more_trials_needed(successes, trials, target)
    if more is None:
        rate = successes / trials
        assert rate <= target or compute_lower_bound(math.floor(rate * 10**6), 10**6) < target
        return
    total = trials + more
    seen = math.floor(successes / trials * total + 1e-9)
    assert compute_lower_bound(seen, total) >= target
    if more:
        assert compute_lower_bound(math.floor(successes / trials * (total - 1) + 1e-9), total - 1) < target


def test_trials_needed_when_nothing_was_tried_is_the_fewest_that_could_do():
    assert count_more_trials_needed(0, 0, 0.85) == 19  # 0.85 ** 19 < 0.05 <= 0.85 ** 18


def test_trials_needed_never_ends_at_or_below_the_target():
    assert count_more_trials_needed(85, 100, 0.85) is None
    assert count_more_trials_needed(10, 100, 0.85) is None
    assert count_more_trials_needed(5, 5, 1.0) is None


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (1, 0)])
def test_counts_that_cannot_be_are_refused(successes, trials):
    for ask in (compute_wilson_interval, compute_lower_bound, compute_upper_bound):
        with pytest.raises(BadInput):
            ask(successes, trials)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, math.nan])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(BadInput, match="level"):
        compute_wilson_interval(1, 2, level)

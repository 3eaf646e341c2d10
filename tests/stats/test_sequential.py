"""Sequential tests of two rates: exact by enumeration, within α at every rate, and as good as the best known test."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.protocol.boundaries import read_boundaries
from fieldloop.stats.sequential import (
    Boundary,
    Futility,
    Margin,
    Pair,
    Scenes,
    bound_size,
    calibrate_boundary,
    compute_interval,
    compute_miss_chances,
    compute_operating_characteristics,
    compute_sizes,
    pair_with_correlation,
)

ALPHA = 0.05
COMPUTED = read_boundaries()
SHIPPED = {
    (row.scenes, row.max_pairs): Boundary(Scenes(row.scenes), row.max_pairs, row.shape, row.at, row.heights)
    for row in COMPUTED.rows
}
SMALL = [key for key in SHIPPED if key[1] <= 200]
LARGE = [key for key in SHIPPED if key[1] > 200]
STEP = {(0.85, 0.80): (0.312, 173.5), (0.90, 0.80): (0.824, 119.2), (0.80, 0.70): (0.673, 138.8)}
"""Power and mean pairs of STEP at 200 pairs, computed exactly from its decision table (figures only)."""
STEP_EQUAL_PAIRS = 190.4
STOPS = Futility(0.3, 0.2, Margin(1.0, 0.5))
RESULTS = {(0, 0): "neither", (1, 0): "only_candidate", (0, 1): "only_other", (1, 1): "both"}
UNPAIRED = SHIPPED["unpaired", 200]
MARGIN = Margin(*COMPUTED.margins["unpaired"])


def tiny(scenes, heights=(1.2, 1.4), pairs=4):
    return Boundary(scenes, pairs, 0.3, (0.1, 0.5), heights)


def enumerate_walks(boundary, pair, futility=None):
    """Play every possible sequence of pairs, the slow way."""
    ends = {"better": 0.0, "worse": 0.0, "futile": 0.0}
    mean = 0.0
    for walk in itertools.product(RESULTS, repeat=boundary.max_pairs):
        chance = np.prod([getattr(pair, RESULTS[result]) for result in walk])
        d = s = 0
        for t, (candidate, other) in enumerate(walk, start=1):
            d += candidate - other
            s += candidate + other if boundary.scenes is Scenes.UNPAIRED else candidate != other
            if abs(d) >= boundary.list_leads()[t - 1][s]:
                ends["better" if d > 0 else "worse"] += chance
                break
            if t == boundary.max_pairs:
                break
            if futility and futility.find_futile(boundary, t, np.array([s]), np.array([d]))[0]:
                ends["futile"] += chance
                break
        mean += chance * t
    return [*ends.values(), mean]


@pytest.mark.parametrize("scenes", Scenes)
@pytest.mark.parametrize("futility", [None, STOPS, replace(STOPS, direction=-1)])
@pytest.mark.parametrize("rates", [(0.5, 0.5, 0.0), (0.9, 0.6, 0.2), (0.3, 0.8, 0.0)])
def test_operating_characteristics_are_those_of_every_possible_sequence(scenes, futility, rates):
    boundary, pair = tiny(scenes), pair_with_correlation(*rates)
    found = compute_operating_characteristics(boundary, pair, futility)
    slow = enumerate_walks(boundary, pair, futility)
    assert [found.better, found.worse, found.futile, found.mean_pairs] == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize("scenes", Scenes)
def test_sizes_are_those_of_every_possible_sequence(scenes):
    boundary = tiny(scenes)
    for rate in (0.0, 0.05, 0.3, 0.5, 0.8, 1.0):
        same = pair_with_correlation(rate, rate)
        if scenes is Scenes.PAIRED:
            same = Pair(1 - rate, rate / 2, rate / 2, 0.0)
        assert compute_sizes(boundary, np.array([rate]))[0] == pytest.approx(enumerate_walks(boundary, same)[0])


@settings(max_examples=30)
@given(st.sampled_from(SMALL), st.floats(0.001, 0.999))
def test_a_size_is_the_power_where_both_rates_are_the_same(key, rate):
    boundary = SHIPPED[key[0], 50]
    same = pair_with_correlation(rate, rate)
    seen = rate if boundary.scenes is Scenes.UNPAIRED else 2 * same.only_other
    found = compute_operating_characteristics(boundary, same)
    assert found.better == pytest.approx(found.worse)
    assert compute_sizes(boundary, np.array([seen]))[0] == pytest.approx(found.better, abs=1e-9)


@pytest.mark.parametrize("key", SMALL)
def test_neither_verdict_errs_more_often_than_alpha_at_any_rate(key):
    rates = np.concatenate([[0.001, 0.002, 0.005], np.linspace(0.01, 0.99, 250), [0.995, 0.999]])
    sizes = compute_sizes(SHIPPED[key], rates)
    bound = bound_size(SHIPPED[key])
    assert sizes.max() <= bound <= ALPHA
    assert bound < sizes.max() + 0.0006
    assert sizes[40:210].min() > 0.85 * ALPHA, "a test that hardly ever errs wastes pairs"


@pytest.mark.soak
@pytest.mark.parametrize("key", LARGE)
def test_neither_verdict_of_a_long_test_errs_more_often_than_alpha(key):
    assert bound_size(SHIPPED[key]) <= ALPHA


@pytest.mark.parametrize("scenes", Scenes)
def test_the_shipped_boundary_is_what_the_computation_gives(scenes):
    again = calibrate_boundary(scenes, 50, COMPUTED.shape, ALPHA, COMPUTED.at[scenes])
    assert SHIPPED[scenes, 50].heights == pytest.approx(again.heights, abs=2e-4)


@pytest.mark.soak
@pytest.mark.parametrize("key", [key for key in SHIPPED if 50 < key[1] <= 300])
def test_a_longer_boundary_is_what_the_computation_gives(key):
    again = calibrate_boundary(Scenes(key[0]), key[1], COMPUTED.shape, ALPHA, COMPUTED.at[key[0]])
    assert SHIPPED[key].heights == pytest.approx(again.heights, abs=2e-4)


@pytest.mark.parametrize(("rates", "step"), STEP.items())
def test_power_and_pairs_are_those_of_the_best_known_test(rates, step):
    pair = pair_with_correlation(*rates)
    plain = compute_operating_characteristics(UNPAIRED, pair)
    assert plain.better >= 0.98 * step[0]
    assert plain.mean_pairs <= 1.02 * step[1]
    shipped = compute_operating_characteristics(UNPAIRED, pair, Futility(0.1, 0.06, MARGIN))
    assert shipped.better >= 0.98 * step[0]
    assert shipped.mean_pairs <= step[1]


def test_equal_versions_cost_at_most_six_tenths_of_the_pairs():
    same = compute_operating_characteristics(UNPAIRED, pair_with_correlation(0.8, 0.8), Futility(0.1, 0.06, MARGIN))
    assert same.mean_pairs <= 0.6 * STEP_EQUAL_PAIRS
    assert same.better <= ALPHA


def test_waiting_ends_early_where_a_difference_worth_waiting_for_is_refuted():
    """Two versions that nearly always do the same thing are soon known to be alike."""
    futility = Futility(0.1, 0.06, Margin(*COMPUTED.margins["paired"]))
    alike = pair_with_correlation(0.8, 0.8, 0.9)
    found = compute_operating_characteristics(SHIPPED["paired", 200], alike, futility)
    assert found.mean_pairs < 100
    assert found.futile > 0.95


def test_correlation_of_paired_scenes_gives_power_and_saves_pairs():
    found = [
        compute_operating_characteristics(SHIPPED["paired", 200], pair_with_correlation(0.9, 0.8, rho))
        for rho in (0.0, 0.2, 0.4, 0.6)
    ]
    assert all(a.better < b.better and a.mean_pairs > b.mean_pairs for a, b in itertools.pairwise(found))
    unpaired = compute_operating_characteristics(UNPAIRED, pair_with_correlation(0.9, 0.8))
    assert found[0].better == pytest.approx(unpaired.better, abs=0.01), "without correlation, nothing is lost"


@settings(max_examples=30)
@given(
    st.sampled_from([("unpaired", 50), ("paired", 50)]), st.floats(0.02, 0.98), st.floats(0.02, 0.98),
    st.sampled_from([None, 1, -1]),
)  # fmt: skip
def test_versions_that_change_places_change_the_verdict(key, first, second, direction):
    futility = Futility(0.1, 0.06, MARGIN, direction) if direction else None
    turned = Futility(0.1, 0.06, MARGIN, -direction) if direction else None
    found = compute_operating_characteristics(SHIPPED[key], pair_with_correlation(first, second), futility)
    swapped = compute_operating_characteristics(SHIPPED[key], pair_with_correlation(second, first), turned)
    assert found.better == pytest.approx(swapped.worse)
    assert (found.futile, found.mean_pairs) == pytest.approx((swapped.futile, swapped.mean_pairs))


@given(st.sampled_from(Scenes), st.floats(1.0, 3.0), st.floats(1.0, 1.5), st.floats(0.01, 0.99))
def test_a_higher_boundary_errs_less(scenes, height, factor, rate):
    low = tiny(scenes, (height, height), 12)
    high = replace(low, heights=(factor * height,) * 2)
    assert compute_sizes(high, np.array([rate]))[0] <= compute_sizes(low, np.array([rate]))[0] + 1e-12


@settings(max_examples=30)
@given(st.sampled_from([("unpaired", 50), ("paired", 50)]), st.floats(0.05, 0.9), st.floats(0.0, 0.09))
def test_a_larger_difference_is_found_more_often(key, other, gain):
    small, large = (
        compute_operating_characteristics(SHIPPED[key], pair_with_correlation(other + gain * k, other))
        for k in (0.5, 1)
    )
    assert large.better >= small.better - 1e-9


@given(st.sampled_from([("unpaired", 50), ("paired", 50)]), st.data())
def test_an_interval_holds_the_observed_difference_and_excludes_zero_with_the_verdict(key, data):
    boundary, margin = SHIPPED[key], Margin(*COMPUTED.margins[key[0]])
    t = data.draw(st.integers(1, 50))
    won = data.draw(st.integers(0, t))
    lost = data.draw(st.integers(0, t - won))
    both = data.draw(st.integers(0, t - won - lost))
    s = won + lost + (2 * both if boundary.scenes is Scenes.UNPAIRED else 0)
    low, high = compute_interval(boundary, margin, t, s, won - lost)
    assert -1 <= low <= (won - lost) / t + 5e-4
    assert (won - lost) / t - 5e-4 <= high <= 1
    decided = abs(won - lost) >= boundary.list_leads()[t - 1][s]
    assert (low >= 0 or high <= 0) == decided or low == high == 0
    mirrored = compute_interval(boundary, margin, t, s, lost - won)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


PLACES = [(p, d) for p in (0.01, 0.05, 0.15, 0.3, 0.5) for d in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.95)]


def list_true_differences(scenes):
    """Pairs all over: rates near 0 and in the middle, differences from none to nearly all."""
    if scenes is Scenes.UNPAIRED:
        return [pair_with_correlation(p + d / 2, p - d / 2) for p, d in PLACES if d / 2 <= p and p + d / 2 <= 1]
    ways = [(q, w) for q in (0.01, 0.05, 0.2, 0.5, 0.8, 0.95) for w in (0.0, 0.4, 0.8, 0.95, 1.0)]
    return [Pair(1 - q, q * (1 + w) / 2, q * (1 - w) / 2, 0.0) for q, w in ways]


@pytest.mark.parametrize("scenes", Scenes)
def test_neither_bound_of_the_interval_misses_more_often_than_alpha(scenes):
    boundary, margin = SHIPPED[scenes, 50], Margin(*COMPUTED.margins[scenes])
    for pair in list_true_differences(scenes):
        assert max(compute_miss_chances(boundary, margin, pair)) <= ALPHA, pair


@pytest.mark.soak
@pytest.mark.parametrize("scenes", Scenes)
@pytest.mark.parametrize("pairs", [200, 500])
def test_neither_bound_of_a_long_test_misses_more_often_than_alpha(scenes, pairs):
    boundary, margin = SHIPPED[scenes, pairs], Margin(*COMPUTED.margins[scenes])
    for pair in list_true_differences(scenes):
        assert max(compute_miss_chances(boundary, margin, pair)) <= ALPHA, pair


def test_before_the_first_pair_everything_is_possible():
    assert compute_interval(UNPAIRED, Margin(1.0, 1.0), 0, 0, 0) == (-1.0, 1.0)

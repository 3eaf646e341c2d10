"""How far groups lie apart: bounds that hold as often as they say, also where nothing is normal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldloop.errors import BadInput
from fieldloop.stats import groups
from fieldloop.stats.groups import compute_normal_scores, measure_group_effect


def drawn(random, truth, sizes, noise=None):
    """Values of groups whose means lie the given root mean square apart, weighted by their sizes."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    means = random.normal(size=len(sizes))
    means -= np.average(means, weights=sizes)
    means *= truth / np.sqrt(np.average(means**2, weights=sizes)) if truth else 0.0
    error = random.normal(size=len(labels)) if noise is None else noise(len(labels))
    return means[labels] + error, labels.astype(str).tolist()


@pytest.mark.parametrize(("truth", "sizes"), [(0.5, (24, 24, 24, 24)), (1.0, (10, 20, 30)), (0.3, (8,) * 12)])
def test_the_truth_lies_beyond_a_bound_as_rarely_as_promised(truth, sizes):
    random = np.random.default_rng(1)
    found = [measure_group_effect(*drawn(random, truth, sizes)) for _ in range(200)]
    for missed in (sum(f.low > truth for f in found), sum(f.high < truth for f in found)):
        assert missed <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_groups_that_are_one_are_rarely_called_apart_whatever_the_distribution():
    random = np.random.default_rng(2)
    heavy = [
        measure_group_effect(compute_normal_scores(values), labels)
        for values, labels in (drawn(random, 0.0, (15,) * 4, random.standard_cauchy) for _ in range(200))
    ]
    assert sum(f.low > 0.0 for f in heavy) <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5
    assert np.mean([f.chance < 0.05 for f in heavy]) == pytest.approx(0.05, abs=0.05)


def test_averages_taken_out_before_do_not_make_groups_look_alike():
    random = np.random.default_rng(3)
    missed = 0
    for _ in range(200):
        values, labels = drawn(random, 0.0, (12,) * 16)
        person = np.asarray([int(name) % 4 for name in labels])
        less = values - (np.bincount(person, weights=values) / np.bincount(person))[person]
        missed += measure_group_effect(less, labels, removed=3).chance < 0.05
    assert missed / 200 == pytest.approx(0.05, abs=0.05)


def test_large_samples_do_not_break_the_bounds():
    found = measure_group_effect(*drawn(np.random.default_rng(4), 1.5, (2000,) * 4), low_level=0.999, high_level=0.999)
    assert found.low < 1.5 < found.high
    assert found.high - found.low < 0.15


@pytest.mark.parametrize(("freedom", "inside", "centre", "ratio"), [(3, 92, 200.0, 60.0), (11, 180, 500.0, 45.0)])
def test_the_approximation_agrees_with_the_exact_series(freedom, inside, centre, ratio, monkeypatch):
    exact = groups._compute_noncentral_f_cdf(ratio, freedom, inside, centre)
    monkeypatch.setattr(groups, "MOST_EXACT", 0.0)
    assert groups._compute_noncentral_f_cdf(ratio, freedom, inside, centre) == pytest.approx(exact, abs=0.005)


def test_the_farthest_group_is_named_with_its_sign():
    found = measure_group_effect(np.asarray([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 0.05, 0.15, 0.1]), list("aaabbbccc"))
    assert found.farthest_group[0] == "b"
    assert found.farthest_group[1] > 0


@pytest.mark.parametrize("labels", ["aaaa", "abcd"], ids=["one group", "each once"])
def test_nothing_to_compare_is_none(labels):
    assert measure_group_effect(np.arange(4.0), list(labels)) is None


def test_values_without_spread_are_none():
    assert measure_group_effect(np.ones(6), list("aaabbb")) is None


def test_every_value_needs_a_label():
    with pytest.raises(BadInput, match="4 values have 2 labels"):
        measure_group_effect(np.arange(4.0), ["a", "b"])


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40))
def test_scores_depend_on_order_alone(values):
    once = compute_normal_scores(np.asarray(values))
    again = compute_normal_scores(np.asarray(values) * 2.0)
    assert np.allclose(once, again)
    assert np.all(np.isfinite(once))

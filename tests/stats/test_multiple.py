"""Adjusted p-values, against SciPy and against what they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from fieldloop.errors import BadInput
from fieldloop.stats.multiple import adjust_by_benjamini_hochberg, adjust_by_holm

p_lists = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40)


@settings(deadline=None)
@given(p_lists)
def test_benjamini_hochberg_is_scipys(p):
    assert adjust_by_benjamini_hochberg(p) == pytest.approx(false_discovery_control(p, method="bh"))


def test_holm_gives_the_published_example():
    assert adjust_by_holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(deadline=None)
@given(p_lists)
def test_adjusting_never_helps_and_keeps_the_order(p):
    for adjusted in (adjust_by_benjamini_hochberg(p), adjust_by_holm(p)):
        assert np.all(adjusted >= np.asarray(p) - 1e-12)
        assert np.all(adjusted <= 1.0)
        assert np.all(np.diff(adjusted[np.argsort(p)]) >= -1e-12)
    assert np.all(adjust_by_holm(p) >= adjust_by_benjamini_hochberg(p) - 1e-12)


def test_of_pure_chance_little_is_named():
    rng = np.random.default_rng(1)
    named = [(adjust_by_holm(rng.random(50)) <= 0.05).any() for _ in range(400)]
    assert np.mean(named) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_no_questions_no_answers():
    assert adjust_by_benjamini_hochberg([]).tolist() == []
    assert adjust_by_holm([]).tolist() == []


@pytest.mark.parametrize("bad", [[-0.1], [1.2], [float("nan")]])
def test_what_is_no_p_value_is_refused(bad):
    with pytest.raises(BadInput):
        adjust_by_holm(bad)

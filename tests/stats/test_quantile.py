"""Quantiles are NumPy's own, to the last bit."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldloop.stats.quantile import compute_median, compute_percentile, compute_percentiles

COLUMNS = st.integers(1, 40).flatmap(
    lambda n: st.one_of(
        arrays(np.float64, n, elements=st.floats(-1e12, 1e12)),
        arrays(np.int64, n, elements=st.integers(-(2**60), 2**60)),
    )
)


@given(COLUMNS, st.floats(0, 100))
def test_percentile_is_numpys(values, percent):
    assert compute_percentile(values, percent) == float(np.percentile(values, percent))


@given(COLUMNS)
def test_several_at_once_are_each_alone(values):
    assert compute_percentiles(values, (1, 25, 50, 99)) == tuple(compute_percentile(values, p) for p in (1, 25, 50, 99))


@given(COLUMNS)
def test_median_is_numpys(values):
    assert compute_median(values) == float(np.median(values))


def test_not_a_number_is_not_passed_over():
    values = np.array([1.0, math.nan, 3.0])
    assert math.isnan(compute_median(values))
    assert math.isnan(compute_percentile(values, 10))


def test_the_column_stays_as_it_was():
    values = np.array([3.0, 1.0, 2.0])
    values.setflags(write=False)
    assert (compute_median(values), compute_percentile(values, 100)) == (2.0, 3.0)
    assert values.tolist() == [3.0, 1.0, 2.0]

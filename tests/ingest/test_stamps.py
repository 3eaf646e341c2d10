"""Which columns of numbers are clocks, in which unit, and whether they were measured or made up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldloop.ingest.stamps import find_resolution, find_stated_rate, parse_stamps

EPOCH_S = 1_700_000_000


@pytest.mark.parametrize("unit", [1, 1_000, 1_000_000, 1_000_000_000])
@pytest.mark.parametrize("start_s", [0, EPOCH_S])
@pytest.mark.parametrize("hz", [5, 100])
def test_the_unit_is_inferred_from_what_is_plausible(unit, start_s, hz):
    wanted = start_s * 10**9 + (np.arange(50) * (10**9 // hz))
    stored = wanted // unit if unit < 10**9 else wanted / 1e9
    told = parse_stamps("timestamp", np.asarray(stored))
    assert np.abs(told.times_ns - wanted).max() < max(unit if unit < 10**9 else 1, 300)
    assert "plausible" in told.how


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nan, 2.0],
        np.zeros(5),
        ["a", "b"],
        np.arange(50),  # a row's number
        np.arange(50) * 1e14,  # a row a day, even in nanoseconds
        0.02 + np.random.default_rng(0).normal(0, 0.002, 50),  # how long a loop took: it does not rise
        10 - np.arange(50) / 50,  # how long is left
        np.full(5, np.iinfo(np.uint64).max),
        np.arange(5) * 1e300,
        [3.0],
        [],
    ],
)
def test_numbers_that_can_be_no_stamps_are_not_taken_for_some(values):
    assert parse_stamps("time", np.asarray(values)) is None


def test_a_clock_that_was_set_back_once_is_still_one():
    real = np.cumsum(np.random.default_rng(0).uniform(0.015, 0.025, 100))
    real[60:] -= 0.5
    told = parse_stamps("timestamp", real)
    assert told.measured
    assert (np.diff(told.times_ns) < 0).sum() == 1


MADE_UP = {
    "seconds": lambda i, hz: i / hz,
    "a sum of seconds": lambda i, hz: np.cumsum(np.full(len(i), 1 / hz)),
    "float32": lambda i, hz: (i / hz).astype(np.float32),
    "a sum of float32": lambda i, hz: np.cumsum(np.full(len(i), 1 / hz, np.float32), dtype=np.float32),
    "float32 kept as float64": lambda i, hz: (i / hz).astype(np.float32).astype(np.float64),
    "milliseconds, cut": lambda i, hz: i * 1000 // hz,
    "milliseconds, cut, in ns": lambda i, hz: i * 1000 // hz * 1_000_000,
    "rounded to milliseconds": lambda i, hz: np.round(i / hz, 3),
    "microseconds of this century": lambda i, hz: EPOCH_S * 10**6 + np.round(i * 1e6 / hz).astype(np.int64),
    "seconds of this century": lambda i, hz: EPOCH_S + i / hz,
    "ns of this century through float64": lambda i, hz: ((EPOCH_S + i / hz) * 1e9).astype(np.int64),
}


@pytest.mark.parametrize("way", MADE_UP)
@settings(max_examples=25, deadline=None)
@given(st.integers(3, 4000), st.sampled_from([10, 15, 24, 25, 30, 50, 60]))
def test_row_numbers_over_a_rate_are_made_up_however_they_were_rounded(way, rows, hz):
    told = parse_stamps("timestamp", MADE_UP[way](np.arange(rows), hz))
    assert told is not None
    assert not told.measured


@pytest.mark.parametrize(
    "store",
    [
        lambda s: s,
        lambda s: s.astype(np.float32),
        lambda s: EPOCH_S + s,
        lambda s: (s * 1e9).astype(np.int64),
        lambda s: (s * 1000).astype(np.int64),
        lambda s: np.round(s, 3),
    ],
)
def test_stamps_that_jitter_by_more_than_the_column_can_tell_are_measured(store):
    random = np.random.default_rng(3)
    stored = store(np.arange(1, 1800) / 30 + random.uniform(0, 0.004, 1799))
    assert parse_stamps("timestamp", stored).measured


def test_a_rate_stated_elsewhere_refuses_what_is_far_from_it():
    counter = np.arange(50) * 2
    assert parse_stamps("timestamp", counter, hz=30) is None
    assert parse_stamps("timestamp", np.arange(50) * 33, hz=30).times_ns[1] == 33_000_000


@pytest.mark.parametrize(
    ("values", "finest"),
    [
        (np.asarray([0, 100, 250]), 10),
        (np.asarray([0.5, 1.0, 2.5]), 0.1),
        (np.asarray([1 / 3, 2 / 3]), np.spacing(2 / 3)),
        (np.asarray([1 / 3, 50.1], np.float32), np.spacing(np.float32(50.1))),
        (np.asarray([5, 3, 15], np.uint64), 1),
    ],
)
def test_what_a_column_can_tell_apart(values, finest):
    assert find_resolution(values) == pytest.approx(float(finest))


def test_rates_by_their_usual_names():
    assert find_stated_rate({"fps": "nonsense", "meta/control_hz": "15"}) == 15
    assert find_stated_rate({"rate": "-3", "hz": "inf"}) is None

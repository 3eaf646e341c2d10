"""Statistics of LeRobot datasets against NumPy, also where the values do not fit into memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from fieldloop.release.writers.lerobot.depth import DepthScale
from fieldloop.release.writers.lerobot.quantiles import (
    compute_quantiles,
    compute_quantiles_by_walk,
    compute_quantiles_in_memory,
)
from fieldloop.release.writers.lerobot.stats import PictureStats, ValueStats, compute_stats

SHARES = [0.01, 0.1, 0.5, 0.9, 0.99]
TYPES = ["float32", "float64", "int64", "int16", "uint8", "uint64", "bool"]


@st.composite
def rows(draw):
    kind = draw(st.sampled_from(TYPES))
    shape = (draw(st.integers(1, 60)), draw(st.integers(1, 3)))
    width = 8 * np.dtype(kind).itemsize
    numbers = st.floats(width=width, min_value=-(2.0**99), max_value=2.0**99) | st.sampled_from(
        [np.nan, np.inf, 0.0, -0.0, 1.0]
    )
    return draw(arrays(kind, shape, elements=numbers if kind.startswith("float") else None))


@given(rows(), st.integers(1, 20))
def test_walking_finds_what_sorting_finds(values, at_once):
    parts = [values[i : i + at_once] for i in range(0, len(values), at_once)]
    np.testing.assert_allclose(
        compute_quantiles_by_walk(lambda: iter(parts), values.shape[1], SHARES),
        compute_quantiles_in_memory(values, SHARES),
    )


@given(rows())
def test_held_quantiles_are_those_of_numpy_over_what_is_finite(values):
    wanted = []
    for column in values.T.astype(float):
        fit = column[np.isfinite(column)]
        wanted.append(np.quantile(fit, SHARES) if len(fit) else np.full(5, np.nan))
    np.testing.assert_allclose(compute_quantiles_in_memory(values, SHARES), np.stack(wanted, axis=1))


def test_many_values_are_walked_through_and_many_columns_too(monkeypatch):
    monkeypatch.setattr("fieldloop.release.writers.lerobot.quantiles.HELD_VALUES", 1000)
    values = np.random.default_rng(0).normal(size=(3000, 15)).astype(np.float32)
    walks = []

    def walk():
        walks.append(1)
        return np.array_split(values, 7)

    np.testing.assert_allclose(
        compute_quantiles(walk, 3000, 15, SHARES), np.quantile(values.astype(float), SHARES, axis=0)
    )
    assert len(walks) > 2


@given(
    st.lists(
        arrays(np.float64, array_shapes(min_dims=1, max_dims=1, max_side=8), elements=st.floats(-1e6, 1e6)), min_size=1
    )
)
def test_merged_means_are_the_mean_of_all(parts):
    seen = ValueStats(1)
    for part in parts:
        seen.add_rows(part[:, None])
    whole = np.concatenate(parts)
    got = seen.compute_stats(np.zeros((5, 1)))
    assert got["count"] == [len(whole)]
    for name, wanted in {"min": whole.min(), "max": whole.max(), "mean": whole.mean(), "std": whole.std()}.items():
        assert got[name][0] == pytest.approx(wanted, rel=1e-9, abs=1e-6)


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))))
def test_picture_statistics_count_every_pixel(picture):
    seen = PictureStats()
    seen.add_picture(picture)
    levels = picture.reshape(-1, 3) / 255
    got, wanted = seen.compute_stats(), compute_stats(levels)
    for name in ("min", "max", "mean", "std"):
        np.testing.assert_allclose(np.ravel(got[name]), wanted[name], atol=1e-9)
    np.testing.assert_allclose(np.ravel(got["q50"]), np.quantile(levels, 0.5, axis=0, method="inverted_cdf"))


@given(arrays(np.float32, (4, 5), elements=st.floats(np.float32(0.01), 10, width=32)))
def test_a_distance_comes_back_within_half_a_step(metres):
    scale = DepthScale()
    assert np.abs(scale.convert_to_metres(scale.quantise(metres)) - metres).max() <= 0.0022
    assert (scale.missing, scale.outside) == (0, 0)

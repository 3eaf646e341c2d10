"""What a normaliser feels: pooled moments equal those of all values, and shifts are in deviations of the older side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fieldloop.release.felt import GRID, compare_features, merge_sketches, sketch_recording, sketch_values
from fieldloop.testing import synthetic

parts = st.lists(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.just(2)), elements=st.floats(-1e6, 1e6)),
    min_size=1,
    max_size=6,
)


@given(parts)
def test_pooled_moments_are_those_of_all_values(arrays):
    pooled = merge_sketches({"joints": sketch_values(one)} for one in arrays)["joints"]
    whole = np.concatenate(arrays)
    assert pooled.count.tolist() == [len(whole)] * 2
    assert pooled.mean == pytest.approx(whole.mean(axis=0), rel=1e-9, abs=1e-6)
    assert np.sqrt(pooled.squares / pooled.count) == pytest.approx(whole.std(axis=0), rel=1e-6, abs=1e-5)
    assert (np.diff(pooled.grid, axis=0) >= -1e-6).all()


def test_pooled_quantiles_are_near_those_of_all_values():
    random = np.random.default_rng(0)
    arrays = [random.normal(k, 1 + k, (200 + 50 * k, 1)) for k in range(12)]
    pooled = merge_sketches({"f": sketch_values(one)} for one in arrays)["f"]
    whole = np.concatenate(arrays)[:, 0]
    for share in (0.01, 0.5, 0.99):
        assert np.interp(share, GRID, pooled.grid[:, 0]) == pytest.approx(
            np.quantile(whole, share), abs=0.03 * whole.std()
        )


def test_a_shift_is_in_deviations_of_the_older_side():
    random = np.random.default_rng(1)
    old = random.normal(0, [1.0, 2.0, 1.0], (4000, 3))
    new = old + np.asarray([0.0, 1.0, 0.0])
    new[:, 2] *= 1.5
    shifts = compare_features({"f": sketch_values(old)}, {"f": sketch_values(new)}, 0.1)
    by_column = {one.column: one for one in shifts}
    assert by_column["0"].mean_shift == 0.0
    assert not by_column["0"].felt
    assert by_column["1"].mean_shift == pytest.approx(0.5, rel=0.05)
    assert by_column["2"].sd_ratio == pytest.approx(1.5)
    assert by_column["2"].q99_shift == pytest.approx(0.5 * 2.33, rel=0.1)
    assert [one.column for one in shifts][-1] == "0", "what is felt comes first"


def test_a_constant_column_has_no_deviations():
    flat, moved = np.full((9, 1), 3.0), np.full((9, 1), 4.0)
    (same,) = compare_features({"f": sketch_values(flat)}, {"f": sketch_values(flat)}, 0.1)
    (other,) = compare_features({"f": sketch_values(flat)}, {"f": sketch_values(moved)}, 0.1)
    assert (same.mean_shift, same.felt) == (None, False)
    assert (other.mean_shift, other.felt) == (None, True)


def test_values_that_are_not_finite_are_left_out():
    sketch = sketch_values(np.asarray([[1.0, np.nan], [3.0, np.inf]]))
    assert sketch.count.tolist() == [2, 0]
    assert sketch.mean.tolist() == [2.0, 0.0]


def test_a_recording_is_sketched_without_opening_pictures():
    sketches = sketch_recording(synthetic.make_healthy_recording(seed=1))
    assert "joints" in sketches
    assert not any(name.startswith("camera") for name in sketches)


def test_columns_are_matched_by_name():
    values = np.arange(40.0).reshape(20, 2)
    turned = sketch_values(values[:, ::-1], ("y", "x"))
    pooled = merge_sketches([{"f": sketch_values(values, ("x", "y"))}, {"f": turned}])["f"]
    assert (pooled.columns, pooled.mean.tolist()) == (("x", "y"), values.mean(axis=0).tolist())
    moved = sketch_values(values + 5.0, ("x", "z"))
    most = merge_sketches([{"f": turned}, {"f": moved}, {"f": moved}])["f"]
    assert (most.columns, most.count.tolist()) == (("x", "z"), [40.0, 40.0]), "columns of other names are not pooled"
    shifts = compare_features({"f": sketch_values(values, ("x", "y"))}, {"f": turned}, 0.1)
    assert {(one.column, one.mean_shift) for one in shifts} == {("x", 0.0), ("y", 0.0)}
    (only,) = compare_features({"f": turned}, {"f": moved}, 0.1)
    assert (only.column, only.after.mean - only.before.mean) == ("x", 5.0)

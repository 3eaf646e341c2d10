"""What a policy's normaliser would feel: how mean, spread and quantiles of every feature moved between two datasets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.model.episode import Recording
from fieldloop.model.release_diff import FeatureShift, Moments

Floats = NDArray[np.float64]
GRID = np.linspace(0.0, 1.0, 129)
"""Shares at which the values of one episode are kept; pooled over episodes they give quantiles of the dataset."""
QUANTILES = (0.01, 0.5, 0.99)
TINY = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSketch:
    """Finite values of one feature, by column: how many, their mean, squared deviations, and a grid of quantiles."""

    columns: tuple[str, ...]
    count: Floats
    mean: Floats
    squares: Floats
    grid: Floats


def sketch_recording(recording: Recording) -> dict[str, FeatureSketch]:
    """Sketch every stream of numbers; pictures are not opened."""
    return {
        name: sketch_values(stream.values, stream.columns)
        for name, stream in recording.streams.items()
        if stream.values is not None and len(stream.values) and stream.values.dtype.kind in "biuf"
    }


def sketch_values(values: NDArray[np.generic], names: Sequence[str] = ()) -> FeatureSketch:
    """Sketch an array with a row a sample; values that are not finite are left out, as a normaliser leaves them out."""
    table = np.asarray(values, np.float64).reshape(len(values), -1)
    columns = (
        tuple(names)
        if len(names) == len(set(names)) == table.shape[1]
        else tuple(str(k) for k in range(table.shape[1]))
    )
    finite = np.isfinite(table)
    count = finite.sum(axis=0).astype(np.float64)
    mean = np.where(finite, table, 0.0).sum(axis=0) / np.maximum(count, 1.0)
    squares = (np.where(finite, table - mean, 0.0) ** 2).sum(axis=0)
    grid = np.full((len(GRID), table.shape[1]), np.nan)
    if finite.all():
        grid = np.quantile(table, GRID, axis=0)
    else:
        for k in np.flatnonzero(count):
            grid[:, k] = np.quantile(table[finite[:, k], k], GRID)
    return FeatureSketch(columns, count, mean, squares, grid)


def merge_sketches(sketches: Iterable[Mapping[str, FeatureSketch]]) -> dict[str, FeatureSketch]:
    """Pool the sketches of many episodes by feature, column by name.

    Of a feature whose columns differ, those of most episodes are pooled. Another order of the same columns is no
    difference.
    """
    by_feature: dict[str, dict[tuple[str, ...], list[FeatureSketch]]] = {}
    for one in sketches:
        for feature, sketch in one.items():
            by_feature.setdefault(feature, {}).setdefault(tuple(sorted(sketch.columns)), []).append(sketch)
    return {feature: _merge(_order_alike(max(alike.values(), key=len))) for feature, alike in by_feature.items()}


def _order_alike(sketches: Sequence[FeatureSketch]) -> list[FeatureSketch]:
    """Put the columns of all sketches into the order of the first."""
    names = sketches[0].columns
    return [one if one.columns == names else _take_columns(one, names) for one in sketches]


def _take_columns(sketch: FeatureSketch, names: tuple[str, ...]) -> FeatureSketch:
    at = [sketch.columns.index(name) for name in names]
    return FeatureSketch(names, sketch.count[at], sketch.mean[at], sketch.squares[at], sketch.grid[:, at])


def _merge(sketches: Sequence[FeatureSketch]) -> FeatureSketch:
    """Pool exactly what sums up; quantiles are those of all grids, each weighed by its number of values."""
    counts = np.stack([one.count for one in sketches])
    total = np.maximum(counts.sum(axis=0), 1.0)
    mean = sum(one.count * one.mean for one in sketches) / total
    squares = sum(one.squares + one.count * (one.mean - mean) ** 2 for one in sketches)
    grids = np.stack([one.grid for one in sketches])
    grid = np.stack([_weigh_quantiles(grids[:, :, k], counts[:, k]) for k in range(grids.shape[2])], axis=1)
    return FeatureSketch(sketches[0].columns, counts.sum(axis=0), np.asarray(mean), np.asarray(squares), grid)


def _weigh_quantiles(grids: Floats, counts: Floats) -> Floats:
    """Return the quantiles of a mixture: its distribution function is the weighted mean of those of the parts."""
    kept = counts > 0
    if not kept.any():
        return np.full(len(GRID), np.nan)
    grids, counts = grids[kept], counts[kept]
    if len(grids) == 1:
        return np.asarray(grids[0])
    # each value of a grid stands for an equal part of its episode; the two ends for half a part
    parts = np.full(len(GRID), 1.0)
    parts[[0, -1]] = 0.5
    values, weights = grids.reshape(-1), (counts[:, None] * parts[None, :] / parts.sum()).reshape(-1)
    order = np.argsort(values, kind="stable")
    reached = (np.cumsum(weights[order]) - 0.5 * weights[order]) / weights.sum()
    return np.interp(GRID, reached, values[order])


def compare_features(
    before: Mapping[str, FeatureSketch], after: Mapping[str, FeatureSketch], felt_above: float
) -> tuple[FeatureShift, ...]:
    """Compare every column that both sides have; those felt first, the farthest moved first."""
    shifts = [
        _compare_column(feature, before[feature], after[feature], (k, j), felt_above)
        for feature in sorted(before.keys() & after.keys())
        for k, j in pair_columns(before[feature].columns, after[feature].columns)
    ]
    return tuple(sorted(shifts, key=lambda one: (not one.felt, -_find_farthest(one), one.feature)))


def pair_columns(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the places of columns by name; by place only where one side has numbers for names and both are as wide.

    >>> pair_columns(("x", "y"), ("y", "x", "z"))
    [(0, 1), (1, 0)]
    >>> pair_columns(("x", "y"), ("0", "1")), pair_columns(("x", "y"), ("0", "1", "2"))
    ([(0, 0), (1, 1)], [])
    """
    numbers = [str(k) for k in range(len(before))]
    if len(before) == len(after) and numbers in (list(before), list(after)):
        return [(k, k) for k in range(len(before))]
    places = {name: k for k, name in enumerate(after)}
    return [(k, places[name]) for k, name in enumerate(before) if name in places]


def _compare_column(
    feature: str, before: FeatureSketch, after: FeatureSketch, places: tuple[int, int], felt_above: float
) -> FeatureShift:
    k, j = places
    was, is_now = _get_moments(before, k), _get_moments(after, j)
    if was.sd <= TINY * max(abs(was.mean), 1.0):
        moved = abs(is_now.mean - was.mean) > TINY or is_now.sd > TINY
        return FeatureShift(feature, before.columns[k], was, is_now, None, None, None, None, moved)
    mean, low, high = (
        (b - a) / was.sd for a, b in ((was.mean, is_now.mean), (was.q01, is_now.q01), (was.q99, is_now.q99))
    )
    ratio = is_now.sd / was.sd
    felt = max(abs(mean), abs(low), abs(high)) > felt_above or not 1 / (1 + felt_above) <= ratio <= 1 + felt_above
    return FeatureShift(feature, before.columns[k], was, is_now, mean, low, high, ratio, felt)


def _get_moments(sketch: FeatureSketch, k: int) -> Moments:
    quantiles = (float(np.interp(share, GRID, sketch.grid[:, k])) for share in QUANTILES)
    sd = float(np.sqrt(sketch.squares[k] / max(sketch.count[k], 1.0)))
    return Moments(float(sketch.mean[k]), sd, *quantiles)


def _find_farthest(shift: FeatureShift) -> float:
    if shift.mean_shift is None or shift.q01_shift is None or shift.q99_shift is None:
        return float("inf") if shift.felt else 0.0
    return max(abs(shift.mean_shift), abs(shift.q01_shift), abs(shift.q99_shift))

"""Exact quantiles of more values than memory holds: the values are walked through once for every 16 bits they have.

A value's bits, put in the order of the numbers, are found from the highest down. Each walk counts how often each
next 16 bits occur behind the bits found so far, which settles 16 more. The result is exact, and memory holds one
table of counts for each quantile of each column, however many rows there are.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Walk = Callable[[], Iterable[NDArray[Any]]]
"""Goes through all rows from the start, some (n × columns) at a time, all of one type."""

DIGIT = 16  # bits counted in one pass: a table of 65,536
COLUMNS_AT_ONCE = 12  # ten ranks each, half a megabyte a table: 60 MB
ROWS_AT_ONCE = 1 << 18  # rows held before they are counted
HELD_VALUES = 1 << 22
"""So many values are simply held and sorted: 32 MB, where walking again would be slower."""


def compute_quantiles(walk: Walk, row_count: int, column_count: int, shares: Sequence[float]) -> NDArray[np.float64]:
    """Return shares × columns, what `np.quantile` says of all rows; values that are not finite are left out.

    >>> compute_quantiles(lambda: [np.array([[1.0], [2.0]]), np.array([[4.0]])], 3, 1, [0.5, 0.75]).tolist()
    [[2.0], [3.0]]
    """
    if row_count * column_count <= HELD_VALUES:
        return compute_quantiles_in_memory(np.concatenate(list(walk())), shares)
    return compute_quantiles_by_walk(walk, column_count, shares)


def compute_quantiles_in_memory(values: NDArray[Any], shares: Sequence[float]) -> NDArray[np.float64]:
    """Return shares × columns of values that are held."""
    rows = values.astype(np.float64)
    if rows.size and np.isfinite(rows).all():
        return np.asarray(np.quantile(rows, shares, axis=0))
    columns = [column[np.isfinite(column)] for column in rows.T]
    return np.stack([np.quantile(c, shares) if len(c) else np.full(len(shares), np.nan) for c in columns], axis=1)


def compute_quantiles_by_walk(walk: Walk, column_count: int, shares: Sequence[float]) -> NDArray[np.float64]:
    """Return shares × columns of values that are walked through, some columns at a time."""
    parts = []
    for first in range(0, column_count, COLUMNS_AT_ONCE):
        some = slice(first, first + COLUMNS_AT_ONCE)

        def walk_some(some: slice = some) -> Iterator[NDArray[np.float64]]:
            return _merge_small_parts(part[:, some] for part in walk())

        parts.append(_compute_column_quantiles(walk_some, shares))
    return np.concatenate(parts, axis=1)


def _merge_small_parts(parts: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Put small parts together: a table of counts is added up once for each."""
    held: list[NDArray[Any]] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) >= ROWS_AT_ONCE:
            yield np.concatenate(held)
            held = []
    if held:
        yield np.concatenate(held)


def _compute_column_quantiles(walk: Walk, shares: Sequence[float]) -> NDArray[np.float64]:
    counts = np.asarray(sum(np.isfinite(part).sum(0) for part in walk()))
    places = np.outer(shares, np.maximum(counts - 1, 0))
    ends = np.stack([np.floor(places), np.ceil(places)]).astype(np.int64)
    ranks = [sorted(set(ends[:, :, j].ravel().tolist())) if counts[j] else [] for j in range(len(counts))]
    quantile_table = np.full(places.shape, np.nan)
    for j, value_at in enumerate(_select_ranks(walk, ranks)):
        for i, place in enumerate(places[:, j] if value_at else ()):
            low, high = (value_at[int(end)] for end in ends[:, i, j])
            quantile_table[i, j] = low + (high - low) * (place - np.floor(place))
    return quantile_table


def _select_ranks(walk: Walk, ranks: Sequence[Sequence[int]]) -> list[dict[int, float]]:
    """Return the value at each rank of each column."""
    dtype = next(iter(walk())).dtype
    bits = 8 * dtype.itemsize
    sought = {(j, rank): (0, rank) for j, some in enumerate(ranks) for rank in some}  # → bits so far, rank among those
    for shift in range(bits - min(DIGIT, bits), -1, -min(DIGIT, bits)):
        prefixes: list[set[int]] = [set() for _ in ranks]
        for (j, _), (prefix, _) in sought.items():
            prefixes[j].add(prefix)
        tables = _count_prefixes(walk, prefixes, shift, bits)
        for key, (prefix, rank) in sought.items():
            cumulative = np.cumsum(tables[key[0], prefix])
            digit = int(np.searchsorted(cumulative, rank, side="right"))
            below = int(cumulative[digit - 1]) if digit else 0
            sought[key] = (prefix << min(DIGIT, bits) | digit, rank - below)
    value_at_rank: list[dict[int, float]] = [{} for _ in ranks]
    for (j, rank), (whole, _) in sought.items():
        value_at_rank[j][rank] = float(_from_ordered_int(whole, dtype))
    return value_at_rank


def _count_prefixes(
    walk: Walk, prefixes: Sequence[set[int]], shift: int, bits: int
) -> dict[tuple[int, int], NDArray[np.int64]]:
    size = 1 << min(DIGIT, bits)
    tables = {(j, p): np.zeros(size, np.int64) for j, some in enumerate(prefixes) for p in some}
    for part in walk():
        for j, some in enumerate(prefixes):
            column = part[:, j]
            ordered = _to_ordered_ints(column[np.isfinite(column)])
            rest = ordered >> np.uint64(shift)
            digits, above = (rest & np.uint64(size - 1)).astype(np.int64), rest >> np.uint64(min(DIGIT, bits))
            for prefix in some:
                tables[j, prefix] += np.bincount(digits[above == np.uint64(prefix)], minlength=size)
    return tables


def _to_ordered_ints(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return whole numbers that stand in the same order as the values."""
    if values.dtype.kind in "bu":
        return values.astype(np.uint64)
    bits = 8 * values.dtype.itemsize
    raw = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}").astype(np.uint64)
    sign = np.uint64(1 << (bits - 1))
    if values.dtype.kind == "i":
        return raw ^ sign
    return np.where(raw & sign, raw ^ np.uint64((1 << bits) - 1), raw | sign)


def _from_ordered_int(ordered_int: int, dtype: np.dtype[Any]) -> Any:
    """Undo `_to_ordered_ints`."""
    bits = 8 * dtype.itemsize
    if dtype.kind in "bu":
        return ordered_int
    sign = 1 << (bits - 1)
    raw = ordered_int ^ sign if dtype.kind == "i" or ordered_int & sign else ordered_int ^ ((1 << bits) - 1)
    return np.array([raw], f"u{dtype.itemsize}").view(dtype)[0]

"""Codes columns that depend on one number: straight lines between a few of its values."""

from collections.abc import Iterable, Sequence

import numpy as np

from fieldloop.diagnose.inference.coding import code_factor
from fieldloop.diagnose.inference.columns import Block, Counted, Floats
from fieldloop.diagnose.inference.strengths import Strength

CLOSE = 1e-10
"""Largest difference between a column and its lines: rounding. A column that differs more is not coded."""


def code_by_number(values: Floats, columns: Iterable[tuple[int, Strength]]) -> Block | None:
    """Code those of the columns that are 0, a line or 1 between values of a number; None where none is."""
    logged, every = np.isfinite(values), list(columns)
    if not logged.any():
        return None
    ends = np.unique([end for _, column in every for end in _ends(values, logged, column)])
    codes = np.where(logged, np.searchsorted(ends, values, side="right") + 1, 0)
    middle, wide = float(values[logged].mean()), float(np.ptp(values[logged])) or 1.0
    carrier = np.where(logged, (values - middle) / wide, 0.0)
    low, high = _lowest_and_highest_rows(codes, carrier, len(ends) + 2)
    made = [(at, *_lines(column, carrier, low, high), column) for at, column in every]
    kept = [
        (at, pattern, slope)
        for at, pattern, slope, column in made
        if np.abs(pattern[codes] + slope[codes] * carrier - column).max() <= CLOSE
    ]
    if not kept:
        return None
    patterns, slopes = (np.column_stack([one[part] for one in kept]) for part in (1, 2))
    block = code_factor(codes, patterns, np.array([at for at, _, _ in kept]))
    return Block(block.codes, patterns, block.at, slopes, carrier)


def _ends(values: Floats, logged: np.ndarray, column: Strength) -> Sequence[float]:
    """Return where a column leaves 0 and where it reaches 1, from either side."""
    ends: list[float] = []
    for part in (logged & (column > 0), logged & (column >= 1)):
        if part.any():
            ends += [float(values[part].min()), float(np.nextafter(values[part].max(), np.inf))]
    return ends


def _lowest_and_highest_rows(codes: Counted, carrier: Floats, count: int) -> tuple[Counted, Counted]:
    """Return for each code the row with the lowest and the one with the highest number; row 0 where none has it."""
    order = np.lexsort((carrier, codes))
    sizes = np.bincount(codes, minlength=count)
    last = np.cumsum(sizes)
    low, high = order[np.minimum(last - sizes, len(codes) - 1)], order[np.maximum(last - 1, 0)]
    return np.where(sizes > 0, low, 0), np.where(sizes > 0, high, 0)


def _lines(column: Strength, carrier: Floats, low: Counted, high: Counted) -> tuple[Floats, Floats]:
    """Return value and slope of a column within each code."""
    first, second = column[low].astype(np.float64), column[high].astype(np.float64)
    wide = carrier[high] - carrier[low]
    slope = np.where(wide > 0.0, (second - first) / np.where(wide > 0.0, wide, 1.0), 0.0)
    return first - slope * carrier[low], slope

"""Group episodes by how many items each has, so that one table serves many and none is mostly padding."""

from collections.abc import Iterator

import numpy as np

from fieldloop.stats.segments.segment_arrays import Ints

MOST_CELLS = 400_000
"""Cells of one table, to bound memory."""


def cut_into_batches(first_counts: Ints, second_counts: Ints) -> Iterator[Ints]:
    """Yield places of episodes with items on both sides, those of alike size together."""
    both = np.flatnonzero((first_counts > 0) & (second_counts > 0))
    order = both[np.lexsort((second_counts[both], first_counts[both]))]
    begin = 0
    while begin < len(order):
        rows = first_counts[order[begin:]] + 1  # ascending
        columns = np.maximum.accumulate(second_counts[order[begin:]] + 1)
        cells = rows * columns * np.arange(1, len(rows) + 1)
        end = begin + max(1, int(np.searchsorted(cells, MOST_CELLS, side="right")))
        yield order[begin:end]
        begin = end


def lay_in_rows(values: Ints, begins: Ints, counts: Ints, width: int, empty: int) -> Ints:
    """Lay the items of each episode in a row of one table; what is left over is `empty`.

    >>> lay_in_rows(np.array([7, 8, 9]), np.array([0, 2]), np.array([2, 1]), 3, -1).tolist()
    [[7, 8, -1], [9, -1, -1]]
    """
    place = np.arange(width)
    inside = place < counts[:, None]
    taken = np.where(inside, begins[:, None] + place, 0)
    return np.where(inside, values[taken], empty) if len(values) else np.full(inside.shape, empty, np.int64)

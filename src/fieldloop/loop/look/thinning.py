"""Signals too long to send whole: the lowest and the highest value of each stretch, so that no peak is lost."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.loop.look.timing import Seconds

MOST_ROWS = 400_000
"""Rows that are sent at most; a screen has a few thousand columns of pixels."""
Columns = NDArray[np.float32]


def count_sent_rows(rows: int) -> int:
    """How many rows of a signal are sent?

    >>> count_sent_rows(1000), count_sent_rows(1_000_000)
    (1000, 400000)
    """
    return rows if rows <= MOST_ROWS else 2 * -(-rows // _choose_stretch(rows))


def reduce_signal(times: Seconds, columns: Columns) -> tuple[Seconds, Columns]:
    """Return times and columns with two rows for each stretch of a long signal; a short one as it is.

    Both rows keep a time of the stretch. NaN is passed over, unless a stretch has no other.
    """
    rows = len(times)
    if rows <= MOST_ROWS:
        return times, columns
    stretch = _choose_stretch(rows)
    count = -(-rows // stretch)
    filled = np.pad(columns, ((0, 0), (0, count * stretch - rows)), mode="edge").reshape(len(columns), count, stretch)
    with np.errstate(invalid="ignore"):
        low, high = np.fmin.reduce(filled, axis=2), np.fmax.reduce(filled, axis=2)
    first = np.arange(count) * stretch
    moments = np.column_stack([times[first], times[np.minimum(first + stretch // 2, rows - 1)]]).ravel()
    return moments, np.ascontiguousarray(np.stack([low, high], axis=2).reshape(len(columns), -1), np.float32)


def _choose_stretch(rows: int) -> int:
    return -(-2 * rows // MOST_ROWS)

"""Detect an array that is another one, shifted by one step."""

import numpy as np

from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened
from fieldloop.ingest.readers.hdf5.rows import BLOCK_BYTES, compute_row_bytes, count_stored_rows
from fieldloop.ingest.readers.hdf5.tree import Leaf


def is_one_step_later(opened: Opened, current: Leaf, later: Leaf) -> bool:
    """Does every row of `later` but its last equal the row of `current` behind it? Compared block by block."""
    if (
        current.shape != later.shape
        or current.dtype != later.dtype
        or not current.shape
        or current.dtype.kind not in "biuf"
    ):
        return False
    rows = count_stored_rows(opened, current)
    if not rows or count_stored_rows(opened, later) != rows:
        return False
    step = max(1, BLOCK_BYTES // max(1, compute_row_bytes(current)))
    try:
        for start in range(0, rows - 1, step):
            stop = min(start + step, rows - 1)
            ours, theirs = current.data[start + 1 : stop + 1], later.data[start:stop]
            if not np.array_equal(ours, theirs, equal_nan=current.dtype.kind == "f"):
                return False
    except HDF5_ERRORS:
        return False
    return True

"""Detect an array that is another one, shifted by one step."""

import numpy as np

from fieldloop.ingest.readers.hdf5.opened import HDF5_ERRORS, Opened
from fieldloop.ingest.readers.hdf5.rows import BLOCK_BYTES, row_bytes, stored_rows
from fieldloop.ingest.readers.hdf5.tree import Leaf


def is_one_step_later(opened: Opened, now: Leaf, later: Leaf) -> bool:
    """Does every row of `later` but its last equal the row of `now` behind it? Compared block by block."""
    if now.shape != later.shape or now.dtype != later.dtype or not now.shape or now.dtype.kind not in "biuf":
        return False
    rows = stored_rows(opened, now)
    if not rows or stored_rows(opened, later) != rows:
        return False
    step = max(1, BLOCK_BYTES // max(1, row_bytes(now)))
    try:
        for start in range(0, rows - 1, step):
            stop = min(start + step, rows - 1)
            ours, theirs = now.data[start + 1 : stop + 1], later.data[start:stop]
            if not np.array_equal(ours, theirs, equal_nan=now.dtype.kind == "f"):
                return False
    except HDF5_ERRORS:
        return False
    return True

"""Moments stored as plain numbers become nanoseconds: the unit is told from the name, else by what is plausible."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldloop.ingest.readers.hdf5.names import unit_in_name
from fieldloop.model.stream import NS_PER_S

UNITS = {1: "nanoseconds", 1_000: "microseconds", 1_000_000: "milliseconds", NS_PER_S: "seconds"}
EPOCH_FROM_S, EPOCH_TO_S = 978_307_200, 4_102_444_800  # the years 2001 to 2100
SLOWEST_STEP_S, FASTEST_STEP_S = 2.0, 1e-4


def to_nanoseconds(name: str, values: NDArray[Any]) -> tuple[NDArray[np.int64], str] | None:
    """Return stamps in nanoseconds and how their unit was told; None where the numbers can be no stamps."""
    flat = values.reshape(-1)
    if flat.dtype.kind not in "iuf" or not len(flat) or not np.isfinite(flat).all():
        return None
    named = unit_in_name(name)
    unit = named or _plausible(flat.astype(np.float64))
    if unit is None or float(np.abs(flat.astype(np.float64)).max()) * unit >= float(2**63):
        return None
    how = "by its name" if named else "by what is plausible"
    if flat.dtype.kind in "iu":
        return flat.astype(np.int64) * unit, f"{name} read as {UNITS[unit]}, {how}"
    whole = np.floor(flat.astype(np.float64))  # a float64 of this century holds whole seconds exactly
    part = flat.astype(np.float64) - whole
    stamps = whole.astype(np.int64) * unit + np.round(part * unit).astype(np.int64)
    return stamps, f"{name} read as {UNITS[unit]}, {how}"


def _plausible(values: NDArray[np.float64]) -> int | None:
    """A date of this century says its unit; else the step between rows does, taken for a robot's."""
    middle = float(np.median(values))
    for unit in UNITS:
        if EPOCH_FROM_S <= middle * unit / NS_PER_S <= EPOCH_TO_S:
            return unit
    steps = np.diff(values)
    steps = steps[steps > 0]
    if not len(steps):
        return None
    step = float(np.median(steps))
    for unit in sorted(UNITS, reverse=True):
        if FASTEST_STEP_S <= step * unit / NS_PER_S <= SLOWEST_STEP_S:
            return unit
    return None

"""How strongly an explanation holds in each of many rows: a bit a row where it holds or does not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Strength = NDArray[np.float64] | NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Packed:
    """Rows that are 0 or 1, eight a byte: there are a thousand explanations of a million rows."""

    bits: NDArray[np.uint8]
    count: int

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True, eq=False)
class Ramp:
    """Rows that rise from 0 at `start` to 1 where a number is `far` beyond it; 0 where it was not logged."""

    values: NDArray[np.float64]
    start: float
    sign: float
    far: float

    def __len__(self) -> int:
        return len(self.values)


Rows = Strength | Packed | Ramp
"""Rows in the smallest form that states them."""


def pack(rows: Rows) -> Rows:
    """Pack rows that are 0 or 1; others stay as they are.

    >>> pack(np.array([0.0, 1.0, 1.0])).count, pack(np.array([0.5, 1.0]))
    (3, array([0.5, 1. ]))
    """
    if isinstance(rows, Packed | Ramp):
        return rows
    if rows.dtype == np.bool_ or bool(((rows == 0.0) | (rows == 1.0)).all()):
        return Packed(np.packbits(rows.astype(bool)), len(rows))
    return rows


def unpack(rows: Rows) -> Strength:
    """Return the strength in every row, as truth values where it is 0 or 1 everywhere."""
    if isinstance(rows, Ramp):
        return np.nan_to_num(np.clip(rows.sign * (rows.values - rows.start) / rows.far, 0.0, 1.0), nan=0.0)
    return np.unpackbits(rows.bits, count=rows.count).view(np.bool_) if isinstance(rows, Packed) else rows

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


def pack(rows: "Strength | Packed") -> "Strength | Packed":
    """Pack rows that are 0 or 1; others stay as they are.

    >>> pack(np.array([0.0, 1.0, 1.0])).count, pack(np.array([0.5, 1.0]))
    (3, array([0.5, 1. ]))
    """
    if isinstance(rows, Packed):
        return rows
    if rows.dtype == np.bool_ or bool(((rows == 0.0) | (rows == 1.0)).all()):
        return Packed(np.packbits(rows.astype(bool)), len(rows))
    return rows


def unpack(rows: "Strength | Packed") -> Strength:
    """Return the strength in every row, as truth values where it is 0 or 1 everywhere."""
    return np.unpackbits(rows.bits, count=rows.count).view(np.bool_) if isinstance(rows, Packed) else rows

"""Windows of a picture: rows and columns from a first to one behind the last."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Window:
    """Rows `upper` to `lower`, columns `left` to `right`, the last ones not included."""

    upper: int
    lower: int
    left: int
    right: int

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> "Window":
        """Return the smallest window around all that is true.

        >>> Window.of(np.eye(4, dtype=bool)[:2])
        Window(upper=0, lower=2, left=0, right=2)
        """
        rows = np.flatnonzero(mask.any(axis=1))
        if not len(rows):
            return cls(0, 0, 0, 0)
        upper, lower = int(rows[0]), int(rows[-1]) + 1
        columns = np.flatnonzero(mask[upper:lower].any(axis=0))
        return cls(upper, lower, int(columns[0]), int(columns[-1]) + 1)

    @property
    def empty(self) -> bool:
        """Whether nothing is in it."""
        return self.lower <= self.upper or self.right <= self.left

    @property
    def slices(self) -> tuple[slice, slice]:
        """The window as an index of an array."""
        return slice(self.upper, self.lower), slice(self.left, self.right)

    def around(self, other: "Window") -> "Window":
        """Return the smallest window around both."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Window(
            min(self.upper, other.upper),
            max(self.lower, other.lower),
            min(self.left, other.left),
            max(self.right, other.right),
        )

    def grown(self, within: "Window", by: int = 2) -> "Window":
        """Return the window with a margin that interpolation may reach into, kept within another."""
        if self.empty:
            return self
        return Window(
            max(self.upper - by, within.upper),
            min(self.lower + by, within.lower),
            max(self.left - by, within.left),
            min(self.right + by, within.right),
        )

    def lower_by(self, rows: int) -> "Window":
        """Return the window moved down."""
        return Window(self.upper + rows, self.lower + rows, self.left, self.right)

"""Which columns are alike? Correlations over the rows, from sums of their products."""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose.inference.columns import CodedColumns, Floats

CONSTANT = 1e-9
"""Part of a column's sum of squares below which its variance is rounding error."""


class Correlated:
    """CodedColumns with their sums and lengths."""

    def __init__(self, columns: CodedColumns) -> None:
        """Add up each column."""
        self.columns, self._every = columns, np.ones(columns.rows)
        self._known: dict[int, Floats] = {}
        self.totals = columns.sum(self._every)
        squares = columns.squares(self._every)
        spread = squares - self.totals**2 / max(columns.rows, 1)
        self._inverse_length = np.where(spread > CONSTANT * squares, 1.0 / np.sqrt(np.maximum(spread, CONSTANT)), 0.0)

    def correlate(self, members: Sequence[int]) -> Floats:
        """Correlate every column (down) with some of them (across); a constant one correlates with none."""
        return np.column_stack([np.empty((self.columns.size, 0)), *map(self._correlate_with, members)])

    def _correlate_with(self, member: int) -> Floats:
        if member not in self._known:
            column = self.columns.take([member]).unpack()[:, 0]
            together = self.columns.sum(column) - self.totals * self.totals[member] / max(self.columns.rows, 1)
            self._known[member] = together * self._inverse_length * self._inverse_length[member]
        return self._known[member]
